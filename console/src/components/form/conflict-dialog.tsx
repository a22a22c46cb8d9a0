import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { differenceText } from '../../lib/text/json-compare.ts';
import { t } from '../../lib/words/words.ts';
import classes from './conflict-dialog.module.css';
import type { Choice, Difference } from './differences.ts';
import type { Conflict, RecordForm } from './use-record-form.ts';

interface Props {
  readonly conflict: Conflict | undefined;
  readonly labels: RecordForm<object>['labels'];
  readonly show?: RecordForm<object>['show'];
}

/** Shows what somebody else has saved while a form was open, field by field, and asks which to keep. */
export function ConflictDialog({ conflict, labels, show }: Props) {
  return (
    <Modal
      opened={conflict !== undefined}
      onClose={() => conflict?.close()}
      title={t('Somebody else has saved this meanwhile')}
      size="lg"
      closeOnClickOutside={false}
    >
      {conflict && <Choices conflict={conflict} labels={labels} show={show} />}
    </Modal>
  );
}

function Choices({ conflict, labels, show = {} }: Props & { readonly conflict: Conflict }) {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>(() =>
    Object.fromEntries(conflict.differences.flatMap(({ name, isConflict }) => (isConflict ? [] : [[name, 'theirs']]))),
  );
  const isOpen = conflict.differences.some(({ name }) => !choices[name]);
  const labelOf = (name: string) => (typeof labels === 'function' ? labels(name) : labels[name]) ?? name;
  const text = (name: string, value: unknown): ReactNode => show[name]?.(value as never) ?? valueText(value);
  return (
    <Stack>
      <Text>
        {t(
          'Nothing is saved yet. Choose for each field what to keep. Fields that are not listed are saved as you see them in the form.',
        )}
      </Text>
      <Stack component="ul" gap="1.1rem">
        {conflict.differences.map((one) => (
          <li key={one.name}>
            <Field
              difference={one}
              label={labelOf(one.name)}
              text={(value) => text(one.name, value)}
              choice={choices[one.name]}
              onChoose={(choice) => setChoices({ ...choices, [one.name]: choice })}
            />
          </li>
        ))}
      </Stack>
      <Group justify="flex-end">
        <Button onClick={conflict.close}>{t('Go on editing')}</Button>
        <Button variant="filled" disabled={isOpen} onClick={() => conflict.keep(choices)}>
          {t('Save what is chosen')}
        </Button>
      </Group>
    </Stack>
  );
}

interface FieldProps {
  readonly difference: Difference;
  readonly label: string;
  readonly text: (value: unknown) => ReactNode;
  readonly choice: Choice | undefined;
  readonly onChoose: (choice: Choice) => void;
}

function Field({ difference: { mine, theirs, isConflict }, label, text, choice, onChoose }: FieldProps) {
  return (
    <Radio.Group
      label={label}
      description={isConflict ? t('You both have changed it.') : t('You have not changed it.')}
      value={choice ?? null}
      onChange={(value) => onChoose(value as Choice)}
    >
      <div className={classes.sides}>
        <Radio.Card value="mine" className={classes.side}>
          <Radio.Indicator />
          <span>
            <b>{isConflict ? t('Yours') : t('As it was')}</b>
            <span className={classes.value}>{text(mine)}</span>
          </span>
        </Radio.Card>
        <Radio.Card value="theirs" className={classes.side}>
          <Radio.Indicator />
          <span>
            <b>{t('Theirs')}</b>
            <span className={classes.value}>{text(theirs)}</span>
          </span>
        </Radio.Card>
      </div>
    </Radio.Group>
  );
}

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? t('On') : t('Off');
  if (value === '' || (typeof value === 'object' && value && Object.keys(value).length === 0)) return t('nothing');
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return differenceText(value);
}
