import { exceptionAt, isOpenAt, isOpenDay, nextOpening } from './hours.ts';
import { type LocalTime, localTime, siteTimeZone } from './local-time.ts';
import type { Cap, Firing, History, Policy, PolicyOverride, Question, Reason, Rules, Trigger } from './rule-types.ts';
import { isQuiet } from './schedule.ts';
import { clockText, durationText, timesText } from './sentences.ts';

/** One switch: at most one of a kind in a quarter of an hour, three messages a day for one installation, nights quiet. */
export const POLITE: Policy = {
  coolDown: { seconds: 900, per: 'trigger' },
  caps: [{ count: 3, per: 'app', window: 'day' }],
  quietHours: { from: '22:00', until: '08:00' },
};

/** The app's policy with the trigger's members over it; null switches a member off. */
export function effectivePolicy(rules: Rules, trigger: Trigger): PolicyOverride {
  return { ...(rules.polite === true ? POLITE : {}), ...rules.policy, ...trigger.policy };
}

export interface Refusal {
  readonly reason: Reason;
  /** Goes into "Not shown: …." */
  readonly because: string;
  /** Not a refusal yet: ask again then. */
  readonly dueAt?: number;
}

/** A question with what the gates share: the policy in force, the site's time zone and local time, and the past. */
export interface Case extends Question {
  readonly policy: PolicyOverride;
  readonly history: History;
  readonly zone: string;
  readonly local: LocalTime;
}

/** The gates of the optional policy, in the design's order. */
export const POLICY_GATES: readonly ((question: Case, rules: Rules) => Refusal | null)[] = [
  refuseCoolDown,
  refuseCap,
  refuseDwell,
  refuseNthVisit,
  refuseQuietHours,
  refuseClosed,
  refuseValidity,
];

function firings(question: Case, per: 'trigger' | 'app'): readonly Firing[] {
  const all = question.history.fired ?? [];
  return per === 'app' ? all : all.filter((firing) => firing.triggerId === question.trigger.id);
}

function refuseCoolDown(question: Case): Refusal | null {
  const coolDown = question.policy.coolDown;
  if (!coolDown) return null;
  const last = firings(question, coolDown.per).reduce((latest, firing) => Math.max(latest, firing.at), -Infinity);
  const seconds = (question.at - last) / 1000;
  if (seconds >= coolDown.seconds) return null;
  const what = coolDown.per === 'app' ? 'another message was' : 'it was';
  const gap = durationText(coolDown.seconds);
  return { reason: 'cool_down', because: `${what} shown ${durationText(seconds)} before, and the pause is ${gap}` };
}

function refuseCap(question: Case): Refusal | null {
  for (const cap of question.policy.caps ?? []) {
    if (countInWindow(question, cap) < cap.count) continue;
    const what = cap.per === 'app' ? 'this visitor has had' : 'it has been shown';
    const often = cap.per === 'app' ? `${cap.count} ${cap.count === 1 ? 'message' : 'messages'}` : timesText(cap.count);
    const window = cap.window === 'day' ? 'that day' : `within ${durationText(cap.window)}`;
    return { reason: 'cap', because: `${what} ${often} ${window} already, which is the limit` };
  }
  return null;
}

function countInWindow(question: Case, cap: Cap): number {
  const { at, zone, local } = question;
  const window = cap.window;
  return firings(question, cap.per).filter((firing) =>
    window === 'day' ? localTime(firing.at, zone).date === local.date : at - firing.at < window * 1000,
  ).length;
}

/** Asks for patience at first; at the end of the wait, or at EXIT, it knows. */
function refuseDwell(question: Case): Refusal | null {
  const { event, policy, stayed } = question;
  const seconds = policy.dwellSeconds ?? 0;
  if (seconds <= 0 || stayed === true) return null;
  const since = event.enteredAt ?? event.at;
  const short = `the visitor has to stay ${durationText(seconds)}`;
  if (event.event === 'EXIT') {
    const dwell = ((event.leftAt ?? event.at) - since) / 1000;
    return dwell >= seconds ? null : { reason: 'dwell', because: `${short} first and stayed ${durationText(dwell)}` };
  }
  if (stayed === false) {
    const dwell = Math.max(0, ((question.leftAt ?? question.at) - since) / 1000);
    return { reason: 'dwell', because: `${short} first and left after ${durationText(dwell)}` };
  }
  const dueAt = since + seconds * 1000;
  return dueAt <= event.at ? null : { reason: 'dwell', because: short, dueAt };
}

function refuseNthVisit(question: Case): Refusal | null {
  const rule = question.policy.nthVisit;
  if (!rule || rule.n < 1) return null;
  const number = (question.history.earlierVisits ?? 0) + 1;
  const fits = { only: number === rule.n, from: number >= rule.n, every: number % rule.n === 0 }[rule.mode];
  if (fits) return null;
  const wanted = {
    only: `only at visit ${rule.n}`,
    from: `from visit ${rule.n} on`,
    every: `at every visit whose number is a multiple of ${rule.n}`,
  }[rule.mode];
  return { reason: 'nth_visit', because: `it is shown ${wanted}, and this was visit ${number}` };
}

function refuseQuietHours(question: Case): Refusal | null {
  const { policy, local, zone } = question;
  const hours = policy.quietHours;
  if (!hours || !isQuiet(hours, local.minute)) return null;
  const now = clockText(local.minute);
  return {
    reason: 'quiet_hours',
    because: `it is quiet from ${hours.from} to ${hours.until}, and it was ${now} in ${zone}`,
  };
}

/** In the venue's local time, whatever zone the message uses. */
function refuseClosed({ event, policy, at, stayed }: Case, rules: Rules): Refusal | null {
  const rule = policy.venueHours;
  const { hours } = rules;
  if (!rule || !hours) return null;
  const zone = siteTimeZone([hours.zone, rules.appTimeZone]);
  const isOpen = rule.during === 'open' ? isOpenAt : isOpenDay;
  if (isOpen(hours, at, zone)) return null;
  const holiday = exceptionAt(hours, at, zone);
  const why = holiday === undefined ? '' : ` (${holiday})`;
  const { date, minute } = localTime(at, zone);
  const because =
    rule.during === 'open'
      ? `the venue was closed on ${date} at ${clockText(minute)} in ${zone}${why}`
      : `the venue does not open on ${date}${why}`;
  // A visitor who leaves before it opens, or arrives only to leave, has nothing to wait for.
  const mayWait = rule.alreadyInside === true && event.event !== 'EXIT' && stayed !== false;
  const dueAt = mayWait ? nextOpening(hours, at, zone) : undefined;
  return { reason: 'closed', because, ...(dueAt === undefined ? {} : { dueAt }) };
}

function refuseValidity(question: Case): Refusal | null {
  const { policy, zone, at } = question;
  const { validFrom, validUntil } = policy;
  const day = (instant: number): string => {
    const { date, minute } = localTime(instant, zone);
    return `${date} ${clockText(minute)}`;
  };
  if (typeof validFrom === 'number' && at < validFrom) {
    return { reason: 'validity', because: `it starts on ${day(validFrom)} in ${zone}` };
  }
  if (typeof validUntil === 'number' && at >= validUntil) {
    return { reason: 'validity', because: `it ended on ${day(validUntil)} in ${zone}` };
  }
  return null;
}
