import { ActionIcon, Button, NativeSelect, NumberInput, Select, TextInput } from '@mantine/core';
import type { Times } from '../../lib/time/times.ts';
import { instantOf, wallTime } from '../../lib/time/zoned-time.ts';
import { Icon } from '../page/icon.tsx';
import { DurationField } from './duration-field.tsx';
import classes from './rules.module.css';
import type { Rules } from './rules.ts';

/** The inputs of a rule that is set. */
export interface RuleInputProps {
  readonly value: Rules;
  readonly onChange: (value: Rules) => void;
  readonly times: Times;
  readonly problem: (name: string) => string | undefined;
}

const perOptions = [
  { value: 'trigger', label: 'this message was shown' },
  { value: 'app', label: 'any message of the app was shown' },
];

export function CoolDownRule({ value, onChange, problem }: RuleInputProps) {
  const { seconds = 900, per = 'trigger' } = value.coolDown ?? {};
  return (
    <div className={classes.line}>
      <DurationField
        label="At least"
        seconds={seconds}
        error={problem('coolDown')}
        onChange={(next) => onChange({ ...value, coolDown: { seconds: next, per } })}
      />
      <NativeSelect
        label="after"
        data={perOptions}
        value={per}
        onChange={({ currentTarget }) =>
          onChange({ ...value, coolDown: { seconds, per: currentTarget.value as 'trigger' | 'app' } })
        }
      />
    </div>
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
        <div key={index} className={classes.line}>
          <NumberInput
            label="At most"
            className={classes.short ?? ''}
            min={1}
            max={1000}
            hideControls
            value={cap.count}
            error={problem(`caps.${index}`) ?? (index === 0 ? problem('caps') : undefined)}
            onChange={(count) => typeof count === 'number' && set(index, { ...cap, count })}
          />
          <NativeSelect
            label="of"
            data={[
              { value: 'trigger', label: 'this message' },
              { value: 'app', label: 'all messages of the app' },
            ]}
            value={cap.per}
            onChange={({ currentTarget }) => set(index, { ...cap, per: currentTarget.value as Cap['per'] })}
          />
          <NativeSelect
            label="in"
            data={[
              { value: 'day', label: 'a calendar day' },
              { value: 'time', label: 'a time of' },
            ]}
            value={cap.window === 'day' ? 'day' : 'time'}
            onChange={({ currentTarget }) =>
              set(index, { ...cap, window: currentTarget.value === 'day' ? 'day' : 3_600 })
            }
          />
          {cap.window !== 'day' && (
            <DurationField label="Time" seconds={cap.window} onChange={(window) => set(index, { ...cap, window })} />
          )}
          {caps.length > 1 && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Remove this limit"
              onClick={() => set(index, undefined)}
            >
              <Icon name="close" />
            </ActionIcon>
          )}
        </div>
      ))}
      {caps.length < 10 && (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange({ ...value, caps: [...caps, { count: 3, per: 'app', window: 'day' }] })}
        >
          Add a limit
        </Button>
      )}
    </>
  );
}

export function DwellRule({ value, onChange, problem }: RuleInputProps) {
  return (
    <DurationField
      label="Stay of"
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
    <div className={classes.line}>
      <NativeSelect
        label="Shown"
        data={[
          { value: 'only', label: 'only at visit number' },
          { value: 'from', label: 'from visit number … on' },
          { value: 'every', label: 'at every n-th visit, n being' },
        ]}
        value={mode}
        onChange={({ currentTarget }) =>
          onChange({ ...value, nthVisit: { n, mode: currentTarget.value as NthVisit['mode'] } })
        }
      />
      <NumberInput
        label="Number"
        className={classes.short ?? ''}
        min={1}
        hideControls
        value={n}
        error={problem('nthVisit')}
        onChange={(next) => typeof next === 'number' && onChange({ ...value, nthVisit: { n: next, mode } })}
      />
    </div>
  );
}

export function QuietHoursRule({ value, onChange, problem }: RuleInputProps) {
  const { from = '22:00', until = '08:00' } = value.quietHours ?? {};
  return (
    <div className={classes.line}>
      <TextInput
        type="time"
        label="Quiet from"
        value={from}
        error={problem('quietHours')}
        onChange={({ currentTarget }) => onChange({ ...value, quietHours: { from: currentTarget.value, until } })}
      />
      <TextInput
        type="time"
        label="until"
        value={until}
        onChange={({ currentTarget }) => onChange({ ...value, quietHours: { from, until: currentTarget.value } })}
      />
    </div>
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
      <div className={classes.line}>
        {input('validFrom', 'From')}
        {input('validUntil', 'Until')}
      </div>
      <p className={classes.hint}>Times are in {times.zone}. Leave one empty for no limit on that side.</p>
    </>
  );
}

const timeZones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

export function ZoneRule({ value, onChange, problem }: RuleInputProps) {
  return (
    <Select
      aria-label="Time zone of the site"
      data={timeZones}
      searchable
      limit={60}
      allowDeselect={false}
      value={value.timeZone ?? null}
      error={problem('timeZone')}
      onChange={(timeZone) => timeZone && onChange({ ...value, timeZone })}
    />
  );
}
