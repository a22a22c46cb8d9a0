import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FailureNote } from '../../components/page/blocks.tsx';
import dryRun from '../../components/rules/dry-run.module.css';
import type { AppRules } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';

import { previewQuery } from './queries.ts';
import type { Preset, RuleValues } from './rule-values.ts';
import classes from './rules.module.css';
import { presetTexts, rowGroups, ruleLabel, verbLabels, verbs } from './words.ts';

interface Props {
  readonly appId: string;
  readonly rules: AppRules;
  readonly values: RuleValues;
  readonly isLocked: boolean;
  readonly onApply: (values: RuleValues) => void;
}

/** What applies unless the app sets its own rule, and what another preset would change. */
export function PresetBlock({ appId, rules, values, isLocked, onApply }: Props) {
  const [asked, setAsked] = useState<Preset>();
  const other = rules.presets.find((preset) => preset !== values.preset);
  const close = () => setAsked(undefined);
  return (
    <div className={classes.preset}>
      <div>
        <Text size="md" fw={580}>
          {presetTexts[values.preset].label}
        </Text>
        <p>{presetTexts[values.preset].sentence}</p>
      </div>
      {!isLocked && other && <Button onClick={() => setAsked(other)}>{t('Use the other preset …')}</Button>}
      <Modal
        opened={asked !== undefined}
        onClose={close}
        title={asked && t('Preset: {label}', { label: presetTexts[asked].label })}
        size="lg"
      >
        {asked && (
          <Changes
            appId={appId}
            before={rules}
            values={{ ...values, preset: asked }}
            onClose={close}
            onApply={(next) => {
              onApply(next);
              close();
            }}
          />
        )}
      </Modal>
    </div>
  );
}

interface ChangesProps {
  readonly appId: string;
  readonly before: AppRules;
  readonly values: RuleValues;
  readonly onClose: () => void;
  readonly onApply: (values: RuleValues) => void;
}

function Changes({ appId, before, values, onClose, onApply }: ChangesProps) {
  const { data, error, isPlaceholderData } = useQuery(previewQuery(appId, values));
  const changes = data && !isPlaceholderData ? changedRules(before, data) : undefined;
  return (
    <Stack>
      <Text>{presetTexts[values.preset].sentence}</Text>
      <FailureNote message={error?.message} />
      {changes && (
        <>
          <Text fw={580}>
            {changes.length === 0
              ? t('No rule changes: the app says each of them itself.')
              : t('{count, plural, one {# rule changes} other {# rules change}}. What the app says itself stays.', {
                  count: changes.length,
                })}
          </Text>
          {changes.length > 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
            <ul className={dryRun.counts} aria-label={t('Rules that change')} tabIndex={0}>
              {changes.map(({ key, label, from, to }) => (
                <li key={key}>
                  <span>{label}</span>
                  <span>
                    {from} → <b>{to}</b>
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <Group justify="flex-end" gap="xs">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button variant="filled" disabled={!changes} onClick={() => onApply(values)}>
          {t('Use this preset')}
        </Button>
      </Group>
    </Stack>
  );
}

/** The cells of the matrix that differ, in its order. */
function changedRules(before: AppRules, after: AppRules) {
  return rowGroups(after).flatMap(({ rows }) =>
    rows.flatMap(({ group, name, label, described }) =>
      verbs.flatMap((verb) => {
        const from = before[group][name]?.rules[verb]?.rule;
        const to = described.rules[verb]?.rule;
        if (to === undefined || JSON.stringify(from) === JSON.stringify(to)) return [];
        const key = `${group} ${name} ${verb}`;
        return [{ key, label: `${label}: ${verbLabels[verb]}`, from: ruleLabel(from), to: ruleLabel(to) }];
      }),
    ),
  );
}
