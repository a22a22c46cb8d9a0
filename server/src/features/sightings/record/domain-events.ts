import type { PresenceEvent } from '@pharos/engine';
import type { DomainEvent } from '../../domain-event.ts';
import type { Decision } from '../decide/decide.ts';
import type { VisitChange } from '../decide/reconcile.ts';
import { shownEvent } from '../traces/events.ts';
import { type NewPosition, positionRow, positions } from '../traces/positions.ts';
import { verdictCells, verdicts } from '../traces/verdicts.ts';
import { visitEndOf, visits } from '../traces/visits.ts';

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

/** A visit that was told has turned out to be another one. */
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
