import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import {
  CapsRule,
  CoolDownRule,
  DwellRule,
  NthRule,
  PeriodRule,
  QuietHoursRule,
  type RuleInputProps,
  VenueHoursRule,
  ZoneRule,
} from './rule-inputs.tsx';
import type { RuleName, Rules } from './rules.ts';

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

export const ruleRows: readonly RuleRow[] = [
  {
    names: ['oncePer'],
    label: t('Within one visit'),
    about: t('A visit lasts from entering to leaving.'),
    none: t('once per visit'),
    start: { oncePer: 'event' },
    Fields: ({ value, onChange }) => (
      <NativeSelect
        aria-label={t('Within one visit, shown')}
        data={[
          { value: 'event', label: t('shown every time') },
          { value: 'visit', label: t('shown once per visit') },
        ]}
        value={value.oncePer ?? 'event'}
        onChange={({ currentTarget }) => onChange({ ...value, oncePer: currentTarget.value as 'visit' | 'event' })}
      />
    ),
  },
  {
    names: ['coolDown'],
    label: t('Pause'),
    about: t('How long a visitor sees no further message.'),
    none: t('no pause'),
    start: { coolDown: { seconds: 900, per: 'trigger' } },
    Fields: CoolDownRule,
  },
  {
    names: ['caps'],
    label: t('Upper limit'),
    about: t('How many messages one visitor sees at most.'),
    none: t('no limit'),
    start: { caps: [{ count: 3, per: 'app', window: 'day' }] },
    Fields: CapsRule,
  },
  {
    names: ['dwellSeconds'],
    label: t('Minimum stay'),
    about: t('Visitors who only walk past see nothing.'),
    none: t('immediately'),
    start: { dwellSeconds: 60 },
    Fields: DwellRule,
  },
  {
    names: ['nthVisit'],
    label: t('Only on certain visits'),
    about: t('Counted per visitor and beacon.'),
    none: t('on all visits'),
    start: { nthVisit: { n: 2, mode: 'only' } },
    Fields: NthRule,
  },
  {
    names: ['quietHours'],
    label: t('Quiet hours'),
    about: t('No message is shown during this time. It may span midnight.'),
    none: t('no quiet hours'),
    start: { quietHours: { from: '22:00', until: '08:00' } },
    Fields: QuietHoursRule,
  },
  {
    names: ['venueHours'],
    label: t('Opening hours of the venue'),
    about: t('As they are set for the venue of the beacon, with its holidays. Without them it makes no difference.'),
    none: t('at any hour'),
    start: { venueHours: { during: 'open' } },
    Fields: VenueHoursRule,
  },
  {
    names: ['validFrom', 'validUntil'],
    label: t('Only in a period'),
    about: t('For example, for the duration of an exhibition.'),
    none: t('at any time'),
    get start() {
      return { validFrom: soon(), validUntil: null };
    },
    Fields: PeriodRule,
  },
  {
    names: ['timeZone'],
    label: t('Time zone of the site'),
    about: t('For days and hours, if the site is not in the time zone of the app.'),
    none: t('that of the beacon, its venue or the app'),
    start: { timeZone: 'UTC' },
    isForMessages: true,
    Fields: ZoneRule,
  },
];
