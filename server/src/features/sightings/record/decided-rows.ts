import type { PresenceEvent } from '@pharos/engine';
import type { Sql } from '../../../base/sql.ts';
import type { Dialect } from '../../../db/dialect.ts';
import type { ProximityMessage } from '../../../delivery/push/content.ts';
import type { EventLog, LogStore } from '../../event-log.ts';
import type { Showing } from '../../showing.ts';
import { type Decision, type DecisionContext, type Fired, triggerDeliveryId } from '../decide/decide.ts';
import { dropSegments, newVersion } from '../decide/track-store.ts';
import type { NewEvent, WriteContext } from '../traces/events.ts';
import type { NewPosition } from '../traces/positions.ts';
import type { NewVerdict } from '../traces/verdicts.ts';
import type { VisitChanged } from '../traces/visit-changes.ts';
import type { NewVisit } from '../traces/visits.ts';
import * as corrected from './correction-store.ts';
import type * as store from './trace-store.ts';

/** The rows that follow from decisions. Nothing here reads or writes. */

export interface Recording {
  readonly appId: string;
  readonly context: DecisionContext;
}

/** What was decided for one installation. */
export interface Decided {
  readonly decision: Decision;
  readonly recording: Recording;
  /** Of this writing of the track; without one it gets any. */
  readonly version?: number;
  /** The track stays in memory. */
  readonly isHeld?: boolean;
}

/** Of others only what messages need is stored: where they are now, and what they were shown. */
export const isNamed = ({ recording }: Decided) => recording.context.permissions?.analytics ?? true;

export function isEventful({ decision: { events, verdicts, sensed } }: Decided): boolean {
  const { changedEvents, removedEvents, visits } = sensed;
  return events.length + verdicts.length + changedEvents.length + removedEvents.length + visits.length > 0;
}

const writtenOf = ({ appId, context }: Recording): WriteContext => ({ appId, now: context.now });
const keyOf = ({ decision, recording }: Decided) => ({
  appId: recording.appId,
  installationId: decision.installationId,
});

export function trackOf(decided: Decided) {
  const { record: whole, deadline } = decided.decision;
  const record = isNamed(decided) ? whole : { ...whole, segments: [], told: null };
  const { version = newVersion() } = decided;
  return { ...keyOf(decided), record, deadline, now: decided.recording.context.now, version };
}

/** Only where beacons are decided together: the others are a site's that asked for nothing of the kind. */
export function whereaboutsOf(decided: Decided): NewPosition[] {
  const { whereabouts } = decided.decision;
  const { policy, now } = decided.recording.context;
  return policy.oneZone && whereabouts !== undefined ? [{ ...keyOf(decided), whereabouts, now }] : [];
}

/** They are kept sparsely. */
export const positionOf = (decided: Decided): NewPosition[] =>
  whereaboutsOf(decided).filter(({ whereabouts }) => whereabouts.isDue);

export function samplesOf(decided: Decided) {
  return decided.decision.sensed.written.map((written) => ({ ...keyOf(decided), ...written }));
}

function droppedOf(decided: Decided) {
  return decided.decision.sensed.dropped.map((startedAt) => ({ ...keyOf(decided), startedAt }));
}

/** What is replaced by what is written afterwards. */
export function correctionsOf(dialect: Dialect, decided: readonly Decided[], logs: LogStore): Sql[] {
  const eventRows = (of: 'removedEvents' | 'changedEvents') =>
    decided.flatMap(({ decision, recording }) =>
      decision.sensed[of].map((event): NewEvent => {
        // What the engine's own state revokes does not say whose it is.
        return { ...writtenOf(recording), event: { ...event, installationId: decision.installationId } };
      }),
    );
  const [removed, changed] = [eventRows('removedEvents'), eventRows('changedEvents')];
  const visits = decided.flatMap(({ decision: { sensed, installationId }, recording }) =>
    sensed.visits.map((visit) => ({ ...writtenOf(recording), installationId, visit })),
  );
  const parted = decided.flatMap(({ decision: { sensed, installationId }, recording }) =>
    sensed.parted.map((part) => ({ ...writtenOf(recording), installationId, part })),
  );
  return [
    ...dropSegments(dialect, decided.flatMap(droppedOf)),
    ...corrected.removeEvents(dialect, removed),
    ...logs.remove(dialect, removed.flatMap(bothLogsOf)),
    ...corrected.changeEvents(dialect, changed),
    ...logs.change(dialect, changed.flatMap(bothLogsOf)),
    ...corrected.changeVisits(dialect, visits),
    ...corrected.removeVisits(dialect, visits),
    ...corrected.moveMessages(dialect, visits),
    ...corrected.partMessages(dialect, parted),
  ];
}

const isLogged = ({ event: { event } }: NewEvent) => event === 'ENTER' || event === 'EXIT';

function logOf({ appId, now, event }: NewEvent, moduleType: EventLog['moduleType']): EventLog {
  const { id, event: kind, beaconId, installationId, at } = event;
  return { appId, moduleType, event: kind, beaconId, installationId, occurredAt: at, eventId: id, now };
}

/** The log records that an event may have. */
const bothLogsOf = (row: NewEvent): EventLog[] =>
  isLogged(row) ? [logOf(row, 'PRESENCE'), logOf(row, 'STORYLINE')] : [];

/** The increase in finished visits, by beacon. */
export function countsOf(decided: Decided) {
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

export function eventsOf({ decision, recording }: Decided): NewEvent[] {
  const written = writtenOf(recording);
  return decision.events.map((event) => ({ ...written, event }));
}

const endsOf = (events: readonly PresenceEvent[]) =>
  new Map(events.filter(({ event }) => event === 'EXIT').map((event) => [event.visitId, event]));

/** A visit that begins and ends in one batch is written whole: two statements of one round trip must not meet in a row. */
export function opened(decided: Decided): NewVisit[] {
  const ends = endsOf(decided.decision.events);
  return eventsOf(decided)
    .filter(({ event }) => event.event === 'ENTER')
    .map((row) => ({ ...row, exit: ends.get(row.event.visitId) }));
}

export function closed(decided: Decided): NewEvent[] {
  const { events } = decided.decision;
  const begun = new Set(events.filter(({ event }) => event === 'ENTER').map(({ visitId }) => visitId));
  const written = writtenOf(decided.recording);
  return [...endsOf(events).values()]
    .filter(({ visitId }) => !begun.has(visitId))
    .map((event) => ({ ...written, event }));
}

/** Where and when visits began that are different now. */
export function visitChangesOf(decided: Decided): VisitChanged[] {
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
export function logsOf(decided: Decided): EventLog[] {
  const { triggers } = decided.decision;
  const isInStoryline = (beaconId: string) =>
    (triggers.get(beaconId) ?? []).some(({ trigger }) => trigger.kind === 'scenario' && trigger.enabled);
  return (
    eventsOf(decided)
      // A client that decides and shows by itself writes its own records.
      .filter((row) => isLogged(row) && row.event.logged !== true)
      .flatMap((row) => {
        const kinds = isInStoryline(row.event.beaconId)
          ? (['PRESENCE', 'STORYLINE'] as const)
          : (['PRESENCE'] as const);
        return kinds.map((moduleType) => logOf(row, moduleType));
      })
  );
}

export function verdictsOf({ decision, recording }: Decided): NewVerdict[] {
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

export function firingsOf({ decision, recording: { appId } }: Decided): store.NewFiring[] {
  return decision.fired.map(({ verdict }) => ({ appId, installationId: decision.installationId, verdict }));
}

/** Only for those who may be named: a message to others is shown, but not counted by visitor. */
export function showingsOf({ decision, recording: { appId, context } }: Decided): Showing[] {
  const { installationId } = decision;
  return decision.verdicts
    .filter(({ verdict }) => verdict.outcome === 'fired' || verdict.reason === 'holdout')
    .map(({ beaconId, verdict }) => ({
      appId,
      beaconId,
      deliveryId: triggerDeliveryId(verdict, context),
      installationId,
      triggerId: verdict.triggerId,
      group: verdict.group ?? '',
      at: verdict.at,
    }));
}

export function pushesOf({ decision, recording }: Decided): ProximityMessage[] {
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
