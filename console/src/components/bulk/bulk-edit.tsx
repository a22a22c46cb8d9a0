import { Button, Checkbox, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { differenceText } from '../../lib/text/json-compare.ts';
import { t } from '../../lib/words/words.ts';
import { useFocusBack } from '../dialogs/use-focus-back.ts';
import classes from './bulk.module.css';
import { type BulkChange, nameOfRecord, planOf, valueAt } from './bulk.ts';
import type { AnyBulkField } from './bulk-fields.tsx';

interface Props {
  readonly fields: readonly AnyBulkField[];
  /** `3 beacons`. */
  readonly what: string;
  /** The number with the noun: `3 beacons`. */
  readonly countText: (count: number) => string;
  readonly chosen: ReadonlyMap<string, object>;
  readonly isBusy: boolean;
  readonly failure: string | undefined;
  readonly onClose: () => void;
  readonly onChange: (wanted: BulkChange) => void;
}

/** Gives one field of the selected records the same value, after a preview. */
export function BulkEdit({ fields, what, countText, chosen, isBusy, failure, onClose, onChange }: Props) {
  useFocusBack();
  const [name, setName] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>({});
  const [isEmptied, setEmptied] = useState(false);
  const field = fields.find((one) => nameOfField(one) === name);
  const value = (name in values ? values[name] : field?.start) as never;
  const read = isEmptied && field ? { value: null } : field?.read(value);
  const problem = read && 'problem' in read ? read.problem : undefined;
  const plan = field && read && 'value' in read ? planOf(field, read.value, chosen) : undefined;
  function choose(next: string) {
    setName(next);
    setEmptied(false);
  }
  return (
    <Modal opened onClose={onClose} title={t('Edit {what}', { what })} size="lg">
      <Stack>
        <NativeSelect
          label={t('Field')}
          data-autofocus
          data={[
            { value: '', label: t('Choose …') },
            ...fields.map((one) => ({ value: nameOfField(one), label: one.label })),
          ]}
          value={name}
          onChange={(event) => choose(event.target.value)}
        />
        {field && !isEmptied && (
          <Stack key={name} gap="md">
            {field.control({
              label: field.label,
              value,
              onChange: (next) => setValues({ ...values, [name]: next }),
              error: problem,
            })}
          </Stack>
        )}
        {field?.isOptional && (
          <Checkbox
            label={t('Leave it empty in all of them')}
            checked={isEmptied}
            onChange={(event) => setEmptied(event.target.checked)}
          />
        )}
        <div aria-live="polite">{plan && field && <Preview {...{ plan, field, countText }} />}</div>
        {failure && (
          <Text size="md" c="var(--mantine-color-error)" role="alert">
            {failure}
          </Text>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="filled"
            disabled={!plan || plan.ids.length === 0}
            loading={isBusy}
            onClick={() => plan && onChange({ change: plan.change, ids: plan.ids, isWhole: field?.isWhole ?? false })}
          >
            {plan && plan.ids.length > 0
              ? t('Change {what}', { what: countText(plan.ids.length) })
              : t('Change {what}', { what })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const nameOfField = ({ path }: AnyBulkField) => path.join('\u0000');

/** How many of the records the preview shows. */
const maxShown = 8;

interface PreviewProps {
  readonly plan: ReturnType<typeof planOf>;
  readonly field: AnyBulkField;
  readonly countText: Props['countText'];
}

/** What each of the records has, and what it will have. */
function Preview({ plan: { change, differing, same }, field, countText }: PreviewProps) {
  const isNothing = (value: unknown) => value === undefined || value === null;
  const text = (value: unknown): ReactNode =>
    isNothing(value) ? t('nothing') : (field.textOf?.(value) ?? differenceText(value));
  const former = (value: unknown) => (isNothing(value) ? text(value) : <s>{text(value)}</s>);
  return (
    <Stack gap="xs">
      <Text fw={580}>
        {t(
          '{what} will change, {same, plural, =0 {none has this value already} one {# has this value already} other {# have this value already}}.',
          { what: countText(differing.length), same },
        )}
      </Text>
      {differing.length > 0 && (
        <ul className={classes.changes}>
          {differing.slice(0, maxShown).map(([id, record]) => (
            <li key={id}>
              <b>{nameOfRecord(record)}</b>
              <span>
                {former(valueAt(record, field.path))} → <span>{text(valueAt(change, field.path))}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {differing.length > maxShown && (
        <Text c="dimmed">
          {t('And {count, plural, one {# more} other {# more}}.', { count: differing.length - maxShown })}
        </Text>
      )}
    </Stack>
  );
}
