import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import {
  CapsRule,
  CoolDownRule,
  DwellRule,
  NthRule,
  PeriodRule,
  QuietHoursRule,
  type RuleInputProps,
  ZoneRule,
} from './rule-inputs.tsx';
import type { RuleName, Rules } from './rules.ts';

/** One rule of the form, as data. */
export interface RuleRow {
  readonly names: readonly [RuleName, ...RuleName[]];
  readonly label: string;
  readonly about: string;
  /** How the rule reads when it is off. */
  readonly none: string;
  /** Initial values when the rule is switched on. */
  readonly start: Rules;
  /** Not among the app's own rules. */
  readonly isForMessages?: true;
  readonly Fields: (props: RuleInputProps) => ReactNode;
}

const soon = () => new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000).toISOString();

/** The rules, in the order of the form. */
export const ruleRows: readonly RuleRow[] = [
  {
    names: ['oncePer'],
    label: 'Within one visit',
    about: 'A visit lasts from entering to leaving.',
    none: 'once per visit',
    start: { oncePer: 'event' },
    Fields: ({ value, onChange }) => (
      <NativeSelect
        aria-label="Within one visit, shown"
        data={[
          { value: 'event', label: 'shown every time' },
          { value: 'visit', label: 'shown once per visit' },
        ]}
        value={value.oncePer ?? 'event'}
        onChange={({ currentTarget }) => onChange({ ...value, oncePer: currentTarget.value as 'visit' | 'event' })}
      />
    ),
  },
  {
    names: ['coolDown'],
    label: 'Pause',
    about: 'How long a visitor sees no further message.',
    none: 'no pause',
    start: { coolDown: { seconds: 900, per: 'trigger' } },
    Fields: CoolDownRule,
  },
  {
    names: ['caps'],
    label: 'Upper limit',
    about: 'How many messages one visitor sees at most.',
    none: 'no limit',
    start: { caps: [{ count: 3, per: 'app', window: 'day' }] },
    Fields: CapsRule,
  },
  {
    names: ['dwellSeconds'],
    label: 'Minimum stay',
    about: 'Visitors who only walk past see nothing.',
    none: 'immediately',
    start: { dwellSeconds: 60 },
    Fields: DwellRule,
  },
  {
    names: ['nthVisit'],
    label: 'Only on certain visits',
    about: 'Counted per visitor and beacon.',
    none: 'on all visits',
    start: { nthVisit: { n: 2, mode: 'only' } },
    Fields: NthRule,
  },
  {
    names: ['quietHours'],
    label: 'Quiet hours',
    about: 'No message is shown during this time. It may span midnight.',
    none: 'no quiet hours',
    start: { quietHours: { from: '22:00', until: '08:00' } },
    Fields: QuietHoursRule,
  },
  {
    names: ['validFrom', 'validUntil'],
    label: 'Only in a period',
    about: 'For example, for the duration of an exhibition.',
    none: 'at any time',
    get start() {
      return { validFrom: soon(), validUntil: null };
    },
    Fields: PeriodRule,
  },
  {
    names: ['timeZone'],
    label: 'Time zone of the site',
    about: 'For days and hours, if the site is not in the time zone of the app.',
    none: 'that of the beacon or the app',
    start: { timeZone: 'UTC' },
    isForMessages: true,
    Fields: ZoneRule,
  },
];
