import { isoTime } from '../../../http/answers.ts';
import type { PresenceEvent } from '../../../proximity/index.ts';
import type { Happening } from '../../happening.ts';
import { answeredRivals } from '../../rivals.ts';
import type { Decision } from '../decide/decide.ts';
import type { VisitChange } from '../decide/reconcile.ts';

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

export function happeningsOf({ installationId, events, sensed, verdicts, fired }: Decision): Happening[] {
  const deliveries = new Map(fired.map(({ verdict, deliveryId }) => [verdict, deliveryId]));
  return [
    ...sensed.visits.map((visit) => updateOf(visit, installationId)),
    ...events.flatMap(presenceOf),
    ...verdicts.map(({ beaconId, verdict }): Happening => {
      const place = placeOf({ beaconId, installationId });
      const { eventId, triggerId, kind, event, visitId, outcome, reason, text, at, dueAt } = verdict;
      const deliveryId = deliveries.get(verdict);
      const judged = { eventId, triggerId, kind, event, ...place, visitId, outcome, reason, text };
      const rest = { ...optionalTime('dueAt', dueAt), ...(deliveryId === undefined ? {} : { deliveryId }) };
      return { type: 'message.verdict', at, data: { ...judged, decidedAt: isoTime(at), ...rest } };
    }),
    ...fired.map(({ beaconId, verdict, deliveryId, shown }): Happening => {
      const place = placeOf({ beaconId, installationId });
      const { eventId, visitId, event, triggerId, kind, at } = verdict;
      const data = { deliveryId, eventId, visitId, event, triggerId, kind, ...place, content: shown.content };
      return { type: 'message.fired', at, data };
    }),
  ];
}

/** A visit that was told has turned out to be another one. */
function updateOf(
  { id, beaconId, change, enteredAt, exit, mergedInto }: VisitChange,
  installationId: string,
): Happening {
  const left = exit === null ? null : (exit.leftAt ?? exit.at);
  const data = {
    objectId: id,
    ...placeOf({ beaconId, installationId }),
    change,
    enteredAt: isoTime(enteredAt),
    leftAt: left === null ? null : isoTime(left),
    dwell: left === null ? null : Math.max(0, left - enteredAt) / 1000,
    isOpen: exit === null,
    endedBy: exit?.cause ?? null,
    inferred: exit?.inferred === true,
    ...(mergedInto === undefined ? {} : { mergedInto }),
  };
  return { type: 'visit.updated', at: left ?? enteredAt, data };
}

function presenceOf(event: PresenceEvent): Happening[] {
  const { event: kind, visitId, at, enteredAt, leftAt, distance, cause, inferred, rivals } = event;
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
      ...(rivals === undefined ? {} : { rivals: answeredRivals(rivals) }),
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
