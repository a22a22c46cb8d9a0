import { isoTime } from '../../../http/answers.ts';
import type { PresenceEvent } from '../../../proximity/index.ts';
import type { Happening } from '../../happening.ts';
import type { Decision } from '../decide/decide.ts';

/** A decision in the shapes of `GET /events`, `/visits` and `/verdicts`, for webhooks and the live stream. */

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });

interface Where {
  readonly beaconId: string;
  readonly installationId: string;
}

const placeOf = ({ beaconId, installationId }: Where) => ({
  beaconId: pointer('Beacon', beaconId),
  installationId: pointer('_Installation', installationId),
});

const optionalTime = (name: string, at: number | undefined) => (at === undefined ? {} : { [name]: isoTime(at) });

export function happeningsOf({ outcome, fired, beaconId }: Decision, installationId: string): Happening[] {
  const place = placeOf({ beaconId, installationId });
  const deliveries = new Map(fired.map(({ verdict, deliveryId }) => [verdict, deliveryId]));
  return [
    ...outcome.events.flatMap(presenceOf),
    ...outcome.verdicts.map((verdict): Happening => {
      const { eventId, triggerId, kind, event, visitId, outcome, reason, text, at, dueAt } = verdict;
      const deliveryId = deliveries.get(verdict);
      const judged = { eventId, triggerId, kind, event, ...place, visitId, outcome, reason, text };
      const rest = { ...optionalTime('dueAt', dueAt), ...(deliveryId === undefined ? {} : { deliveryId }) };
      return { type: 'message.verdict', at, data: { ...judged, decidedAt: isoTime(at), ...rest } };
    }),
    ...fired.map(({ verdict, deliveryId, shown }): Happening => {
      const { eventId, visitId, event, triggerId, kind, at } = verdict;
      const data = { deliveryId, eventId, visitId, event, triggerId, kind, ...place, content: shown.content };
      return { type: 'message.fired', at, data };
    }),
  ];
}

function presenceOf(event: PresenceEvent): Happening[] {
  const { event: kind, visitId, at, enteredAt, leftAt, distance, cause, inferred } = event;
  const place = placeOf(event);
  const seen: Happening = {
    type: kind === 'ENTER' ? 'presence.enter' : kind === 'EXIT' ? 'presence.exit' : 'presence.zone',
    at,
    data: {
      objectId: event.id,
      event: kind,
      ...place,
      visitId,
      occurredAt: isoTime(at),
      ...optionalTime('enteredAt', enteredAt),
      ...optionalTime('leftAt', leftAt),
      ...(distance === undefined ? {} : { distance }),
      cause,
      inferred: inferred === true,
    },
  };
  const visit = { objectId: visitId, ...place, enteredAt: isoTime(enteredAt ?? at) };
  if (kind === 'ENTER') return [seen, { type: 'visit.opened', at, data: { ...visit, source: cause } }];
  if (kind !== 'EXIT') return [seen];
  const left = leftAt ?? at;
  const dwell = Math.max(0, left - (enteredAt ?? left)) / 1000;
  const data = { ...visit, leftAt: isoTime(left), dwell, endedBy: cause, inferred: inferred === true };
  return [seen, { type: 'visit.closed', at, data }];
}
