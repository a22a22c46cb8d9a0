import { ActionIcon, Button, NativeSelect, NumberInput, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Times } from '../../lib/time/times.ts';
import { instantOf, wallTime } from '../../lib/time/zoned-time.ts';
import { Icon } from '../page/icon.tsx';
import { DurationField } from './duration-field.tsx';
import classes from './rules.module.css';
import type { RuleName, Rules } from './rules.ts';

interface FieldsProps {
  readonly value: Rules;
  readonly onChange: (value: Rules) => void;
  readonly times: Times;
  readonly problem: (name: string) => string | undefined;
}

/** One rule of the form, as data. */
export interface RuleRow {
  readonly names: readonly [RuleName, ...RuleName[]];
  readonly label: string;
  readonly about: string;
  /** How it reads when it is off. */
  readonly none: string;
  /** What it begins with when it is switched on. */
  readonly start: Rules;
  /** Not among the app's own rules. */
  readonly isForMessages?: true;
  readonly Fields: (props: FieldsProps) => ReactNode;
}

const perOptions = [
  { value: 'trigger', label: 'this message was shown' },
  { value: 'app', label: 'any message of the app was shown' },
];

function CoolDown({ value, onChange, problem }: FieldsProps) {
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

function Caps({ value, onChange, problem }: FieldsProps) {
  const caps = value.caps ?? [];
  const set = (index: number, cap: Cap | undefined) =>
    onChange({ ...value, caps: caps.flatMap((one, at) => (at === index ? (cap ?? []) : [one])) });
  return (
    <>
      {caps.map((cap, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a limit has nothing else to be told by
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

function Dwell({ value, onChange, problem }: FieldsProps) {
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

function Nth({ value, onChange, problem }: FieldsProps) {
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

function QuietHours({ value, onChange, problem }: FieldsProps) {
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

function Period({ value, onChange, times, problem }: FieldsProps) {
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

function Zone({ value, onChange, problem }: FieldsProps) {
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

const soon = () => new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000).toISOString();

/** In the order in which people think of them. */
export const ruleRows: readonly RuleRow[] = [
  {
    names: ['oncePer'],
    label: 'Within one visit',
    about: 'A visit lasts from entering to leaving.',
    none: 'once a visit',
    start: { oncePer: 'event' },
    Fields: ({ value, onChange }) => (
      <NativeSelect
        aria-label="Within one visit, shown"
        data={[
          { value: 'event', label: 'shown each time that it happens' },
          { value: 'visit', label: 'shown once a visit' },
        ]}
        value={value.oncePer ?? 'event'}
        onChange={({ currentTarget }) => onChange({ ...value, oncePer: currentTarget.value as 'visit' | 'event' })}
      />
    ),
  },
  {
    names: ['coolDown'],
    label: 'Pause',
    about: 'How long a visitor is left alone after a message.',
    none: 'no pause',
    start: { coolDown: { seconds: 900, per: 'trigger' } },
    Fields: CoolDown,
  },
  {
    names: ['caps'],
    label: 'Upper limit',
    about: 'How many messages one visitor gets at most.',
    none: 'no limit',
    start: { caps: [{ count: 3, per: 'app', window: 'day' }] },
    Fields: Caps,
  },
  {
    names: ['dwellSeconds'],
    label: 'Only after a stay',
    about: 'Who only walks past is not bothered.',
    none: 'at once',
    start: { dwellSeconds: 60 },
    Fields: Dwell,
  },
  {
    names: ['nthVisit'],
    label: 'Only at some visits',
    about: 'Counted for each visitor at the beacon where it happens.',
    none: 'at all visits',
    start: { nthVisit: { n: 2, mode: 'only' } },
    Fields: Nth,
  },
  {
    names: ['quietHours'],
    label: 'Quiet hours',
    about: 'Nothing is shown then. They may span midnight.',
    none: 'no quiet hours',
    start: { quietHours: { from: '22:00', until: '08:00' } },
    Fields: QuietHours,
  },
  {
    names: ['validFrom', 'validUntil'],
    label: 'Only in a period',
    about: 'Such as an exhibition, from its first day to its last.',
    none: 'at any time',
    get start() {
      return { validFrom: soon(), validUntil: null };
    },
    Fields: Period,
  },
  {
    names: ['timeZone'],
    label: 'Time zone of the site',
    about: 'For days and hours, where the site is not in the zone of the app.',
    none: 'that of the beacon or the app',
    start: { timeZone: 'UTC' },
    isForMessages: true,
    Fields: Zone,
  },
];
