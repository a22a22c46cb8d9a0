import type { Decision } from '../features/sightings/decide/decide.ts';
import type { PresenceEvent } from '../proximity/index.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { type Guest, seededId, senderOf } from './guests.ts';
import { Traces } from './rows.ts';
import { isReachable, type Judged } from './walk-through.ts';

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

const flag = (value: boolean | undefined) => (value === true ? 1 : 0);

export function tourRows(judged: readonly Judged[], context: TourContext): Traces {
  const traces = new Traces();
  const random = createRandom(`${context.seed}/rows`);
  const { appId } = context;
  const entrances = new Map<string, { readonly event: PresenceEvent; readonly now: number }>();
  // The final verdict after a wait replaces the pending one.
  const verdicts = new Map<string, readonly (string | number | null)[]>();
  for (const { decision, now } of judged) {
    for (const event of decision.events) {
      traces.add('events', eventRow(appId, event, now));
      if (event.event === 'ENTER') entrances.set(event.visitId, { event, now });
      const entrance = entrances.get(event.visitId);
      if (event.event === 'EXIT' && entrance) traces.add('visits', visitRow(appId, entrance, { event, now }));
    }
    traces.add('logs', ...logRows(appId, { decision, now }, random));
    addVerdicts({ traces, verdicts, random }, { decision, now }, context);
  }
  traces.add('verdicts', ...verdicts.values());
  return traces;
}

const eventRow = (appId: string, event: PresenceEvent, now: number) => [
  appId,
  event.id,
  event.event,
  event.beaconId,
  event.installationId,
  event.visitId,
  event.at,
  event.distance ?? null,
  event.enteredAt ?? null,
  event.leftAt ?? null,
  event.cause,
  flag(event.inferred),
  now,
];

interface Told {
  readonly event: PresenceEvent;
  readonly now: number;
}

function visitRow(appId: string, entrance: Told, exit: Told) {
  const { event } = entrance;
  const enteredAt = event.enteredAt ?? event.at;
  const leftAt = exit.event.leftAt ?? exit.event.at;
  const dwell = (leftAt - enteredAt) / 1000;
  const ends = [leftAt, dwell, 0, event.cause, exit.event.cause, flag(exit.event.inferred)];
  return [appId, event.visitId, event.beaconId, event.installationId, enteredAt, ...ends, entrance.now, exit.now];
}

function logRows(appId: string, { decision, now }: Judged, random: Random) {
  const isInStoryline = (beaconId: string) =>
    (decision.triggers.get(beaconId) ?? []).some(({ trigger }) => trigger.kind === 'scenario' && trigger.enabled);
  const told = decision.events.filter(({ event }) => event === 'ENTER' || event === 'EXIT');
  return told.flatMap((event) =>
    (isInStoryline(event.beaconId) ? ['PRESENCE', 'STORYLINE'] : ['PRESENCE']).map((module) => {
      const { id, beaconId, installationId, at } = event;
      return [
        appId,
        seededId(random, now),
        module,
        event.event,
        beaconId,
        installationId,
        at,
        `${id}:${module}`,
        now,
        now,
      ];
    }),
  );
}

interface Writing {
  readonly traces: Traces;
  readonly verdicts: Map<string, readonly (string | number | null)[]>;
  readonly random: Random;
}

function addVerdicts({ traces, verdicts, random }: Writing, { decision, now }: Judged, context: TourContext): void {
  const { appId, guest, firingsSince } = context;
  const fired = new Map(decision.fired.map(({ verdict, deliveryId }) => [verdict, deliveryId]));
  for (const { beaconId, verdict } of decision.verdicts) {
    const { eventId, triggerId, kind, event, visitId, at } = verdict;
    const deliveryId = fired.get(verdict) ?? null;
    const head = [appId, `${eventId}-${triggerId}`, eventId, triggerId, kind, event, beaconId, guest.objectId];
    const said = [verdict.outcome, verdict.reason, verdict.text, at, verdict.dueAt ?? null, deliveryId, now];
    verdicts.set(`${eventId}-${triggerId}`, [...head, visitId, ...said]);
    if (deliveryId === null) continue;
    if (at >= firingsSince) traces.add('firings', [appId, guest.objectId, at, eventId, triggerId, visitId]);
    traces.add('deliveries', proximityDelivery(random, { deliveryId, verdict, now }, context));
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
  const ids = [appId, deliveryId, null, verdict.eventId, verdict.triggerId, guest.objectId];
  return [...ids, ...outcome.cells, now, expiresAt, ...outcome.times, now, outcome.updatedAt];
}

export interface DeliveryOutcome {
  readonly state: 'sent' | 'failed' | 'expired' | 'noTarget';
  /** state, reason, sender, attempts */
  readonly cells: readonly (string | number | null)[];
  /** sentAt, receivedAt, openedAt */
  readonly times: readonly (number | null)[];
  readonly updatedAt: number;
}

/** The outcome of one message; most arrive, some are opened. The words are those of the service and the providers. */
export function deliveryOutcome(
  random: Random,
  guest: Guest,
  { at, openRate, isPush = false }: { readonly at: number; readonly openRate: number; readonly isPush?: boolean },
): DeliveryOutcome {
  const [chance, delay, opens, later] = [random.next(), random.between(200, 2_500), random.next(), random.next()];
  const end = (
    state: DeliveryOutcome['state'],
    reason: string,
    [sender, tries]: [string | null, 0 | 1] = [null, 0],
  ) => ({
    state,
    cells: [state, reason, sender, tries],
    times: [null, null, null],
    updatedAt: at + Math.round(delay),
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
    cells: ['sent', null, sender, 1],
    times: [sentAt, receivedAt, openedAt],
    updatedAt: openedAt ?? receivedAt ?? sentAt,
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
