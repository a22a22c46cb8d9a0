import type { EventKind } from '../presence/types.ts';
import { latestTime } from '../wire/wire-values.ts';
import { groupOf, heldOut } from './groups.ts';
import { localTime, siteTimeZone } from './local-time.ts';
import { type Case, effectivePolicy, POLICY_GATES, type Refusal } from './policy.ts';
import type { History, Question, Rules, Trigger, Verdict } from './rule-types.ts';
import { describeDays, longDayName, runsOn } from './schedule.ts';
import { durationText } from './sentences.ts';

/** The push's time to live for what proximity sends, in seconds. */
export const TIME_TO_LIVE_SECONDS = 120;

const EVENT_WORDS: Readonly<Record<EventKind, string>> = {
  ENTER: 'comes to the beacon',
  EXIT: 'leaves the beacon',
  IMMEDIATE: 'is within one metre',
  NEAR: 'is one to three metres away',
  FAR: 'is more than three metres away',
};

type Gate = (question: Case, rules: Rules) => Refusal | null;

/** The design's order, and nothing else decides it: the first gate that refuses gives the verdict its reason. */
const GATES: readonly Gate[] = [
  refuseDisabled,
  refuseOtherEvent,
  refuseOtherBeacon,
  refuseSchedule,
  refuseNoConsent,
  refuseStale,
  refuseRepeat,
  ...POLICY_GATES,
  refuseNoTarget,
];

/**
 * Judges one trigger at one event. Pure: the same question, rules and history give the same verdict, also a year later in
 * the "why?" page.
 */
export function judge(question: Question, rules: Rules, history: History): Verdict {
  const { trigger, event, at } = question;
  const known: Case = Object.assign(siteClock(question, rules), question, {
    history,
    policy: effectivePolicy(rules, trigger),
  });
  const base = {
    triggerId: trigger.id,
    kind: trigger.kind,
    eventId: event.id,
    visitId: event.visitId,
    event: event.event,
    at,
  };
  for (const gate of GATES) {
    const refusal = gate(known, rules);
    if (refusal === null) continue;
    const { reason, because, dueAt } = refusal;
    return dueAt === undefined
      ? { ...base, outcome: 'stopped', reason, text: `Not shown: ${because}.` }
      : // A visitor of the last day of 9999 waits no longer than times can be written.
        { ...base, outcome: 'pending', reason, text: `Not shown yet: ${because}.`, dueAt: Math.min(dueAt, latestTime) };
  }
  const group = groupOf(trigger, event.installationId);
  if (group === heldOut) return { ...base, outcome: 'stopped', reason: 'holdout', text: heldOutText(trigger), group };
  const text = group === undefined ? 'Shown.' : `Shown: variant ${group}.`;
  return { ...base, outcome: 'fired', reason: 'fired', text, ...(group === undefined ? {} : { group }) };
}

/** Checked last: everybody in the group would have been shown the message, like those with whom they are compared. */
const heldOutText = ({ holdout }: Trigger) =>
  `Not shown: this visitor is one of the ${holdout} % who get nothing, so that its effect can be told.`;

/** Time zone and local time at the site. Read only if a gate asks, since most triggers stop earlier. */
function siteClock(question: Question, rules: Rules): Pick<Case, 'zone' | 'local'> {
  let zone: string | undefined;
  const read = (): string =>
    (zone ??= siteTimeZone([question.trigger.timeZone, rules.beaconTimeZone, rules.appTimeZone]));
  return {
    get zone() {
      return read();
    },
    get local() {
      return localTime(question.at, read());
    },
  };
}

function refuseDisabled({ trigger }: Case): Refusal | null {
  if (trigger.enabled) return null;
  const what = trigger.kind === 'scenario' ? 'its storyline' : 'it';
  return { reason: 'disabled', because: `${what} is switched off` };
}

function refuseOtherEvent({ trigger, event }: Case): Refusal | null {
  if (trigger.event === event.event) return null;
  const wanted = EVENT_WORDS[trigger.event];
  return {
    reason: 'event',
    because: `it waits until the visitor ${wanted}, and this visitor ${EVENT_WORDS[event.event]}`,
  };
}

function refuseOtherBeacon({ trigger, event }: Case): Refusal | null {
  if (trigger.beaconIds.includes(event.beaconId)) return null;
  return { reason: 'beacon', because: 'it belongs to another beacon' };
}

function refuseSchedule(question: Case): Refusal | null {
  const { showOn } = question.trigger;
  if (showOn === undefined) return null;
  const day = question.local.dayName;
  if (runsOn(showOn, day)) return null;
  const because = `it runs on ${describeDays(showOn)}, and it was ${longDayName(day)} in ${question.zone}`;
  return { reason: 'schedule', because };
}

function refuseNoConsent(_question: Case, rules: Rules): Refusal | null {
  if (rules.hasConsent !== false) return null;
  return { reason: 'no_consent', because: 'the visitor has not agreed to messages' };
}

function refuseStale({ event, at, now }: Case, rules: Rules): Refusal | null {
  if (event.inferred === true) {
    return { reason: 'stale', because: 'nobody reported that the visitor left; the visit was closed 12 hours later' };
  }
  const limit = rules.timeToLive ?? TIME_TO_LIVE_SECONDS;
  const age = (now - at) / 1000;
  if (age <= limit) return null;
  return {
    reason: 'stale',
    because: `the report came ${durationText(age)} late, and after ${durationText(limit)} it is no longer shown`,
  };
}

function refuseRepeat({ trigger, event, at, policy, history }: Case): Refusal | null {
  if (policy.oncePer === 'event') return null;
  const own = history.fired?.filter(({ triggerId }) => triggerId === trigger.id) ?? [];
  if (own.some(({ visitId }) => visitId === event.visitId))
    return { reason: 'repeat', because: 'it was shown in this visit already' };
  // The visitor has read it since; and a clock that was set back makes one visit look like two.
  return own.some((fired) => fired.isElsewhere !== true && fired.at > at)
    ? { reason: 'repeat', because: 'it has been shown since, in a later visit' }
    : null;
}

function refuseNoTarget(_question: Case, rules: Rules): Refusal | null {
  if (rules.hasTarget) return null;
  return { reason: 'no_target', because: 'the device has no address to which a message could be sent' };
}

/** The triggers that could fire at a beacon, for a service that holds all of an app's. */
export function triggersOf(triggers: readonly Trigger[], beaconId: string): readonly Trigger[] {
  return triggers.filter((trigger) => trigger.beaconIds.includes(beaconId));
}
