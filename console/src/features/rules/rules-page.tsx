import { Box } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SettingsForm } from '../../components/form/page-form.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Block, FailureNote, Icon } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useAppId, useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { rulesQuery } from '../../lib/data/queries.ts';
import type { AppRules } from '../../lib/wire.ts';
import { rich, t, translated } from '../../lib/words/words.ts';
import { DryRunBlock } from './dry-run-block.tsx';
import { RuleMatrix, RulesOfOne } from './matrix.tsx';
import { PresetBlock } from './preset-block.tsx';
import { previewQuery } from './queries.ts';
import { ResourceDialog } from './resource-dialog.tsx';
import { RuleDialog, type RuleInQuestion } from './rule-dialog.tsx';
import { bodyOf, joinParts, partsOf, type RuleValues, valuesOf } from './rule-values.ts';
import classes from './rules.module.css';
import { TryBlock } from './try-block.tsx';
import { presetTexts, type Row, rowGroups, ruleLabel, verbLabels, verbs } from './words.ts';

/** Who may read and write what in an app. */
export function RulesPage() {
  const appId = useAppId();
  const { data: rules, error } = useQuery(rulesQuery(appId));
  if (error) return <FailureNote message={error.message} />;
  return rules ? <RulesForm key={appId} appId={appId} rules={rules} /> : null;
}

/** The rules as fields. They are replaced as a whole; what others have changed is already in them. */
function useRulesForm(appId: string, stored: AppRules) {
  return useRecordForm<AppRules, RuleValues, AppRules>({
    name: `rules ${appId}`,
    record: stored,
    read: async () => (await call('getAppRules', { params: { appId } })).result,
    refresh: [rulesQuery(appId).queryKey],
    fieldsOf: (record = stored) => valuesOf(record),
    bodyOf: (values) => ({ rules: bodyOf(values) }),
    parts: { of: partsOf, join: joinParts },
    change: async (members, ifMatch) => {
      const { rules } = members as { readonly rules: ReturnType<typeof bodyOf> };
      return (await call('changeAppRules', { params: { appId }, body: rules, ifMatch })).result;
    },
    done: t('The rules are saved.'),
    ...conflictWords(stored),
  });
}

function RulesForm({ appId, rules: stored }: { readonly appId: string; readonly rules: AppRules }) {
  const may = useMay();
  const isLocked = !may('apps.change');
  const isNarrow = useMediaQuery('(max-width: 48rem)', false, { getInitialValueInEffect: false });
  const shared = useRulesForm(appId, stored);
  const { form } = shared;
  const preview = useQuery({
    ...previewQuery(appId, form.values),
    enabled: form.isDirty,
    placeholderData: keepPreviousData,
  });
  const rules = form.isDirty ? (preview.data ?? stored) : stored;
  const [question, setQuestion] = useState<RuleInQuestion>();
  const [row, setRow] = useState<Row>();
  function take(values: RuleValues) {
    form.set('preset', values.preset);
    form.set('resources', values.resources);
    form.set('buckets', values.buckets);
    setQuestion(undefined);
    setRow(undefined);
  }
  const table = {
    rules,
    onRule: (of: Row, verb: RuleInQuestion['verb']) => {
      setRow(undefined);
      setQuestion({ row: of, verb });
    },
    onRow: setRow,
  };
  const dialogs = { appId, values: form.values, isLocked, onApply: take };
  return (
    <>
      <SettingsForm shared={shared} isLocked={isLocked} names={[]} submit={t('Save the rules')}>
        <PageHeader title={t('Rules')}>
          {t(
            'Who may read and write what with the app. Administrators of this console are not bound by them.{isLocked, select, true { Your role can read the rules. Owners and managers can change them.} other {}}',
            { isLocked },
          )}
        </PageHeader>
        <Summary rules={rules} isDraft={form.isDirty} />
        <Block title={t('Preset')} about={t('What holds wherever the app says nothing itself.')}>
          <PresetBlock {...dialogs} rules={rules} />
        </Block>
        <Block
          title={t('Resources and buckets')}
          about={t('Choose a rule to change it, or a name for its owner and members.')}
        >
          {isNarrow ? <RulesOfOne {...table} /> : <RuleMatrix {...table} />}
          <Legend />
        </Block>
      </SettingsForm>
      <RuleDialog {...dialogs} question={question} variables={rules.variables} onClose={() => setQuestion(undefined)} />
      <ResourceDialog {...dialogs} row={row} onRule={table.onRule} onClose={() => setRow(undefined)} />
      {may('users.read') && (
        <Box mt="1.25rem">
          <TryBlock appId={appId} rules={rules} values={form.values} isDraft={form.isDirty} />
        </Box>
      )}
      <Box mt="1.25rem">
        <DryRunBlock appId={appId} rules={rules} values={form.values} isDraft={form.isDirty} isLocked={isLocked} />
      </Box>
    </>
  );
}

function Legend() {
  return (
    <p className={classes.legend}>
      <span>{rich('<b>Bold, with a frame:</b> said by the app.')}</span>
      <span>{t('Lighter: follows from the preset.')}</span>
      <span>{t('Managers of the app pass every rule but “Nobody”.')}</span>
    </p>
  );
}

function Summary({ rules: { open }, isDraft }: { readonly rules: AppRules; readonly isDraft: boolean }) {
  const isOpen = open.parts.length > 0;
  return (
    <div className={`${classes.summary} ${isOpen ? classes.isOpen : classes.isClosed}`} role="status">
      <Icon name={isOpen ? 'warning' : 'check'} />
      <p data-testid="open">
        {isDraft && <b>{t('With your changes:')} </b>}
        {translated(open.sentence)}
      </p>
    </div>
  );
}

/** Each rule by its name, and what it says, where two people have changed the rules. */
function conflictWords(rules: AppRules) {
  const rows = rowGroups(rules).flatMap((group) => group.rows);
  const parts = rows.flatMap(({ group, name, label }) => [
    ...verbs.map((verb) => [`${group}.${name}.${verb}`, `${label}: ${verbLabels[verb]}`] as const),
    [`${group}.${name}.owner`, t('{label}: whose a record is', { label })] as const,
    [`${group}.${name}.unowned`, t('{label}: what belongs to nobody', { label })] as const,
    [`${group}.${name}.members`, t('{label}: members that are kept back', { label })] as const,
  ]);
  const isVerb = (key: string) => verbs.some((verb) => key.endsWith(`.${verb}`));
  const showRule = (value: unknown) =>
    value === undefined
      ? t('as the preset says')
      : typeof value === 'string'
        ? ruleLabel(value)
        : JSON.stringify(value, null, 2);
  return {
    labels: { preset: t('Preset'), ...Object.fromEntries(parts) },
    show: {
      preset: (value: AppRules['preset']) => presetTexts[value].label,
      ...Object.fromEntries(parts.flatMap(([key]) => (isVerb(key) ? [[key, showRule]] : []))),
    },
  };
}
