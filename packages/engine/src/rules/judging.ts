import type { PresenceEvent, TrackState } from '../presence/types.ts';
import type { Firing, History, Question, Rules, Trigger, Verdict } from './rule-types.ts';
import { judge } from './rules.ts';

/** From confirmed events to verdicts. Apart from the presence itself, so that a replay of samples never judges twice. */

/** A trigger that waits until the visitor has stayed long enough. Plain JSON. */
export interface Wait {
  readonly triggerId: string;
  readonly event: PresenceEvent;
  /** Sensing time, ms. */
  readonly dueAt: number;
  /** Its verdict says that the visitor left first, but the end of the visit may still be revoked. */
  readonly hasVerdict?: true;
}

export interface Judging {
  /** Newly confirmed events in order of time. */
  readonly events: readonly PresenceEvent[];
  readonly waits: readonly Wait[];
  /** The presence after the events. */
  readonly state: TrackState;
  /** How a visit ended; undefined while it is open. */
  readonly exitOf: (visitId: string) => PresenceEvent | undefined;
  /** Whether the end of a visit may still be revoked. */
  readonly isProvisional: (visitId: string) => boolean;
  /** The sensing time until which everything that was sensed is supposed to have arrived, ms. */
  readonly knownUntil: number;
  /** The service's clock. */
  readonly now: number;
  readonly rulesOf: (beaconId: string) => Rules;
  readonly fired: readonly Firing[];
  /** Answers that the phone has given by itself, to be taken as they are. */
  readonly answerOf?: (trigger: Trigger, event: PresenceEvent, at: number) => Verdict | undefined;
  /** Until when (ms, sensing time) the phone has decided by itself: what it has not shown was not too late for it. */
  readonly decidedUntil?: number;
  /** Visits of the installation at a beacon that were over before these events. */
  readonly earlierVisits: (beaconId: string) => number;
}

export interface Judgement {
  /** In the order in which they were decided. */
  readonly verdicts: readonly { readonly beaconId: string; readonly verdict: Verdict }[];
  readonly waits: readonly Wait[];
}

interface End {
  readonly wait: Wait;
  readonly at: number;
  readonly stayed: boolean;
  readonly leftAt?: number;
}

/** Judges new events, and waits whose end is known, in order of time. */
export function judgeEvents(judging: Judging): Judgement {
  const { events, now } = judging;
  const verdicts: { beaconId: string; verdict: Verdict }[] = [];
  const ended = new Map<string, number>();
  let fired = judging.fired;
  let waits = [...judging.waits];
  const ask = (
    trigger: Trigger,
    event: PresenceEvent,
    rest: { at: number; stayed?: boolean; leftAt?: number },
  ): void => {
    const { beaconId } = event;
    const earlierVisits = judging.earlierVisits(beaconId) + (ended.get(beaconId) ?? 0);
    const rules = judging.rulesOf(beaconId);
    const question = { trigger: onceOnly(trigger, event), event, now, ...rest };
    const history = { fired, earlierVisits };
    const verdict = judging.answerOf?.(trigger, event, rest.at) ?? judgeAsThen(question, rules, history, judging);
    verdicts.push({ beaconId, verdict });
    if (verdict.outcome === 'fired') {
      const { triggerId, visitId, at } = verdict;
      fired = [...fired, { triggerId, visitId, at }];
    }
    if (verdict.dueAt !== undefined) waits.push({ triggerId: trigger.id, event, dueAt: verdict.dueAt });
  };
  const endWait = ({ wait, at, stayed, leftAt }: End): void => {
    waits = waits.filter((other) => other !== wait);
    if (!stayed && judging.isProvisional(wait.event.visitId)) waits.push({ ...wait, hasVerdict: true });
    if (!stayed && wait.hasVerdict) return;
    const trigger = judging.rulesOf(wait.event.beaconId).triggers.find(({ id }) => id === wait.triggerId);
    // Nobody can ask why about a trigger that was deleted since.
    if (trigger !== undefined) ask(trigger, wait.event, { at, stayed, ...(leftAt === undefined ? {} : { leftAt }) });
  };
  const endWaitsUntil = (until: number): void => {
    const seen = new Set<Wait>();
    for (;;) {
      const first = waits
        .filter((wait) => !seen.has(wait))
        .flatMap((wait) => endOfWait(wait, judging) ?? [])
        .filter(
          ({ at, wait, stayed }) =>
            at <= until && !(wait.hasVerdict && !stayed && judging.isProvisional(wait.event.visitId)),
        )
        .sort((a, b) => a.at - b.at)[0];
      if (first === undefined) return;
      seen.add(first.wait);
      endWait(first);
    }
  };
  for (const event of events) {
    endWaitsUntil(event.at - 1);
    for (const trigger of judging.rulesOf(event.beaconId).triggers) ask(trigger, event, { at: event.at });
    if (event.event === 'EXIT') ended.set(event.beaconId, (ended.get(event.beaconId) ?? 0) + 1);
  }
  endWaitsUntil(Number.POSITIVE_INFINITY);
  return { verdicts, waits };
}

/** What comes too late, but was decided on the phone in time, has the reason that it had there. */
function judgeAsThen(question: Question, rules: Rules, history: History, { decidedUntil }: Judging): Verdict {
  const verdict = judge(question, rules, history);
  if (verdict.reason !== 'stale' || decidedUntil === undefined || question.at > decidedUntil) return verdict;
  const then = judge({ ...question, now: question.at }, rules, history);
  return then.outcome === 'fired' ? verdict : then;
}

/** ENTER and EXIT happen once per visit: if one is reported again after a correction, its message is not. */
function onceOnly(trigger: Trigger, { event }: PresenceEvent): Trigger {
  if (trigger.policy?.oncePer !== 'event' || (event !== 'ENTER' && event !== 'EXIT')) return trigger;
  return { ...trigger, policy: { ...trigger.policy, oncePer: 'visit' } };
}

/** How a wait has ended, or null while that cannot be known. Only presence that was confirmed counts as having stayed. */
function endOfWait(wait: Wait, judging: Judging): End | null {
  const { event, dueAt } = wait;
  const { beaconId, visitId } = event;
  const presence = judging.state.beacons[beaconId];
  const exit = judging.exitOf(visitId);
  const gone = goneFrom(wait, judging);
  if (gone !== null && gone < dueAt) return { wait, at: gone, stayed: false, leftAt: gone };
  if (exit !== undefined) {
    const leftAt = exit.leftAt ?? exit.at;
    return leftAt >= dueAt
      ? { wait, at: dueAt, stayed: true }
      : { wait, at: Math.max(exit.at, leftAt), stayed: false, leftAt };
  }
  if (event.event === 'ENTER' && presence?.visit?.id !== visitId)
    return { wait, at: Math.max(judging.knownUntil, event.at), stayed: false };
  const isTrusted = event.event === 'ENTER' && presence?.visit?.source === 'device';
  const confirmedUntil = isTrusted ? judging.knownUntil : (presence?.heardAt ?? Number.NEGATIVE_INFINITY);
  if (confirmedUntil >= dueAt) return { wait, at: dueAt, stayed: true };
  return presence?.inContact === true || isTrusted
    ? null
    : { wait, at: Math.max(judging.knownUntil, event.at), stayed: false };
}

/** When the visitor left the zone that a wait is about; null for a wait about the visit, or while they are in it. */
function goneFrom({ event }: Wait, { events, state }: Judging): number | null {
  if (event.event === 'ENTER' || event.event === 'EXIT') return null;
  const isIn = (zone: string | null | undefined) =>
    event.event === 'NEAR' ? zone === 'NEAR' || zone === 'IMMEDIATE' : zone === event.event;
  const left = events.find(
    (other) =>
      other.beaconId === event.beaconId &&
      other.at > event.at &&
      other.event !== 'ENTER' &&
      (other.event === 'EXIT' ? !isIn(state.beacons[event.beaconId]?.zone) : !isIn(other.event)),
  );
  return left === undefined ? null : (left.leftAt ?? left.at);
}
