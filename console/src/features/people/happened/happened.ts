import type { Listed } from '../../../lib/data/api.ts';

/** What the service has written of a person's phones, as one list. */

type Event = Listed<'listEvents'>;
type Verdict = Listed<'listVerdicts'>;
type Delivery = Listed<'listDeliveries'>;

export type Happening =
  | { readonly at: string; readonly event: Event; readonly verdicts: readonly Verdict[] }
  | { readonly at: string; readonly delivery: Delivery };

const rank: Readonly<Record<Verdict['outcome'], number>> = { fired: 0, pending: 1, stopped: 2 };

interface Found {
  readonly events: readonly Event[];
  readonly verdicts: readonly Verdict[];
  readonly deliveries: readonly Delivery[];
}

const isEnd = ({ event }: Event) => event === 'ENTER' || event === 'EXIT';

/**
 * The latest first: arrivals, departures, other events at which something was decided, and pushes that no event has set off.
 */
export function happeningsOf({ events, verdicts, deliveries }: Found): readonly Happening[] {
  const ofEvents = new Set(verdicts.flatMap(({ deliveryId }) => deliveryId ?? []));
  const judged = events.map((event) => ({
    at: event.occurredAt,
    event,
    verdicts: verdicts
      .filter(({ eventId }) => eventId === event.objectId)
      .toSorted((a, b) => rank[a.outcome] - rank[b.outcome]),
  }));
  return [
    ...judged.filter((one) => isEnd(one.event) || one.verdicts.length > 0),
    ...deliveries
      .filter(({ objectId }) => !ofEvents.has(objectId))
      .map((delivery) => ({ at: delivery.createdAt, delivery })),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}
