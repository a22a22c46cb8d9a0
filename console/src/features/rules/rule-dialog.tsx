import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { PharosError } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { JsonEditor } from '../../components/code/json-editor.tsx';
import type { AppRules } from '../../lib/wire.ts';
import { t, translated } from '../../lib/words/words.ts';
import classes from './dialogs.module.css';
import { previewQuery } from './queries.ts';
import { type RuleValues, type Verb, withPart } from './rule-values.ts';
import { type Row, ruleLabel, variableWords, verbLabels, wordLabels } from './words.ts';

export interface RuleInQuestion {
  readonly row: Row;
  readonly verb: Verb;
}

interface Props {
  readonly appId: string;
  readonly question: RuleInQuestion | undefined;
  readonly values: RuleValues;
  readonly variables: AppRules['variables'];
  readonly isLocked: boolean;
  readonly onClose: () => void;
  readonly onApply: (values: RuleValues) => void;
}

/** Says who may do one thing with the records of one resource. */
export function RuleDialog(props: Props) {
  const { question, onClose } = props;
  return (
    <Modal
      opened={question !== undefined}
      onClose={onClose}
      title={question && `${question.row.label}: ${verbLabels[question.verb]}`}
      size="lg"
    >
      {question && <Choices key={`${question.row.name} ${question.verb}`} {...props} question={question} />}
    </Modal>
  );
}

const inherit = 'inherit';
const condition = 'condition';

function Choices({
  appId,
  question: { row, verb },
  values,
  variables,
  isLocked,
  onClose,
  onApply,
}: Props & { readonly question: RuleInQuestion }) {
  const rule = row.described.rules[verb];
  const [choice, setChoice] = useState(() =>
    !rule?.isOwn ? inherit : typeof rule.rule === 'string' ? rule.rule : condition,
  );
  const [text, setText] = useState(() => conditionText(row, rule?.isOwn ? rule.rule : undefined));
  const at = { group: row.group, name: row.name, part: verb };
  const { where, problem } = readWhere(text);
  const [askedText] = useDebouncedValue(text, 250);
  const asked = readWhere(askedText).where;
  const isAsked = choice === condition && asked !== undefined;
  const preview = useQuery({ ...previewQuery(appId, withPart(values, at, asked)), enabled: isAsked });
  if (!rule) return null;
  const failure = preview.error && isAsked ? problemOf(preview.error, `${row.group}.${row.name}.${verb}`) : undefined;
  const found = preview.data?.[row.group][row.name]?.rules[verb];
  const isChecked = isAsked && text === askedText && preview.isSuccess && !preview.isPlaceholderData;
  const isReady = choice !== condition || (isChecked && problem === undefined);
  const apply = () =>
    onApply(withPart(values, at, choice === inherit ? undefined : choice === condition ? where : choice));
  return (
    <Stack>
      <Words {...{ row, rule, isLocked, choice }} onChoice={setChoice} />
      {choice === condition && (
        <>
          <JsonEditor
            label={t('Condition')}
            description={t('As in the where of a list.')}
            value={text}
            onChange={setText}
            error={problem ?? failure}
            isReadOnly={isLocked}
          />
          <Known variables={variables} row={row} isLocked={isLocked} onBegin={(start) => setText(shown(start))} />
          <p className={classes.sentence} role="status" data-testid="meaning">
            {isChecked && found
              ? translated(found.sentence)
              : t('What it means is said here as soon as it is complete.')}
          </p>
        </>
      )}
      <Group justify="flex-end" gap="xs">
        <Button onClick={onClose}>{isLocked ? t('Close') : t('Cancel')}</Button>
        {!isLocked && (
          <Button variant="filled" disabled={!isReady} onClick={apply}>
            {t('Apply')}
          </Button>
        )}
      </Group>
      {!isLocked && (
        <Text size="xs" c="dimmed" ta="right">
          {t('It counts as soon as the rules are saved.')}
        </Text>
      )}
    </Stack>
  );
}

interface WordsProps {
  readonly row: Row;
  readonly rule: NonNullable<Row['described']['rules'][Verb]>;
  readonly isLocked: boolean;
  readonly choice: string;
  readonly onChoice: (choice: string) => void;
}

/** What a rule can be: as inherited, one of the words, or a condition. */
function Words({ row, rule, isLocked, choice, onChoice }: WordsProps) {
  const inherited =
    row.group === 'buckets' && row.name !== '*' ? t('As for all other buckets') : t('As the preset says');
  return (
    <Radio.Group label={t('Who may do it?')} value={choice} onChange={onChoice}>
      <Stack gap="sm" mt="xs">
        <Radio
          value={inherit}
          label={`${inherited}: ${ruleLabel(rule.inherited)}`}
          description={
            typeof rule.inherited === 'string' ? translated(rule.sentences[rule.inherited] ?? '') : undefined
          }
          disabled={isLocked}
        />
        {rule.words.toReversed().map((word) => (
          <Radio
            key={word}
            value={word}
            label={wordLabels[word]}
            description={translated(rule.sentences[word] ?? '')}
            disabled={isLocked}
          />
        ))}
        {rule.takesWhere && (
          <Radio
            value={condition}
            label={t('Condition …')}
            description={t('A filter on the record, in which $auth stands for whoever asks.')}
            disabled={isLocked}
          />
        )}
      </Stack>
    </Radio.Group>
  );
}

interface KnownProps {
  readonly variables: AppRules['variables'];
  readonly row: Row;
  readonly isLocked: boolean;
  readonly onBegin: (start: object) => void;
}

/** What is known about the caller, in words, and conditions to start from. */
function Known({ variables, row, isLocked, onBegin }: KnownProps) {
  const starts = startsOf(row);
  return (
    <div>
      <dl className={classes.known} aria-label={t('Known of whoever asks')}>
        {variables.map((name) => (
          <div key={name}>
            <dt className="mono">{name}</dt>
            <dd>{variableWords[name]}</dd>
          </div>
        ))}
      </dl>
      {!isLocked && (
        <Group gap="xs" mt="xs">
          <Text size="xs" c="dimmed">
            {t('Begin with:')}
          </Text>
          {starts.map(({ label, start }) => (
            <Button key={label} size="compact-xs" onClick={() => onBegin(start)}>
              {label}
            </Button>
          ))}
        </Group>
      )}
    </div>
  );
}

const shown = (where: unknown) => JSON.stringify(where, null, 2);

/** A condition to begin with, which is true to the kind of record. */
const conditionText = (row: Row, rule: unknown) => shown(typeof rule === 'object' ? rule : startsOf(row)[0]?.start);

function readWhere(text: string): { readonly where?: object; readonly problem?: string } {
  try {
    const where: unknown = JSON.parse(text);
    if (typeof where === 'object' && where !== null && !Array.isArray(where)) return { where };
    return { problem: t('It has to be a JSON object.') };
  } catch {
    return { problem: t('This is not valid JSON yet.') };
  }
}

/** What is wrong with one rule; other rules are not this dialog's matter. */
function problemOf(error: Error, field: string): string {
  const details = error instanceof PharosError ? error.details : [];
  const own = details.filter((one) => one.field === field || one.field.startsWith(`${field}.`));
  if (own.length === 0) return error.message;
  return own.map((one) => `${one.field.slice(field.length + 1)} ${one.problem}.`.trim()).join(' ');
}

interface Start {
  readonly label: string;
  readonly start: object;
}

const venueMembers: Readonly<Record<string, string>> = {
  venues: 'objectId',
  floors: 'venueId',
  zones: 'venueId',
  beacons: 'venueId',
};

/** Conditions to begin with, which are true to the kind of record. The first is the one that a new condition has. */
export function startsOf({ group, name, described }: Row): readonly Start[] {
  const own = { label: t('What is theirs'), start: { [described.owner]: '$auth.userId' } };
  const ofVenues = (member: string) => ({ label: t('What is of their venues'), start: { [member]: '$auth.venues' } });
  if (group === 'buckets') {
    const shared = { $or: [own.start, { 'metadata.sharedWith': '$auth.userId' }] };
    return [{ label: t('What is shared with them'), start: shared }, own, ofVenues('metadata.venue')];
  }
  if ('listen' in described.rules || !('create' in described.rules))
    return [{ label: t('What is of their phones'), start: { installationId: '$auth.installationId' } }];
  const member = venueMembers[name];
  return member ? [own, ofVenues(member)] : [own];
}
