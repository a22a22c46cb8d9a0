import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { PharosError } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { JsonEditor } from '../../components/code/json-editor.tsx';
import type { AppRules } from '../../lib/wire.ts';
import classes from './dialogs.module.css';
import { previewQuery } from './queries.ts';
import { type RuleValues, type Verb, withPart } from './rule-values.ts';
import { type Row, ruleLabel, verbLabels, wordLabels } from './words.ts';

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
  const inherited = row.group === 'buckets' && row.name !== '*' ? 'As for all other buckets' : 'As the preset says';
  return (
    <Stack>
      <Radio.Group label="Who may do it?" value={choice} onChange={setChoice}>
        <Stack gap="sm" mt="xs">
          <Radio
            value={inherit}
            label={`${inherited}: ${ruleLabel(rule.inherited)}`}
            description={typeof rule.inherited === 'string' ? rule.sentences[rule.inherited] : undefined}
            disabled={isLocked}
          />
          {rule.words.toReversed().map((word) => (
            <Radio
              key={word}
              value={word}
              label={wordLabels[word]}
              description={rule.sentences[word]}
              disabled={isLocked}
            />
          ))}
          {rule.takesWhere && (
            <Radio
              value={condition}
              label="Condition …"
              description="A filter on the record, in which $auth stands for whoever asks."
              disabled={isLocked}
            />
          )}
        </Stack>
      </Radio.Group>
      {choice === condition && (
        <>
          <JsonEditor
            label="Condition"
            description={`As in the where of a list. Known of the caller: ${variables.join(', ')}.`}
            value={text}
            onChange={setText}
            error={problem ?? failure}
            isReadOnly={isLocked}
          />
          <p className={classes.sentence} role="status" data-testid="meaning">
            {isChecked && found ? found.sentence : 'What it means is said here as soon as it is complete.'}
          </p>
        </>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {isLocked ? 'Close' : 'Cancel'}
        </Button>
        {!isLocked && (
          <Button disabled={!isReady} onClick={apply}>
            Apply
          </Button>
        )}
      </Group>
      {!isLocked && (
        <Text size="xs" c="dimmed" ta="right">
          It counts as soon as the rules are saved.
        </Text>
      )}
    </Stack>
  );
}

/** A condition to begin with, which is true to the kind of record. */
function conditionText({ group, described }: Row, rule: unknown): string {
  const start =
    typeof rule === 'object'
      ? rule
      : group === 'buckets'
        ? { $or: [{ [described.owner]: '$auth.userId' }, { 'metadata.sharedWith': '$auth.userId' }] }
        : 'listen' in described.rules || !('create' in described.rules)
          ? { installationId: '$auth.installationId' }
          : { [described.owner]: '$auth.userId' };
  return JSON.stringify(start, null, 2);
}

function readWhere(text: string): { readonly where?: object; readonly problem?: string } {
  try {
    const where: unknown = JSON.parse(text);
    if (typeof where === 'object' && where !== null && !Array.isArray(where)) return { where };
    return { problem: 'It has to be a JSON object.' };
  } catch {
    return { problem: 'This is not valid JSON yet.' };
  }
}

/** What is wrong with one rule; other rules are not this dialog's matter. */
function problemOf(error: Error, field: string): string {
  const details = error instanceof PharosError ? error.details : [];
  const own = details.filter((one) => one.field === field || one.field.startsWith(`${field}.`));
  if (own.length === 0) return error.message;
  return own.map((one) => `${one.field.slice(field.length + 1)} ${one.problem}.`.trim()).join(' ');
}
