import { newObjectId } from '../../../base/id.ts';
import type { Sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { Dialect } from '../../../db/dialect.ts';
import type { PresenceEvent } from '../../../proximity/index.ts';
import type { Announce } from '../../happening.ts';
import type { Decision, Fired, Turn } from '../decide/decide.ts';
import { addVisitCounts } from '../decide/presence-store.ts';
import { addSamples, dropSegments, saveTracks } from '../decide/track-store.ts';
import * as corrected from './correction-store.ts';
import { happeningsOf } from './happenings.ts';
import { type NewPosition, savePositions } from './position-store.ts';
import * as store from './trace-store.ts';

/** Writes what was decided, all of it in the transaction that `db` is. */

export interface RecordTools {
  readonly requestPushes: RequestPushes;
  /** Told after the commit when a presence has to be looked at again (ms). */
  readonly expect: (deadline: number) => void;
  readonly announce: Announce;
}

export interface Recording {
  readonly appId: string;
  readonly turn: Turn;
}

/** A message for the push services; the content is what was configured when it fired. */
export interface ProximityPush {
  readonly appId: string;
  readonly deliveryId: string;
  readonly installationId: string;
  /** When it fired and was asked for, epoch milliseconds. */
  readonly now: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly hasPushTarget: boolean;
  readonly kind: 'notification' | 'scenario';
  readonly content: Readonly<Record<string, unknown>>;
  readonly origin: {
    readonly beaconId: string;
    readonly eventId: string;
    readonly visitId: string;
    readonly event: string;
    readonly triggerId: string;
  };
}

/** Asks for pushes in the transaction that `db` is. */
export type RequestPushes = (db: Db, pushes: readonly ProximityPush[]) => Promise<void>;

/** What was decided for one installation. */
export interface Decided {
  readonly decision: Decision;
  readonly recording: Recording;
}

/** Writes what was decided for several installations, each of them once, with few statements. `more` is written along. */
export async function recordDecisions(
  db: Db,
  decided: readonly Decided[],
  { requestPushes, expect, announce }: RecordTools,
  more: readonly Sql[] = [],
): Promise<void> {
  const changed = decided.filter(({ decision }) => decision.hasChanged);
  const deadline = Math.min(...changed.map(({ decision }) => decision.deadline ?? Number.POSITIVE_INFINITY));
  if (deadline < Number.POSITIVE_INFINITY) db.afterCommit(() => expect(deadline));
  const eventful = changed.filter(isEventful);
  const pushes = eventful.flatMap(pushesOf);
  if (pushes.length > 0) await requestPushes(db, pushes);
  for (const { decision, recording } of eventful) await announce(db, recording.appId, () => happeningsOf(decision));
  const { dialect } = db;
  // Corrections are rare. They come first, since two statements of one round trip must not meet in a row.
  for (const statement of eventful.flatMap((one) => correctionsOf(dialect, one))) await db.run(statement);
  for (const statement of dropSegments(dialect, changed.flatMap(droppedOf))) await db.run(statement);
  await db.runTogether([
    ...saveTracks(dialect, changed.map(trackOf)),
    ...addSamples(dialect, changed.flatMap(samplesOf)),
    ...savePositions(dialect, changed.flatMap(positionOf)),
    ...addVisitCounts(dialect, eventful.flatMap(countsOf)),
    ...store.insertEvents(dialect, eventful.flatMap(eventsOf)),
    ...store.openVisits(dialect, eventful.flatMap(opened)),
    ...store.closeVisits(dialect, eventful.flatMap(closed)),
    ...store.insertLogs(dialect, eventful.flatMap(logsOf)),
    ...store.saveVerdicts(dialect, eventful.flatMap(verdictsOf)),
    ...store.insertFirings(dialect, eventful.flatMap(firingsOf)),
    ...more,
  ]);
}

function isEventful({ decision: { events, verdicts, sensed } }: Decided): boolean {
  const { changedEvents, removedEvents, visits } = sensed;
  return events.length + verdicts.length + changedEvents.length + removedEvents.length + visits.length > 0;
}

const writtenOf = ({ appId, turn }: Recording): store.Written => ({ appId, now: turn.now });
const keyOf = ({ decision, recording }: Decided) => ({
  appId: recording.appId,
  installationId: decision.installationId,
});

function trackOf(decided: Decided) {
  const { record, deadline } = decided.decision;
  return { ...keyOf(decided), record, deadline, now: decided.recording.turn.now };
}

/** Only where beacons are decided together: the others are a site's that asked for nothing of the kind. */
function positionOf(decided: Decided): NewPosition[] {
  const { whereabouts } = decided.decision;
  const { policy, now } = decided.recording.turn;
  return policy.oneZone && whereabouts?.isDue === true ? [{ ...keyOf(decided), whereabouts, now }] : [];
}

function samplesOf(decided: Decided) {
  return decided.decision.sensed.written.map((written) => ({ ...keyOf(decided), ...written }));
}

function droppedOf(decided: Decided) {
  return decided.decision.sensed.dropped.map((startedAt) => ({ ...keyOf(decided), startedAt }));
}

function correctionsOf(dialect: Dialect, { decision, recording }: Decided): Sql[] {
  const { changedEvents, removedEvents, visits } = decision.sensed;
  const written = writtenOf(recording);
  return [
    ...corrected.removeEvents(
      dialect,
      removedEvents.map((event) => ({ ...written, event })),
    ),
    ...corrected.removeLogs(
      dialect,
      removedEvents.map((event) => ({ ...written, event })),
    ),
    ...corrected.changeEvents(
      dialect,
      changedEvents.map((event) => ({ ...written, event })),
    ),
    ...corrected.changeLogs(
      dialect,
      changedEvents.map((event) => ({ ...written, event })),
    ),
    ...corrected.changeVisits(
      dialect,
      visits.map((visit) => ({ ...written, visit })),
    ),
    ...corrected.removeVisits(
      dialect,
      visits.map((visit) => ({ ...written, visit })),
    ),
  ];
}

/** By how many the visits that are over have become more, by beacon. */
function countsOf(decided: Decided) {
  const { decision, recording } = decided;
  const counts = new Map<string, number>();
  const count = (events: readonly PresenceEvent[], one: number) => {
    for (const { event, beaconId } of events)
      if (event === 'EXIT') counts.set(beaconId, (counts.get(beaconId) ?? 0) + one);
  };
  count(decision.events, 1);
  count(decision.sensed.removedEvents, -1);
  const { now } = recording.turn;
  return [...counts]
    .filter(([, count]) => count !== 0)
    .map(([beaconId, count]) => ({ ...keyOf(decided), beaconId, count, now }));
}

function eventsOf({ decision, recording }: Decided): store.NewEvent[] {
  const written = writtenOf(recording);
  return decision.events.map((event) => ({ ...written, event }));
}

const endsOf = (events: readonly PresenceEvent[]) =>
  new Map(events.filter(({ event }) => event === 'EXIT').map((event) => [event.visitId, event]));

/** A visit that begins and ends in one batch is written whole: two statements of one round trip must not meet in a row. */
function opened(decided: Decided): store.NewVisit[] {
  const ends = endsOf(decided.decision.events);
  return eventsOf(decided)
    .filter(({ event }) => event.event === 'ENTER')
    .map((row) => ({ ...row, exit: ends.get(row.event.visitId) }));
}

function closed(decided: Decided): store.NewEvent[] {
  const { events } = decided.decision;
  const begun = new Set(events.filter(({ event }) => event === 'ENTER').map(({ visitId }) => visitId));
  const written = writtenOf(decided.recording);
  return [...endsOf(events).values()]
    .filter(({ visitId }) => !begun.has(visitId))
    .map((event) => ({ ...written, event }));
}

/** PRESENCE for every ENTER and EXIT; STORYLINE where a scenario of an enabled storyline belongs to the beacon. */
function logsOf(decided: Decided): store.NewLog[] {
  const { triggers } = decided.decision;
  const isInStoryline = (beaconId: string) =>
    (triggers.get(beaconId) ?? []).some(({ trigger }) => trigger.kind === 'scenario' && trigger.enabled);
  const logs = eventsOf(decided)
    // A client that decides and shows by itself writes its own records.
    .filter(({ event: { event, logged } }) => (event === 'ENTER' || event === 'EXIT') && logged !== true)
    .flatMap((row) => {
      const kinds = isInStoryline(row.event.beaconId) ? (['PRESENCE', 'STORYLINE'] as const) : (['PRESENCE'] as const);
      return kinds.map((moduleType) => ({ ...row, moduleType }));
    });
  const { now } = decided.recording.turn;
  // A list goes by the ids, which ascend.
  return logs.map((log) => ({ ...log, objectId: newObjectId(now) }));
}

function verdictsOf({ decision, recording }: Decided): store.NewVerdict[] {
  const { verdicts, fired, installationId } = decision;
  const written = writtenOf(recording);
  const deliveries = new Map(fired.map(({ verdict, deliveryId }) => [verdict, deliveryId]));
  return verdicts.map(({ beaconId, verdict }) => ({
    ...written,
    verdict,
    beaconId,
    installationId,
    deliveryId: deliveries.get(verdict) ?? null,
  }));
}

function firingsOf({ decision, recording: { appId } }: Decided): store.NewFiring[] {
  return decision.fired.map(({ verdict }) => ({ appId, installationId: decision.installationId, verdict }));
}

function pushesOf({ decision, recording }: Decided): ProximityPush[] {
  const { appId, turn } = recording;
  const { installationId, now, policy, hasPushTarget } = turn;
  const expiresAt = now + policy.pushTimeToLive * 1000;
  return decision.fired.map(({ beaconId, verdict, deliveryId, shown }: Fired) => {
    const { eventId, visitId, event, triggerId, kind } = verdict;
    const origin = { beaconId, eventId, visitId, event, triggerId };
    return { appId, deliveryId, installationId, now, expiresAt, hasPushTarget, kind, content: shown.content, origin };
  });
}
