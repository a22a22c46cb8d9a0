import { Button, Checkbox, Group, NativeSelect, NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import type { Fields } from '../../../components/form/use-fields.ts';
import { dayLabels, runsOn, shortDays, week } from '../../../components/rules/days.ts';
import { DurationField } from '../../../components/rules/duration-field.tsx';
import { RuleFields } from '../../../components/rules/rule-fields.tsx';
import { eventOptions, type RuleName, type Rules, withoutRule } from '../../../components/rules/rules.ts';
import type { Times } from '../../../lib/time/times.ts';
import { addDays, instantOf, wallTime } from '../../../lib/time/zoned-time.ts';
import { t } from '../../../lib/words/words.ts';
import type { MessageFields } from '../message.ts';
import { hoursText, oftenText, otherRules } from './parts.ts';
import classes from './sentence.module.css';

export interface EditorProps {
  readonly form: Fields<MessageFields>;
  readonly app: Rules;
  readonly times: Times;
}

/** Sets rules of the message; undefined: as the app, null: not, although the app does. */
function useRules({ form, app }: EditorProps) {
  const { delivery } = form.values;
  return {
    own: delivery,
    rule: <Name extends RuleName>(name: Name): Rules[Name] => (name in delivery ? delivery[name] : app[name]),
    set(changes: Partial<Record<RuleName, unknown>>) {
      let next: Rules = form.current().delivery;
      for (const [name, value] of Object.entries(changes) as [RuleName, unknown][]) {
        // What the app does not set need not be switched off.
        const isLeftOut = value === undefined || (value === null && (app[name] ?? null) === null);
        next = isLeftOut ? withoutRule(next, name) : { ...next, [name]: value };
      }
      form.set('delivery', next);
    },
  };
}

export function EventEditor(props: EditorProps) {
  const { form } = props;
  const { rule, set } = useRules(props);
  const stay = rule('dwellSeconds') ?? 0;
  return (
    <>
      <Radio.Group
        label={t('A visitor')}
        value={form.values.event}
        onChange={(event) => form.set('event', event as MessageFields['event'])}
      >
        <Stack gap={6} mt={6}>
          {eventOptions.map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox
        label={t('Only after a stay')}
        description={t('Visitors who only walk past see nothing.')}
        checked={stay > 0}
        onChange={({ currentTarget }) => set({ dwellSeconds: currentTarget.checked ? 60 : null })}
      />
      {stay > 0 && (
        <DurationField
          label={t('Stay of')}
          seconds={stay}
          error={form.problem('delivery.dwellSeconds')}
          onChange={(dwellSeconds) => set({ dwellSeconds })}
        />
      )}
    </>
  );
}

type Often = 'app' | 'visit' | 'event' | 'nth';

export function OftenEditor(props: EditorProps) {
  const { form, app } = props;
  const { own, rule, set } = useRules(props);
  const nth = rule('nthVisit');
  const mode: Often =
    own.oncePer === undefined && own.nthVisit === undefined
      ? 'app'
      : nth
        ? 'nth'
        : rule('oncePer') === 'event'
          ? 'event'
          : 'visit';
  const choose = (next: Often) =>
    set({
      oncePer: next === 'app' ? undefined : next === 'event' ? 'event' : 'visit',
      nthVisit: next === 'app' ? undefined : next === 'nth' ? (nth ?? { n: 1, mode: 'only' }) : null,
    });
  const setNth = (change: object) => set({ nthVisit: { n: 1, mode: 'only', ...nth, ...change } });
  return (
    <>
      <Radio.Group label={t('How often')} value={mode} onChange={(next) => choose(next as Often)}>
        <Stack gap={6} mt={6}>
          <Radio value="app" label={t('As set for the app: {said}', { said: oftenText(app) })} />
          <Radio value="visit" label={t('Once a visit')} description={t('A visit lasts from entering to leaving.')} />
          <Radio value="event" label={t('Every time')} />
          <Radio value="nth" label={t('Only on certain visits')} description={t('Counted per visitor and beacon.')} />
        </Stack>
      </Radio.Group>
      {mode === 'nth' && (
        <div className={classes.pair}>
          <NativeSelect
            label={t('Shown')}
            data={[
              { value: 'only', label: t('only at visit number') },
              { value: 'from', label: t('from visit number … on') },
              { value: 'every', label: t('at every n-th visit, n being') },
            ]}
            value={nth?.mode ?? 'only'}
            onChange={({ currentTarget }) => setNth({ mode: currentTarget.value })}
          />
          <NumberInput
            label={t('Number')}
            min={1}
            hideControls
            value={nth?.n ?? 1}
            error={form.problem('delivery.nthVisit')}
            onChange={(n) => typeof n === 'number' && setNth({ n })}
          />
        </div>
      )}
    </>
  );
}

const shortcuts = [
  { label: t('Every day'), days: week },
  { label: t('Mon–Fri'), days: week.slice(0, 5) },
  { label: t('Weekend'), days: week.slice(5) },
] as const;

export function DaysEditor({ form }: EditorProps) {
  const { showOn } = form.values;
  const set = (isChosen: (day: (typeof week)[number]) => boolean) =>
    form.set(
      'showOn',
      week.map((dayName) => ({ dayName, checked: isChosen(dayName) })),
    );
  return (
    <>
      <fieldset className={classes.week} aria-label={t('Days')}>
        {week.map((day) => (
          <label key={day} className={classes.day}>
            <input
              type="checkbox"
              checked={runsOn(showOn, day)}
              aria-label={dayLabels[day]}
              onChange={({ currentTarget: { checked } }) => set((one) => (one === day ? checked : runsOn(showOn, one)))}
            />
            <span aria-hidden>{shortDays[day]}</span>
          </label>
        ))}
      </fieldset>
      <Group gap="xs">
        {shortcuts.map(({ label, days }) => (
          <Button key={label} size="compact-sm" onClick={() => set((day) => (days as readonly string[]).includes(day))}>
            {label}
          </Button>
        ))}
      </Group>
      <Text c="dimmed">{t('By the calendar at the site.')}</Text>
    </>
  );
}

type Hours = 'app' | 'any' | 'clock' | 'open' | 'openDays';

export function HoursEditor(props: EditorProps) {
  const { form, app } = props;
  const { own, rule, set } = useRules(props);
  const [quiet, venue] = [rule('quietHours'), rule('venueHours')];
  const mode: Hours =
    own.quietHours === undefined && own.venueHours === undefined ? 'app' : (venue?.during ?? (quiet ? 'clock' : 'any'));
  const choose = (next: Hours) =>
    set({
      quietHours: next === 'clock' ? (quiet ?? { from: '17:00', until: '10:00' }) : next === 'any' ? null : undefined,
      venueHours: next === 'app' ? undefined : next === 'open' || next === 'openDays' ? { during: next } : null,
    });
  const setClock = (change: object) => set({ quietHours: { from: '17:00', until: '10:00', ...quiet, ...change } });
  return (
    <>
      <Radio.Group label={t('Hours')} value={mode} onChange={(next) => choose(next as Hours)}>
        <Stack gap={6} mt={6}>
          <Radio value="app" label={t('As set for the app: {said}', { said: hoursText(app) })} />
          <Radio value="any" label={t('At any hour')} />
          <Radio value="clock" label={t('Between two times of the day')} />
          <Radio value="open" label={t('While the venue is open')} />
          <Radio value="openDays" label={t('On days on which the venue opens')} />
        </Stack>
      </Radio.Group>
      {mode === 'clock' && (
        <div className={classes.pair}>
          <TextInput
            type="time"
            label={t('From')}
            value={quiet?.until ?? ''}
            error={form.problemWithin('delivery.quietHours')}
            onChange={({ currentTarget }) => setClock({ until: currentTarget.value })}
          />
          <TextInput
            type="time"
            label={t('Until')}
            value={quiet?.from ?? ''}
            onChange={({ currentTarget }) => setClock({ from: currentTarget.value })}
          />
        </div>
      )}
      {venue && mode !== 'app' && (
        <Checkbox
          label={t('Visitors who are inside when it opens get it then')}
          checked={venue.alreadyInside ?? false}
          onChange={({ currentTarget }) =>
            set({ venueHours: { during: venue.during, ...(currentTarget.checked ? { alreadyInside: true } : {}) } })
          }
        />
      )}
    </>
  );
}

export function PeriodEditor(props: EditorProps) {
  const { form, times } = props;
  const { rule, set } = useRules(props);
  const { zone } = times;
  const input = (name: 'validFrom' | 'validUntil', label: string) => {
    const at = Date.parse(rule(name) ?? '');
    const wall = Number.isNaN(at) ? '' : wallTime(at, zone);
    // What an app has set to the minute stays so.
    const isDay = wall === '' || wall.endsWith('T00:00');
    const isLast = name === 'validUntil';
    const day = wall && addDays(wall.slice(0, 10), isLast ? -1 : 0);
    const written = (text: string) => {
      if (text === '') return null;
      return new Date(instantOf(isDay ? `${isLast ? addDays(text, 1) : text}T00:00` : text, zone)).toISOString();
    };
    return (
      <TextInput
        type={isDay ? 'date' : 'datetime-local'}
        label={label}
        value={isDay ? day : wall}
        error={form.problem(`delivery.${name}`)}
        onChange={({ currentTarget }) => set({ [name]: written(currentTarget.value) })}
      />
    );
  };
  return (
    <>
      <div className={classes.pair}>
        {input('validFrom', t('First day'))}
        {input('validUntil', t('Last day'))}
      </div>
      <Text c="dimmed">{t('Times are in {zone}. Leave one empty for no limit on that side.', { zone })}</Text>
    </>
  );
}

/** Rules that follow those of the app, unless they are set here. */
export function OtherRulesEditor({ form, app, times }: EditorProps) {
  return (
    <RuleFields
      only={otherRules}
      value={form.values.delivery}
      app={app}
      times={times}
      problem={(name) => form.problemWithin(`delivery.${name}`)}
      onChange={(delivery) => form.set('delivery', delivery)}
    />
  );
}
