import { newObjectId } from '../../../base/id.ts';
import type { Sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { PresenceEvent } from '../../../proximity/index.ts';
import type { Announce } from '../../happening.ts';
import type { Decision, Fired, Turn } from '../decide/decide.ts';
import { savePresences } from '../decide/presence-store.ts';
import { happeningsOf } from './happenings.ts';
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
  /** Whether a push can reach the installation. */
  readonly hasPushTarget: boolean;
  /** The client writes its own log records. */
  readonly isLogged?: true;
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

/** What was decided at one beacon for one installation. */
export interface Decided {
  readonly decision: Decision;
  readonly recording: Recording;
}

/**
 * Writes what was decided at several beacons and for several installations, each pair of them once, with few statements.
 * `more` is written along.
 */
export async function recordDecisions(
  db: Db,
  decided: readonly Decided[],
  { requestPushes, expect, announce }: RecordTools,
  more: readonly Sql[] = [],
): Promise<void> {
  const changed = decided.filter(({ decision }) => decision.hasChanged);
  const deadline = Math.min(...changed.map(({ decision }) => decision.outcome.deadline ?? Number.POSITIVE_INFINITY));
  if (deadline < Number.POSITIVE_INFINITY) db.afterCommit(() => expect(deadline));
  const eventful = changed.filter(({ decision: { outcome } }) => outcome.events.length + outcome.verdicts.length > 0);
  const logged = eventful.filter(({ recording }) => !recording.isLogged);
  const pushes = logged.flatMap(pushesOf);
  if (pushes.length > 0) await requestPushes(db, pushes);
  for (const { decision, recording } of eventful)
    await announce(db, recording.appId, () => happeningsOf(decision, recording.turn.installationId));
  const { dialect } = db;
  await db.runTogether([
    ...savePresences(dialect, changed.map(presenceOf)),
    ...store.insertEvents(dialect, eventful.flatMap(eventsOf)),
    ...store.openVisits(dialect, eventful.flatMap(opened)),
    ...store.closeVisits(dialect, eventful.flatMap(closed)),
    ...store.insertLogs(dialect, logged.flatMap(logsOf)),
    ...store.saveVerdicts(dialect, eventful.flatMap(verdictsOf)),
    ...store.insertFirings(dialect, eventful.flatMap(firingsOf)),
    ...more,
  ]);
}

const writtenOf = ({ appId, turn }: Recording): store.Written => ({ appId, now: turn.now });

function presenceOf({ decision, recording }: Decided) {
  const { outcome, beaconId, visitCount } = decision;
  const { installationId } = recording.turn;
  const { state, deadline } = outcome;
  return { ...writtenOf(recording), installationId, beaconId, state, deadline, visitCount };
}

function eventsOf({ decision, recording }: Decided): store.NewEvent[] {
  const written = writtenOf(recording);
  return decision.outcome.events.map((event) => ({ ...written, event }));
}

const endsOf = (events: readonly PresenceEvent[]) =>
  new Map(events.filter(({ event }) => event === 'EXIT').map((event) => [event.visitId, event]));

/** A visit that begins and ends in one batch is written whole: two statements of one round trip must not meet in a row. */
function opened(decided: Decided): store.NewVisit[] {
  const ends = endsOf(decided.decision.outcome.events);
  return eventsOf(decided)
    .filter(({ event }) => event.event === 'ENTER')
    .map((row) => ({ ...row, exit: ends.get(row.event.visitId) }));
}

function closed(decided: Decided): store.NewEvent[] {
  const { events } = decided.decision.outcome;
  const begun = new Set(events.filter(({ event }) => event === 'ENTER').map(({ visitId }) => visitId));
  const written = writtenOf(decided.recording);
  return [...endsOf(events).values()]
    .filter(({ visitId }) => !begun.has(visitId))
    .map((event) => ({ ...written, event }));
}

/** PRESENCE for every ENTER and EXIT; STORYLINE where a scenario of an enabled storyline belongs to the beacon. */
function logsOf(decided: Decided): store.NewLog[] {
  const { triggers } = decided.decision;
  const isInStoryline = triggers.some(({ trigger }) => trigger.kind === 'scenario' && trigger.enabled);
  const kinds = isInStoryline ? (['PRESENCE', 'STORYLINE'] as const) : (['PRESENCE'] as const);
  const logs = eventsOf(decided)
    .filter(({ event: { event } }) => event === 'ENTER' || event === 'EXIT')
    .flatMap((row) => kinds.map((moduleType) => ({ ...row, moduleType })));
  const { now } = decided.recording.turn;
  // A list goes by the ids, which ascend.
  return logs.map((log) => ({ ...log, objectId: newObjectId(now) }));
}

function verdictsOf({ decision, recording }: Decided): store.NewVerdict[] {
  const { outcome, fired, beaconId } = decision;
  const { installationId } = recording.turn;
  const written = writtenOf(recording);
  const deliveries = new Map(fired.map(({ verdict, deliveryId }) => [verdict, deliveryId]));
  return outcome.verdicts.map((verdict) => ({
    ...written,
    verdict,
    beaconId,
    installationId,
    deliveryId: deliveries.get(verdict) ?? null,
  }));
}

function firingsOf({ decision, recording: { appId, turn } }: Decided): store.NewFiring[] {
  return decision.fired.map(({ verdict }) => ({ appId, installationId: turn.installationId, verdict }));
}

function pushesOf({ decision, recording }: Decided): ProximityPush[] {
  const { appId, turn, hasPushTarget } = recording;
  const { installationId, now, policy } = turn;
  const expiresAt = now + policy.pushTimeToLive * 1000;
  return decision.fired.map(({ verdict, deliveryId, shown }: Fired) => {
    const { eventId, visitId, event, triggerId, kind } = verdict;
    const origin = { beaconId: decision.beaconId, eventId, visitId, event, triggerId };
    return { appId, deliveryId, installationId, now, expiresAt, hasPushTarget, kind, content: shown.content, origin };
  });
}
