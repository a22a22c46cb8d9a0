import { ActionIcon, Box, Button, Checkbox, Group, NativeSelect, NumberInput, Select, TextInput } from '@mantine/core';
import type { Times } from '../../lib/time/times.ts';
import { instantOf, wallTime } from '../../lib/time/zoned-time.ts';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import { DurationField } from './duration-field.tsx';
import classes from './rules.module.css';
import type { Rules } from './rules.ts';

export interface RuleInputProps {
  readonly value: Rules;
  readonly onChange: (value: Rules) => void;
  readonly times: Times;
  readonly problem: (name: string) => string | undefined;
}

const perOptions = [
  { value: 'trigger', label: t('this message was shown') },
  { value: 'app', label: t('any message of the app was shown') },
];

export function CoolDownRule({ value, onChange, problem }: RuleInputProps) {
  const { seconds = 900, per = 'trigger' } = value.coolDown ?? {};
  return (
    <Group gap="0.6rem" align="flex-end">
      <DurationField
        label={t('At least')}
        seconds={seconds}
        error={problem('coolDown')}
        onChange={(next) => onChange({ ...value, coolDown: { seconds: next, per } })}
      />
      <NativeSelect
        label={t('after')}
        data={perOptions}
        value={per}
        onChange={({ currentTarget }) =>
          onChange({ ...value, coolDown: { seconds, per: currentTarget.value as 'trigger' | 'app' } })
        }
      />
    </Group>
  );
}

type Cap = NonNullable<Rules['caps']>[number];

export function CapsRule({ value, onChange, problem }: RuleInputProps) {
  const caps = value.caps ?? [];
  const set = (index: number, cap: Cap | undefined) =>
    onChange({ ...value, caps: caps.flatMap((one, at) => (at === index ? (cap ?? []) : [one])) });
  return (
    <>
      {caps.map((cap, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a limit has no other identity
        <Group key={index} gap="0.6rem" align="flex-end">
          <NumberInput
            label={t('At most')}
            className={classes.short ?? ''}
            min={1}
            max={1000}
            hideControls
            value={cap.count}
            error={problem(`caps.${index}`) ?? (index === 0 ? problem('caps') : undefined)}
            onChange={(count) => typeof count === 'number' && set(index, { ...cap, count })}
          />
          <NativeSelect
            label={t('of')}
            data={[
              { value: 'trigger', label: t('this message') },
              { value: 'app', label: t('all messages of the app') },
            ]}
            value={cap.per}
            onChange={({ currentTarget }) => set(index, { ...cap, per: currentTarget.value as Cap['per'] })}
          />
          <NativeSelect
            label={t('in')}
            data={[
              { value: 'day', label: t('a calendar day') },
              { value: 'time', label: t('a time of') },
            ]}
            value={cap.window === 'day' ? 'day' : 'time'}
            onChange={({ currentTarget }) =>
              set(index, { ...cap, window: currentTarget.value === 'day' ? 'day' : 3_600 })
            }
          />
          {cap.window !== 'day' && (
            <DurationField
              label={t('Time')}
              seconds={cap.window}
              onChange={(window) => set(index, { ...cap, window })}
            />
          )}
          {caps.length > 1 && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t('Remove this limit')}
              onClick={() => set(index, undefined)}
            >
              <Icon name="close" />
            </ActionIcon>
          )}
        </Group>
      ))}
      {caps.length < 10 && (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange({ ...value, caps: [...caps, { count: 3, per: 'app', window: 'day' }] })}
        >
          {t('Add a limit')}
        </Button>
      )}
    </>
  );
}

export function DwellRule({ value, onChange, problem }: RuleInputProps) {
  return (
    <DurationField
      label={t('Stay of')}
      seconds={value.dwellSeconds ?? 0}
      error={problem('dwellSeconds')}
      onChange={(dwellSeconds) => onChange({ ...value, dwellSeconds })}
    />
  );
}

type NthVisit = NonNullable<Rules['nthVisit']>;

export function NthRule({ value, onChange, problem }: RuleInputProps) {
  const { n = 2, mode = 'only' } = value.nthVisit ?? {};
  return (
    <Group gap="0.6rem" align="flex-end">
      <NativeSelect
        label={t('Shown')}
        data={[
          { value: 'only', label: t('only at visit number') },
          { value: 'from', label: t('from visit number … on') },
          { value: 'every', label: t('at every n-th visit, n being') },
        ]}
        value={mode}
        onChange={({ currentTarget }) =>
          onChange({ ...value, nthVisit: { n, mode: currentTarget.value as NthVisit['mode'] } })
        }
      />
      <NumberInput
        label={t('Number')}
        className={classes.short ?? ''}
        min={1}
        hideControls
        value={n}
        error={problem('nthVisit')}
        onChange={(next) => typeof next === 'number' && onChange({ ...value, nthVisit: { n: next, mode } })}
      />
    </Group>
  );
}

export function QuietHoursRule({ value, onChange, problem }: RuleInputProps) {
  const { from = '22:00', until = '08:00' } = value.quietHours ?? {};
  return (
    <Group gap="0.6rem" align="flex-end">
      <TextInput
        type="time"
        label={t('Quiet from')}
        value={from}
        error={problem('quietHours')}
        onChange={({ currentTarget }) => onChange({ ...value, quietHours: { from: currentTarget.value, until } })}
      />
      <TextInput
        type="time"
        label={t('until')}
        value={until}
        onChange={({ currentTarget }) => onChange({ ...value, quietHours: { from, until: currentTarget.value } })}
      />
    </Group>
  );
}

type VenueHours = NonNullable<Rules['venueHours']>;

export function VenueHoursRule({ value, onChange, problem }: RuleInputProps) {
  const { during = 'open', alreadyInside = false } = value.venueHours ?? {};
  return (
    <>
      <NativeSelect
        aria-label={t('Opening hours of the venue, shown')}
        data={[
          { value: 'open', label: t('only while it is open') },
          { value: 'openDays', label: t('on days on which it opens') },
        ]}
        value={during}
        error={problem('venueHours')}
        onChange={({ currentTarget }) =>
          onChange({
            ...value,
            venueHours: { ...value.venueHours, during: currentTarget.value as VenueHours['during'] },
          })
        }
      />
      <Checkbox
        mt="xs"
        label={t('Visitors who are inside when it opens get it then')}
        checked={alreadyInside}
        onChange={({ currentTarget }) =>
          onChange({ ...value, venueHours: { during, ...(currentTarget.checked ? { alreadyInside: true } : {}) } })
        }
      />
    </>
  );
}

export function PeriodRule({ value, onChange, times, problem }: RuleInputProps) {
  const input = (name: 'validFrom' | 'validUntil', label: string) => {
    const at = Date.parse(value[name] ?? '');
    return (
      <TextInput
        type="datetime-local"
        label={label}
        value={Number.isNaN(at) ? '' : wallTime(at, times.zone)}
        error={problem(name)}
        onChange={({ currentTarget: { value: wall } }) =>
          onChange({ ...value, [name]: wall === '' ? null : new Date(instantOf(wall, times.zone)).toISOString() })
        }
      />
    );
  };
  return (
    <>
      <Group gap="0.6rem" align="flex-end">
        {input('validFrom', t('From'))}
        {input('validUntil', t('Until'))}
      </Group>
      <Box component="p" m={0} fz="0.86rem" c="dimmed">
        {t('Times are in {zone}. Leave one empty for no limit on that side.', { zone: times.zone })}
      </Box>
    </>
  );
}

const timeZones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

export function ZoneRule({ value, onChange, problem }: RuleInputProps) {
  return (
    <Select
      aria-label={t('Time zone of the site')}
      data={timeZones}
      searchable
      allowDeselect={false}
      value={value.timeZone ?? null}
      error={problem('timeZone')}
      onChange={(timeZone) => timeZone && onChange({ ...value, timeZone })}
    />
  );
}
