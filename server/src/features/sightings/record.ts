import type { Db } from '../../db/db.ts';
import type { Announce } from '../../happening.ts';
import { newObjectId } from '../../id.ts';
import type { PresenceEvent } from '../../proximity/index.ts';
import type { Sql } from '../../sql.ts';
import type { Decision, Fired, Turn } from './decide.ts';
import { happeningsOf } from './happenings.ts';
import * as store from './presence-store.ts';

/** Writes what was decided, all of it in the transaction that `db` is. */

export interface RecordTools {
  readonly requestPush: RequestPush;
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
  readonly deliveryId: string;
  readonly installationId: string;
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

/** Asks for a push in the transaction that `db` is; `now` is the time of the decision (epoch ms). */
export type RequestPush = (db: Db, appId: string, push: ProximityPush, now: number) => Promise<void>;

/**
 * What has to be written of a decision: statements for `runTogether`, which no other decision of the batch meets. Pushes
 * are asked for at once, in the transaction that `db` is.
 */
export async function recordDecision(
  db: Db,
  decision: Decision,
  recording: Recording,
  { requestPush, expect, announce }: RecordTools,
): Promise<Sql[]> {
  if (!decision.hasChanged) return [];
  const { appId, turn } = recording;
  const { outcome, beaconId, visitCount } = decision;
  const { installationId, now } = turn;
  const { state, deadline, events } = outcome;
  const presence = store.savePresence({ appId, installationId, beaconId, state, deadline, visitCount, now });
  if (deadline !== null) db.afterCommit(() => expect(deadline));
  if (events.length === 0 && outcome.verdicts.length === 0) return [presence];
  if (!recording.isLogged) {
    for (const fired of decision.fired) await requestPush(db, appId, pushOf(fired, decision, recording), now);
  }
  await announce(db, appId, () => happeningsOf(decision, installationId));
  const written = { appId, now };
  return [
    presence,
    ...store.insertEvents(written, events),
    ...visitsOf(written, events),
    ...(recording.isLogged ? [] : store.insertLogs(written, logsOf(decision, now))),
    ...verdictsOf(decision, recording),
  ];
}

/** A visit that begins and ends in one batch is written whole: two statements of one round trip must not meet in a row. */
function visitsOf(written: store.Written, events: readonly PresenceEvent[]): Sql[] {
  const opened = new Set(events.filter(({ event }) => event === 'ENTER').map(({ visitId }) => visitId));
  const ends = new Map(events.filter(({ event }) => event === 'EXIT').map((event) => [event.visitId, event]));
  return [
    ...events
      .filter(({ event }) => event === 'ENTER')
      .map((event) => store.openVisit(written, event, ends.get(event.visitId))),
    ...[...ends.values()]
      .filter(({ visitId }) => !opened.has(visitId))
      .map((event) => store.closeVisit(written, event)),
  ];
}

/** PRESENCE for every ENTER and EXIT; STORYLINE where a scenario of an enabled storyline belongs to the beacon. */
function logsOf({ outcome, triggers }: Decision, now: number): store.LogRecord[] {
  const isInStoryline = triggers.some(({ trigger }) => trigger.kind === 'scenario' && trigger.enabled);
  const kinds = isInStoryline ? (['PRESENCE', 'STORYLINE'] as const) : (['PRESENCE'] as const);
  const isLogged = ({ event }: PresenceEvent) => event === 'ENTER' || event === 'EXIT';
  const logs = outcome.events.filter(isLogged).flatMap((event) => kinds.map((moduleType) => ({ moduleType, event })));
  // Ids of one millisecond are in no order of their own, and a list goes by them.
  const ids = logs.map(() => newObjectId(now)).sort();
  return logs.map((log, index) => ({ ...log, objectId: ids[index] ?? newObjectId(now) }));
}

function verdictsOf({ outcome, fired, beaconId }: Decision, recording: Recording): Sql[] {
  const { appId, turn } = recording;
  const { installationId, now } = turn;
  const deliveries = new Map(fired.map(({ verdict, deliveryId }) => [verdict, deliveryId]));
  return [
    ...store.saveVerdicts(
      { appId, now },
      outcome.verdicts.map((verdict) => ({
        verdict,
        beaconId,
        installationId,
        deliveryId: deliveries.get(verdict) ?? null,
      })),
    ),
    ...store.insertFirings(
      { appId, installationId },
      fired.map(({ verdict }) => verdict),
    ),
  ];
}

function pushOf({ verdict, deliveryId, shown }: Fired, { beaconId }: Decision, recording: Recording): ProximityPush {
  const { turn, hasPushTarget } = recording;
  const { eventId, visitId, event, triggerId, kind } = verdict;
  return {
    deliveryId,
    installationId: turn.installationId,
    expiresAt: turn.now + turn.policy.pushTimeToLive * 1000,
    hasPushTarget,
    kind,
    content: shown.content,
    origin: { beaconId, eventId, visitId, event, triggerId },
  };
}
