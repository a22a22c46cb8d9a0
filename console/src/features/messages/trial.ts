import { runsOn, type ShownDay, week } from '../../components/rules/days.ts';
import { effectiveRules, type Rules } from '../../components/rules/rules.ts';
import { addDays, wallTime } from '../../lib/time/zoned-time.ts';
import type { Operations } from '../../lib/wire.ts';
import { drawn } from './effects/effects.ts';
import type { MessageFields } from './message.ts';

/** What a message would have sent, as the service is asked. */

export interface Trial {
  readonly draft: Operations['beginReplay']['body']['draft'];
  /** The period is still to come: these weekdays stand for it. */
  readonly standIn?: readonly ShownDay[];
}

/** Of a period to come, the last weeks know nothing: its weekdays in them stand for it. */
export function trialOf(
  fields: MessageFields,
  app: Rules,
  site: { readonly zone: string; readonly now: number },
): Trial {
  const { beacons, event, showOn, delivery } = fields;
  const draft = { beacons: [...beacons], event, isEnabled: true, ...drawn(fields) };
  const { validFrom, validUntil, timeZone } = effectiveRules(app, delivery);
  const from = Date.parse(validFrom ?? '');
  if (!(from > site.now)) return { draft: { ...draft, showOn: [...showOn], delivery } };
  const days = weekdaysIn(from, Date.parse(validUntil ?? ''), timeZone ?? site.zone);
  const standIn = week.map((dayName) => ({ dayName, checked: days.has(dayName) && runsOn(showOn, dayName) }));
  return {
    draft: { ...draft, showOn: standIn, delivery: { ...delivery, validFrom: null, validUntil: null } },
    standIn,
  };
}

/** The days of the week that there are in a period; without an end, all. */
function weekdaysIn(from: number, until: number, zone: string): ReadonlySet<string> {
  const first = wallTime(from, zone).slice(0, 10);
  const last = Number.isNaN(until) ? addDays(first, 6) : wallTime(until - 1, zone).slice(0, 10);
  const dates = week.map((_, index) => addDays(first, index)).filter((date) => date <= last);
  return new Set(dates.map((date) => week[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] ?? ''));
}
