import { Group, NativeSelect, NumberInput, Switch, TextInput } from '@mantine/core';
import type { Fields } from '../../components/form/use-fields.ts';
import { t } from '../../lib/words/words.ts';

export interface PlanValues {
  readonly isOn: boolean;
  readonly everyDays: string;
  readonly time: string;
  readonly timeZone: string;
  readonly kept: number | string;
  readonly drill: boolean;
}

const intervals = [
  { value: '1', label: t('Every day') },
  { value: '2', label: t('Every 2 days') },
  { value: '7', label: t('Every 7 days') },
  { value: '14', label: t('Every 14 days') },
  { value: '30', label: t('Every 30 days') },
];

/** What the form shows of a plan. */
export const planValues = ({ everyDays, ...rest }: Omit<PlanValues, 'everyDays'> & { readonly everyDays: number }) => ({
  ...rest,
  everyDays: String(everyDays),
});

/** The fields in words, for what somebody else has changed. */
export const planLabels = {
  isOn: t('Make backups by a schedule'),
  everyDays: t('How often'),
  time: t('At'),
  timeZone: t('Time zone'),
  kept: t('How many to keep'),
  drill: t('Restore each new one for trial'),
};

/** `Every 7 days`, from the value of the field. */
export const intervalText = (everyDays: string): string =>
  intervals.find(({ value }) => value === everyDays)?.label ?? t('Every {everyDays} days', { everyDays });

export const readPlan = ({ everyDays, kept, ...rest }: PlanValues) => ({
  ...rest,
  everyDays: Number(everyDays),
  kept: Number(kept),
});

export function PlanFields({ fields }: { readonly fields: Fields<PlanValues> }) {
  const { values } = fields;
  const known = intervals.some(({ value }) => value === values.everyDays);
  const own = { value: values.everyDays, label: intervalText(values.everyDays) };
  return (
    <>
      <Switch label={t('Make backups by a schedule')} {...fields.checked('isOn')} />
      <Group grow align="start">
        <NativeSelect
          label={t('How often')}
          data={known ? intervals : [own, ...intervals]}
          {...fields.text('everyDays')}
        />
        <TextInput label={t('At')} type="time" {...fields.text('time')} />
      </Group>
      <TextInput label={t('Time zone')} description={t('Such as Europe/Berlin')} {...fields.text('timeZone')} />
      <NumberInput
        label={t('How many to keep')}
        description={t('Older ones are deleted, also those made by hand.')}
        min={1}
        max={60}
        {...fields.number('kept')}
      />
      <Switch
        label={t('Restore each new one for trial')}
        description={t(
          'Into a folder that is removed afterwards. It takes some minutes of one processor at the lowest priority, and room for a second copy.',
        )}
        {...fields.checked('drill')}
      />
    </>
  );
}
