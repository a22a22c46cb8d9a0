import type { PresenceEvent } from '@pharos/engine';
import { type Decision, triggerDeliveryId } from '@pharos/engine/decide';
import { createRandom, type Random } from '@pharos/engine/simulation';
import type { RowOf } from '../db/table.ts';
import type { deliveries } from '../features/messages/push/resource.ts';
import { logRow } from '../features/presence/logs/store.ts';
import { eventRow, type VerdictRow, verdictRow } from '../features/presence/sightings/traces/events.ts';
import { visitRow } from '../features/presence/sightings/traces/visits.ts';
import { type Guest, seededId, senderOf } from './guests.ts';
import { Traces } from './rows.ts';
import { type DecidedReport, isReachable } from './walk-through.ts';

/** Turns the engine's decisions into rows, as the service writes them. */

export interface TourContext {
  readonly appId: string;
  readonly guest: Guest;
  /** Seed of the random choices about these rows. */
  readonly seed: string;
  /** Lifetime of a proximity message in seconds. */
  readonly pushTimeToLive: number;
  /** Firings count for pauses and caps only this far back. */
  readonly firingsSince: number;
}

export function tourRows(judged: readonly DecidedReport[], context: TourContext): Traces {
  const traces = new Traces();
  const random = createRandom(`${context.seed}/rows`);
  const { appId } = context;
  const entrances = new Map<string, { readonly event: PresenceEvent; readonly now: number }>();
  // The final verdict after a wait replaces the pending one.
  const verdicts = new Map<string, VerdictRow>();
  for (const { decision, now } of judged) {
    for (const event of decision.events) {
      traces.add('events', eventRow({ appId, event, now }));
      if (event.event === 'ENTER') entrances.set(event.visitId, { event, now });
      const entrance = entrances.get(event.visitId);
      if (event.event === 'EXIT' && entrance)
        traces.add('visits', { ...visitRow({ appId, ...entrance, exit: event }), updated_at: now });
    }
    traces.add('logs', ...logRows(appId, { decision, now }, random));
    addVerdicts({ traces, verdicts, random }, { decision, now }, context);
  }
  traces.add('verdicts', ...verdicts.values());
  return traces;
}

function logRows(appId: string, { decision, now }: DecidedReport, random: Random) {
  const isInStoryline = (beaconId: string) =>
    (decision.triggers.get(beaconId) ?? []).some(({ trigger }) => trigger.kind === 'scenario' && trigger.enabled);
  const reported = decision.events.filter(({ event }) => event === 'ENTER' || event === 'EXIT');
  return reported.flatMap((event) =>
    (isInStoryline(event.beaconId) ? ['PRESENCE', 'STORYLINE'] : ['PRESENCE']).map((moduleType) => {
      const { id, event: kind, beaconId, installationId, at: occurredAt } = event;
      const ids = { objectId: seededId(random, now), eventId: `${id}:${moduleType}` };
      return logRow({ appId, ...ids, moduleType, event: kind, beaconId, installationId, occurredAt, now });
    }),
  );
}

interface Writing {
  readonly traces: Traces;
  readonly verdicts: Map<string, VerdictRow>;
  readonly random: Random;
}

function addVerdicts(
  { traces, verdicts, random }: Writing,
  { decision, now }: DecidedReport,
  context: TourContext,
): void {
  const { appId, guest, firingsSince } = context;
  const fired = new Map(decision.fired.map(({ verdict, deliveryId }) => [verdict, deliveryId]));
  const installationId = guest.objectId;
  for (const { beaconId, verdict } of decision.verdicts) {
    const { eventId, triggerId, visitId, at } = verdict;
    const deliveryId = fired.get(verdict) ?? null;
    const row = verdictRow({ appId, now, verdict, beaconId, installationId, deliveryId });
    verdicts.set(row.object_id, row);
    const delivery = deliveryId && proximityDelivery(random, { deliveryId, verdict, now }, context);
    if (deliveryId !== null || verdict.reason === 'holdout') {
      const objectId = triggerDeliveryId(verdict, { installationId });
      traces.add('message_places', {
        app_id: appId,
        object_id: objectId,
        installation_id: installationId,
        shown_at: at,
        beacon_id: beaconId,
      });
      traces.add('message_showings', {
        app_id: appId,
        object_id: objectId,
        installation_id: installationId,
        trigger_id: triggerId,
        message_group: verdict.group ?? '',
        shown_at: at,
        is_first: 0,
        received_at: (delivery || undefined)?.received_at ?? null,
        opened_at: (delivery || undefined)?.opened_at ?? null,
        changes: 1,
      });
    }
    if (deliveryId === null) continue;
    if (at >= firingsSince)
      traces.add('firings', {
        app_id: appId,
        installation_id: installationId,
        fired_at: at,
        event_id: eventId,
        trigger_id: triggerId,
        visit_id: visitId,
      });
    if (delivery) traces.add('deliveries', delivery);
  }
}

interface Fired {
  readonly deliveryId: string;
  readonly verdict: Decision['verdicts'][number]['verdict'];
  readonly now: number;
}

function proximityDelivery(random: Random, { deliveryId, verdict, now }: Fired, context: TourContext) {
  const { appId, guest, pushTimeToLive } = context;
  const expiresAt = now + pushTimeToLive * 1000;
  const outcome = deliveryOutcome(random, guest, { at: now, openRate: 0.34 });
  return {
    app_id: appId,
    object_id: deliveryId,
    event_id: verdict.eventId,
    trigger_id: verdict.triggerId,
    installation_id: guest.objectId,
    ...outcome.cells,
    run_at: now,
    expires_at: expiresAt,
    created_at: now,
  };
}

export interface PlannedDelivery {
  readonly state: 'sent' | 'failed' | 'expired' | 'noTarget';
  readonly cells: Pick<
    RowOf<typeof deliveries.table>,
    'state' | 'reason' | 'sender' | 'attempts' | 'sent_at' | 'received_at' | 'opened_at' | 'updated_at'
  >;
}

/** The outcome of one message; most arrive, some are opened. The words are those of the service and the providers. */
export function deliveryOutcome(
  random: Random,
  guest: Guest,
  { at, openRate, isPush = false }: { readonly at: number; readonly openRate: number; readonly isPush?: boolean },
): PlannedDelivery {
  const [chance, delay, opens, later] = [random.next(), random.between(200, 2_500), random.next(), random.next()];
  const end = (
    state: PlannedDelivery['state'],
    reason: string,
    [sender, tries]: [string | null, 0 | 1] = [null, 0],
  ) => ({
    state,
    cells: {
      state,
      reason,
      sender,
      attempts: tries,
      sent_at: null,
      received_at: null,
      opened_at: null,
      updated_at: at + Math.round(delay),
    },
  });
  if (!isReachable(guest, at) || guest.deviceType === 'embedded') return end('noTarget', noTargetReason(guest, isPush));
  const sender = senderOf[guest.deviceType];
  if (chance < 0.006) return end('failed', failures[sender], [sender, 1]);
  if (chance < 0.012) return end('expired', 'It could not be sent in time.');
  const sentAt = at + Math.round(delay);
  const receivedAt = chance < 0.86 ? sentAt + 300 + Math.round(later * (isPush ? 3_600_000 : 2_000)) : null;
  const openedAt = receivedAt !== null && opens < openRate ? receivedAt + 2_000 + Math.round(later * 90_000) : null;
  return {
    state: 'sent',
    cells: {
      state: 'sent',
      reason: null,
      sender,
      attempts: 1,
      sent_at: sentAt,
      received_at: receivedAt,
      opened_at: openedAt,
      updated_at: openedAt ?? receivedAt ?? sentAt,
    },
  };
}

const failures = {
  apns: 'APNs 400 TopicDisallowed',
  fcm: 'FCM 400 INVALID_ARGUMENT The message is invalid.',
  webpush: 'The push service answered 413',
} as const;

function noTargetReason(guest: Guest, isPush: boolean): string {
  if (!isPush) return 'The installation has no device token that is alive.';
  if (guest.deviceToken === null) return 'The installation has no device token.';
  return `The device token is dead: ${guest.tokenDeadReason ?? 'the provider said so'}`;
}
