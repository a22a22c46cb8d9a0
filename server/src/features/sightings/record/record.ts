import { newObjectId } from '../../../base/id.ts';
import type { Sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { Dialect } from '../../../db/dialect.ts';
import type { ProximityMessage } from '../../../delivery/push/content.ts';
import type { Evidence, Pass, PresenceEvent } from '../../../proximity/index.ts';
import type { Announce } from '../../domain-event.ts';
import { type Decision, type DecisionContext, type Fired, triggerDeliveryId } from '../decide/decide.ts';
import { addVisitCounts } from '../decide/presence-store.ts';
import { addSamples, dropSegments, newVersion, saveTracks } from '../decide/track-store.ts';
import type { Listener } from '../site/hearing.ts';
import type { NewEvent, WriteContext } from '../traces/events.ts';
import type { NewPosition } from '../traces/positions.ts';
import type { NewVerdict } from '../traces/verdicts.ts';
import { noteVisitChanges, type VisitChanged } from '../traces/visit-changes.ts';
import type { NewVisit } from '../traces/visits.ts';
import * as corrected from './correction-store.ts';
import { domainEventsOf, positionEventOf } from './domain-events.ts';
import { savePositions } from './position-store.ts';
import * as store from './trace-store.ts';

/** Writes what was decided, all of it in the transaction that `db` is. */

/** An ENTER or EXIT as its log record has it. */
export interface EventLog {
  readonly appId: string;
  readonly objectId: string;
  readonly moduleType: 'PRESENCE' | 'STORYLINE';
  readonly event: string;
  readonly beaconId: string;
  readonly installationId: string;
  /** Epoch milliseconds. */
  readonly occurredAt: number;
  readonly eventId: string;
  readonly now: number;
}

/** Log records are another feature's; this is what it hands over. */
export interface LogStore {
  /** One that is there already stays as it is. */
  insert(dialect: Dialect, logs: readonly EventLog[]): Sql[];
  change(dialect: Dialect, logs: readonly Pick<EventLog, 'appId' | 'eventId' | 'occurredAt' | 'now'>[]): Sql[];
  remove(dialect: Dialect, logs: readonly Pick<EventLog, 'appId' | 'eventId'>[]): Sql[];
}

/** A message that was shown, or would have been to somebody who is held out. */
export interface ShownMessage {
  readonly appId: string;
  readonly deliveryId: string;
  readonly installationId: string;
  readonly triggerId: string;
  readonly group: string;
  readonly at: number;
}

/** What counts messages is another feature's; this is what it is told. */
export type NoteShowings = (dialect: Dialect, showings: readonly ShownMessage[]) => Sql[];

export interface RecordTools {
  readonly logs: LogStore;
  readonly noteShowings?: NoteShowings;
  readonly requestPushes: RequestPushes;
  /** Told after the commit when a presence has to be looked at again (ms). */
  readonly expect: (deadline: number) => void;
  readonly announce: Announce;
  /** Told after the commit of a sighting at a time (ms) whose phone is not to be named. */
  readonly countSightings?: (appId: string, beaconId: string, at: number) => void;
  /** Told after the commit that visits of an app were written, changed or removed. */
  readonly countVisits?: (appId: string) => void;
  /** Told after the commit what was heard about the radio of beacons. */
  readonly noteEvidence?: (appId: string, evidence: Readonly<Record<string, Evidence>>, at: number) => void;
  /** Told after the commit (ms) which beacons a phone has passed. */
  readonly notePasses?: (listener: Listener, passes: readonly Pass[], at: number) => void;
}

export interface Recording {
  readonly appId: string;
  readonly context: DecisionContext;
}

/** Asks for pushes in the transaction that `db` is. */
export type RequestPushes = (db: Db, pushes: readonly ProximityMessage[]) => Promise<void>;

/** What was decided for one installation. */
export interface Decided {
  readonly decision: Decision;
  readonly recording: Recording;
  /** Of this writing of the track; without one it gets any. */
  readonly version?: number;
  /** The track stays in memory. */
  readonly isHeld?: boolean;
}

/** Writes what was decided for several installations, each of them once, with few statements. `more` is written along. */
export async function recordDecisions(
  db: Db,
  decided: readonly Decided[],
  { requestPushes, expect, announce, logs, noteShowings, noteEvidence, notePasses, countVisits }: RecordTools,
  more: readonly Sql[] = [],
): Promise<void> {
  const changed = decided.filter(({ decision }) => decision.hasChanged);
  const kept = changed.filter(({ isHeld }) => isHeld !== true);
  const deadline = Math.min(...kept.map(({ decision }) => decision.deadline ?? Number.POSITIVE_INFINITY));
  if (deadline < Number.POSITIVE_INFINITY) db.afterCommit(() => expect(deadline));
  if (noteEvidence !== undefined)
    db.afterCommit(() => {
      for (const { decision, recording } of changed)
        noteEvidence(recording.appId, decision.sensed.evidence, recording.context.now);
    });
  if (notePasses !== undefined)
    db.afterCommit(() => {
      for (const { decision, recording } of changed.filter(isNamed)) {
        const { appId, context } = recording;
        const { installationId, model = null, now } = context;
        notePasses({ appId, installationId, model }, decision.sensed.passes, now);
      }
    });
  const pushes = changed.flatMap(pushesOf);
  if (pushes.length > 0) await requestPushes(db, pushes);
  const named = changed.filter(isNamed);
  const keptNamed = kept.filter(isNamed);
  const eventful = named.filter(isEventful);
  for (const one of named) {
    const [whereabouts] = whereaboutsOf(one);
    if (whereabouts === undefined && !isEventful(one)) continue;
    await announce(db, one.recording.appId, () => [
      ...(isEventful(one) ? domainEventsOf(one.decision) : []),
      ...(whereabouts ? [positionEventOf(whereabouts)] : []),
    ]);
  }
  const { dialect } = db;
  const changes = eventful.flatMap(visitChangesOf);
  const showings = eventful.flatMap(showingsOf);
  const counted = [...changes, ...showings];
  if (counted.length > 0 && countVisits !== undefined)
    db.afterCommit(() => {
      for (const appId of new Set(counted.map(({ appId }) => appId))) countVisits(appId);
    });
  // Two statements of one round trip must not meet in a row.
  for (const statements of correctionsOf(dialect, keptNamed, logs)) await db.runTogether(statements);
  await db.runTogether([
    ...saveTracks(dialect, kept.map(trackOf)),
    ...addSamples(dialect, keptNamed.flatMap(samplesOf)),
    ...savePositions(dialect, named.flatMap(positionOf)),
    ...addVisitCounts(dialect, eventful.flatMap(countsOf)),
    ...store.insertEvents(dialect, eventful.flatMap(eventsOf)),
    ...store.openVisits(dialect, eventful.flatMap(opened)),
    ...store.closeVisits(dialect, eventful.flatMap(closed)),
    ...logs.insert(dialect, eventful.flatMap(logsOf)),
    ...store.saveVerdicts(dialect, eventful.flatMap(verdictsOf)),
    ...noteVisitChanges(dialect, changes, decided[0]?.recording.context.now ?? 0),
    ...store.insertFirings(dialect, changed.flatMap(firingsOf)),
    ...(noteShowings?.(dialect, showings) ?? []),
    ...more,
  ]);
}

/** Of others only what messages need is stored: where they are now, and what they were shown. */
const isNamed = ({ recording }: Decided) => recording.context.permissions?.analytics ?? true;

function isEventful({ decision: { events, verdicts, sensed } }: Decided): boolean {
  const { changedEvents, removedEvents, visits } = sensed;
  return events.length + verdicts.length + changedEvents.length + removedEvents.length + visits.length > 0;
}

const writtenOf = ({ appId, context }: Recording): WriteContext => ({ appId, now: context.now });
const keyOf = ({ decision, recording }: Decided) => ({
  appId: recording.appId,
  installationId: decision.installationId,
});

function trackOf(decided: Decided) {
  const { record: whole, deadline } = decided.decision;
  const record = isNamed(decided) ? whole : { ...whole, segments: [], told: null };
  const { version = newVersion() } = decided;
  return { ...keyOf(decided), record, deadline, now: decided.recording.context.now, version };
}

/** Only where beacons are decided together: the others are a site's that asked for nothing of the kind. */
function whereaboutsOf(decided: Decided): NewPosition[] {
  const { whereabouts } = decided.decision;
  const { policy, now } = decided.recording.context;
  return policy.oneZone && whereabouts !== undefined ? [{ ...keyOf(decided), whereabouts, now }] : [];
}

/** They are kept sparsely. */
const positionOf = (decided: Decided): NewPosition[] =>
  whereaboutsOf(decided).filter(({ whereabouts }) => whereabouts.isDue);

function samplesOf(decided: Decided) {
  return decided.decision.sensed.written.map((written) => ({ ...keyOf(decided), ...written }));
}

function droppedOf(decided: Decided) {
  return decided.decision.sensed.dropped.map((startedAt) => ({ ...keyOf(decided), startedAt }));
}

/** What gives way to what is written then, step by step; the statements of one step are about different tables. */
function correctionsOf(dialect: Dialect, decided: readonly Decided[], logs: LogStore): Sql[][] {
  const eventRows = (of: 'removedEvents' | 'changedEvents') =>
    decided.flatMap(({ decision, recording }) =>
      decision.sensed[of].map((event): NewEvent => ({ ...writtenOf(recording), event })),
    );
  const [removed, changed] = [eventRows('removedEvents'), eventRows('changedEvents')];
  const visits = decided.flatMap(({ decision: { sensed, installationId }, recording }) =>
    sensed.visits.map((visit) => ({ ...writtenOf(recording), installationId, visit })),
  );
  return [
    [
      ...dropSegments(dialect, decided.flatMap(droppedOf)),
      ...corrected.removeEvents(dialect, removed),
      ...logs.remove(dialect, removed.flatMap(bothLogsOf)),
    ],
    [
      ...corrected.changeEvents(dialect, changed),
      ...logs.change(dialect, changed.flatMap(bothLogsOf)),
      ...corrected.changeVisits(dialect, visits),
    ],
    [...corrected.removeVisits(dialect, visits), ...corrected.moveMessages(dialect, visits)],
  ];
}

const isLogged = ({ event: { event } }: NewEvent) => event === 'ENTER' || event === 'EXIT';

/** Clients have event ids of their own in this column; these cannot be mistaken for one of them. */
const logIdOf = ({ event }: NewEvent, moduleType: EventLog['moduleType']) => `${event.id}:${moduleType}`;

/** The log records that an event may have. */
function bothLogsOf(row: NewEvent) {
  if (!isLogged(row)) return [];
  const { appId, now, event } = row;
  return (['PRESENCE', 'STORYLINE'] as const).map((moduleType) => ({
    appId,
    eventId: logIdOf(row, moduleType),
    occurredAt: event.at,
    now,
  }));
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
  const { now } = recording.context;
  return [...counts]
    .filter(([, count]) => count !== 0)
    .map(([beaconId, count]) => ({ ...keyOf(decided), beaconId, count, now }));
}

function eventsOf({ decision, recording }: Decided): NewEvent[] {
  const written = writtenOf(recording);
  return decision.events.map((event) => ({ ...written, event }));
}

const endsOf = (events: readonly PresenceEvent[]) =>
  new Map(events.filter(({ event }) => event === 'EXIT').map((event) => [event.visitId, event]));

/** A visit that begins and ends in one batch is written whole: two statements of one round trip must not meet in a row. */
function opened(decided: Decided): NewVisit[] {
  const ends = endsOf(decided.decision.events);
  return eventsOf(decided)
    .filter(({ event }) => event.event === 'ENTER')
    .map((row) => ({ ...row, exit: ends.get(row.event.visitId) }));
}

function closed(decided: Decided): NewEvent[] {
  const { events } = decided.decision;
  const begun = new Set(events.filter(({ event }) => event === 'ENTER').map(({ visitId }) => visitId));
  const written = writtenOf(decided.recording);
  return [...endsOf(events).values()]
    .filter(({ visitId }) => !begun.has(visitId))
    .map((event) => ({ ...written, event }));
}

/** Where and when visits began that are different now. */
function visitChangesOf(decided: Decided): VisitChanged[] {
  const { events, sensed } = decided.decision;
  const begun = [
    ...events
      .filter(({ event }) => event === 'ENTER' || event === 'EXIT')
      .map(({ beaconId, enteredAt, at }) => ({ beaconId, enteredAt: enteredAt ?? at })),
    ...sensed.visits.flatMap(({ beaconId, enteredAt, wasEnteredAt = enteredAt }) =>
      enteredAt === wasEnteredAt
        ? [{ beaconId, enteredAt }]
        : [
            { beaconId, enteredAt },
            { beaconId, enteredAt: wasEnteredAt },
          ],
    ),
  ];
  const once = new Map(begun.map((one) => [`${one.beaconId} ${one.enteredAt}`, one]));
  return [...once.values()].map((one) => ({ ...keyOf(decided), ...one }));
}

/** PRESENCE for every ENTER and EXIT; STORYLINE where a scenario of an enabled storyline belongs to the beacon. */
function logsOf(decided: Decided): EventLog[] {
  const { triggers } = decided.decision;
  const isInStoryline = (beaconId: string) =>
    (triggers.get(beaconId) ?? []).some(({ trigger }) => trigger.kind === 'scenario' && trigger.enabled);
  const logs = eventsOf(decided)
    // A client that decides and shows by itself writes its own records.
    .filter((row) => isLogged(row) && row.event.logged !== true)
    .flatMap((row) => {
      const { beaconId, installationId, event, at: occurredAt } = row.event;
      const kinds = isInStoryline(beaconId) ? (['PRESENCE', 'STORYLINE'] as const) : (['PRESENCE'] as const);
      return kinds.map((moduleType) => {
        const eventId = logIdOf(row, moduleType);
        return { appId: row.appId, now: row.now, moduleType, event, beaconId, installationId, occurredAt, eventId };
      });
    });
  const { now } = decided.recording.context;
  // A list goes by the ids, which ascend.
  return logs.map((log) => ({ ...log, objectId: newObjectId(now) }));
}

function verdictsOf({ decision, recording }: Decided): NewVerdict[] {
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

/** Of those who may be named: a message to others is shown, and not counted by visitor. */
function showingsOf({ decision, recording: { appId } }: Decided): ShownMessage[] {
  const { installationId } = decision;
  return decision.verdicts
    .filter(({ verdict }) => verdict.outcome === 'fired' || verdict.reason === 'holdout')
    .map(({ verdict }) => ({
      appId,
      deliveryId: triggerDeliveryId(verdict, installationId),
      installationId,
      triggerId: verdict.triggerId,
      group: verdict.group ?? '',
      at: verdict.at,
    }));
}

function pushesOf({ decision, recording }: Decided): ProximityMessage[] {
  const { appId, context } = recording;
  const { installationId, now, policy, hasPushTarget } = context;
  const expiresAt = now + policy.pushTimeToLive * 1000;
  return decision.fired.map(({ beaconId, verdict, deliveryId, shown, language }: Fired) => {
    const { eventId, visitId, event, triggerId, kind } = verdict;
    const origin = { beaconId, eventId, visitId, event, triggerId };
    return {
      appId,
      deliveryId,
      installationId,
      now,
      expiresAt,
      hasPushTarget,
      language,
      kind,
      content: shown.content,
      origin,
    };
  });
}
