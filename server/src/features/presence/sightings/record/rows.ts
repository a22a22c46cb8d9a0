import type { PresenceEvent } from '@pharos/engine';
import { type Decision, type Fired, isForgetful, triggerDeliveryId, type VisitChange } from '@pharos/engine/decide';
import type { Sql } from '../../../../base/sql.ts';
import type { Dialect } from '../../../../db/dialect.ts';
import type { ProximityMessage } from '../../../../delivery/push/content.ts';
import type { DomainEvent } from '../../../domain-event.ts';
import type { EventLog, LogStore } from '../../../event-log.ts';
import type { Showing } from '../../../showing.ts';
import type { NewKey } from '../lock/fresh.ts';
import { dropSegments, type NewBatch } from '../lock/track-store.ts';
import type { Decided } from '../stages/stages.ts';
import {
  type NewEvent,
  type NewVerdict,
  shownEvent,
  verdictCells,
  verdicts,
  type WriteContext,
} from '../traces/events.ts';
import { type NewPosition, positionRow, positions } from '../traces/positions.ts';
import type { TrackKey } from '../traces/reported.ts';
import { type NewVisit, type VisitChanged, visitEndOf, visits } from '../traces/visits.ts';
import type * as store from './trace-store.ts';
import * as corrected from './trace-store.ts';

/** The rows that follow from decisions. Nothing here reads or writes. */

/** Of others only what messages need is stored: where they are now, and what they were shown. */
export const isNamed = ({ context }: Decided) => context.permissions?.analytics ?? true;

export function isEventful({ decision: { events, verdicts, sensed } }: Decided): boolean {
  const { changedEvents, removedEvents, visits } = sensed;
  return events.length + verdicts.length + changedEvents.length + removedEvents.length + visits.length > 0;
}

/**
 * The tracks to look back on: their visits have changed, and positions are known. Not in apps that keep no visits, whose numbers are final.
 */
export function lookedBackOn(decided: Decided): TrackKey[] {
  const { context, decision } = decided;
  const { events, changedEvents, visits } = { ...decision.sensed, events: decision.events };
  const isTimed = [...events, ...changedEvents].some(({ event }) => event === 'ENTER' || event === 'EXIT');
  const isLocated = Object.values(decision.record.track.beacons).some(
    ({ settings }) => settings.location !== undefined,
  );
  return (isTimed || visits.length > 0) && isLocated && context.policy.oneZone && !isForgetful(context.policy)
    ? [keyOf(decided)]
    : [];
}

const writtenOf = ({ appId, context }: Decided): WriteContext => ({ appId, now: context.now });
const keyOf = ({ appId, decision }: Decided) => ({
  appId,
  installationId: decision.installationId,
});

export function trackOf(decided: Decided) {
  const { record, deadline } = decided.decision;
  return { ...keyOf(decided), record, deadline, now: decided.context.now, version: decided.version };
}

/** Only where beacons are decided together: the others are a site's that asked for nothing of the kind. */
export function whereaboutsOf(decided: Decided): NewPosition[] {
  const { whereabouts } = decided.decision;
  const { policy, now } = decided.context;
  return policy.oneZone && whereabouts !== undefined ? [{ ...keyOf(decided), whereabouts, now }] : [];
}

/** They are kept sparsely. */
export const positionOf = (decided: Decided): NewPosition[] =>
  whereaboutsOf(decided).filter(({ whereabouts }) => whereabouts.isDue);

export const keysOf = (decided: Decided): NewKey[] =>
  decided.keys.map((key) => ({ ...keyOf(decided), key, now: decided.context.now }));

export const batchOf = (decided: Decided): NewBatch[] =>
  decided.batch === undefined ? [] : [{ ...keyOf(decided), ...decided.batch }];

/** Those whose batches are in the track that is written. */
export const mergedOf = (decided: Decided): TrackKey[] => (decided.hasBatches ? [keyOf(decided)] : []);

export function samplesOf(decided: Decided) {
  return decided.decision.sensed.written.map((written) => ({ ...keyOf(decided), ...written }));
}

function droppedOf(decided: Decided) {
  return decided.decision.sensed.dropped.map((startedAt) => ({ ...keyOf(decided), startedAt }));
}

/** What is replaced by what is written afterwards. */
export function correctionsOf(dialect: Dialect, decided: readonly Decided[], logs: LogStore): Sql[] {
  const eventRows = (of: 'removedEvents' | 'changedEvents') =>
    decided.flatMap((one) =>
      one.decision.sensed[of].map((event): NewEvent => {
        // What the engine's own state revokes does not say whose it is.
        return { ...writtenOf(one), event: { ...event, installationId: one.decision.installationId } };
      }),
    );
  const [removed, changed] = [eventRows('removedEvents'), eventRows('changedEvents')];
  const ofWhom = (one: Decided) => ({ ...writtenOf(one), installationId: one.decision.installationId });
  const visits = decided.flatMap((one) => one.decision.sensed.visits.map((visit) => ({ ...ofWhom(one), visit })));
  const parted = decided.flatMap((one) => one.decision.sensed.parted.map((part) => ({ ...ofWhom(one), part })));
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
  const { decision, context } = decided;
  const counts = new Map<string, number>();
  const count = (events: readonly PresenceEvent[], one: number) => {
    for (const { event, beaconId } of events)
      if (event === 'EXIT') counts.set(beaconId, (counts.get(beaconId) ?? 0) + one);
  };
  count(decision.events, 1);
  count(decision.sensed.removedEvents, -1);
  const { now } = context;
  return [...counts]
    .filter(([, count]) => count !== 0)
    .map(([beaconId, count]) => ({ ...keyOf(decided), beaconId, count, now }));
}

export function eventsOf(decided: Decided): NewEvent[] {
  const written = writtenOf(decided);
  return decided.decision.events.map((event) => ({ ...written, event }));
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
  const written = writtenOf(decided);
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

export function verdictsOf(decided: Decided): NewVerdict[] {
  const { verdicts, fired, installationId } = decided.decision;
  const written = writtenOf(decided);
  const deliveries = new Map(fired.map(({ verdict, deliveryId }) => [verdict, deliveryId]));
  for (const { verdict } of decided.decision.shown)
    deliveries.set(verdict, triggerDeliveryId(verdict, decided.context));
  return verdicts.map(({ beaconId, verdict }) => ({
    ...written,
    verdict,
    beaconId,
    installationId,
    deliveryId: deliveries.get(verdict) ?? null,
  }));
}

export function firingsOf({ appId, decision }: Decided): store.NewFiring[] {
  const { fired, shown, awaited, installationId } = decision;
  return [...[...fired, ...shown].map(({ verdict }) => verdict), ...awaited].map((verdict) => ({
    appId,
    installationId,
    verdict,
  }));
}

/** Only for those who may be named: a message to others is shown, but not counted by visitor. */
export function showingsOf({ appId, context, decision }: Decided): Showing[] {
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

export function pushesOf({ appId, context, decision }: Decided): ProximityMessage[] {
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

/** A decision in the shapes of `GET /events`, `/visits` and `/verdicts`, for webhooks and the live stream. */

interface Where {
  readonly beaconId: string;
  readonly installationId: string;
}

const placeOf = ({ beaconId, installationId }: Where) => ({ beacon_id: beaconId, installation_id: installationId });

export function domainEventsOf({ installationId, events, sensed, verdicts: judged, fired }: Decision): DomainEvent[] {
  const deliveries = new Map(fired.map(({ verdict, deliveryId }) => [verdict, deliveryId]));
  return [
    ...sensed.visits.map((visit) => updateOf(visit, installationId)),
    ...events.flatMap(presenceOf),
    ...judged.map(({ beaconId, verdict }): DomainEvent => {
      const deliveryId = deliveries.get(verdict) ?? null;
      const data = verdicts.records.show(verdictCells({ verdict, beaconId, installationId, deliveryId }));
      return { type: 'message.verdict', at: verdict.at, data };
    }),
    ...fired.map(({ beaconId, verdict, deliveryId, shown, language }): DomainEvent => {
      const {
        outcome: _fired,
        reason: _same,
        explanation: _said,
        decided_at: _at,
        due_at: _past,
        ...cells
      } = verdictCells({ verdict, beaconId, installationId, deliveryId });
      const data = verdicts.records.show(cells);
      const words = language === null ? {} : { language };
      return { type: 'message.fired', at: verdict.at, data: { ...data, ...words, content: shown.content } };
    }),
  ];
}

/** Where a visitor is, for those who watch. */
export function positionEventOf(position: NewPosition): DomainEvent {
  const row = positionRow(position);
  return { type: 'position.changed', at: row.sensed_at, data: positions.records.show(row) };
}

/** Corrects a visit that was reported. */
function updateOf(
  { id, beaconId, change, enteredAt, exit, mergedInto }: VisitChange,
  installationId: string,
): DomainEvent {
  const visit = { object_id: id, ...placeOf({ beaconId, installationId }), entered_at: enteredAt };
  const end = visitEndOf(exit, enteredAt);
  const data = {
    ...visits.records.show({ ...visit, ...end }),
    change,
    ...(mergedInto === undefined ? {} : { mergedInto }),
  };
  return { type: 'visit.updated', at: end.left_at ?? enteredAt, data };
}

const presenceTypes = { ENTER: 'presence.enter', EXIT: 'presence.exit' } as const;

function presenceOf(event: PresenceEvent): DomainEvent[] {
  const { event: kind, visitId, at, enteredAt, cause } = event;
  if (kind !== 'ENTER' && kind !== 'EXIT') return [{ type: 'presence.zone', at, data: shownEvent(event) }];
  const seen: DomainEvent = { type: presenceTypes[kind], at, data: shownEvent(event) };
  const visit = { object_id: visitId, ...placeOf(event), entered_at: enteredAt ?? at };
  if (kind === 'ENTER')
    return [seen, { type: 'visit.opened', at, data: visits.records.show({ ...visit, source: cause }) }];
  const { is_open: _over, ...end } = visitEndOf(event);
  return [seen, { type: 'visit.closed', at, data: visits.records.show({ ...visit, ...end }) }];
}
