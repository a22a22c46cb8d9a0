import { Link } from '@tanstack/react-router';
import { BeaconName, VisitorId } from '../../components/names/names.tsx';
import { eventWords } from '../../lib/text/event-words.ts';
import type { Times } from '../../lib/time/times.ts';
import { t, tenths } from '../../lib/words/words.ts';
import {
  type ActivityTab,
  beaconFilter,
  idFilter,
  optionsOf,
  rowsWithBeacons,
  timeText,
  visitorFilter,
} from './activity-tab.ts';
import { type ActivityEvent, causeWords, eventLabels } from './words.ts';

const eventFilterOptions = optionsOf(eventLabels);

export const eventsTab = (appId: string, times: Times): ActivityTab<'listEvents'> => ({
  narrowing: { time: 'occurredAt', kind: 'event', hasBeacon: true },
  kinds: { label: t('All kinds'), options: eventFilterOptions },
  list: {
    operation: 'listEvents',
    plural: t('events'),
    defaultOrder: '-objectId',
    csv: {
      header: [
        'occurredAt',
        'event',
        'beacon',
        'beaconId',
        'installationId',
        'visitId',
        'cause',
        'distance',
        'objectId',
      ],
      rows: (events) =>
        rowsWithBeacons(appId, events, (event, beacon) => [
          event.occurredAt,
          event.event,
          beacon,
          event.beaconId.objectId,
          event.installationId.objectId,
          event.visitId,
          event.cause,
          event.distance === undefined ? '' : String(event.distance),
          event.objectId,
        ]),
    },
    columns: [
      {
        name: 'event',
        label: t('What happened'),
        render: ({ objectId, event, beaconId }: ActivityEvent) => (
          <Link to="/apps/$appId/activity/events/$eventId" params={{ appId, eventId: objectId }}>
            {eventWords[event]} <BeaconName appId={appId} beaconId={beaconId.objectId} />
          </Link>
        ),
      },
      {
        name: 'occurredAt',
        label: t('When'),
        sortBy: 'objectId',
        isTime: true,
        render: (event) => timeText(times, event.occurredAt),
      },
      {
        name: 'visitor',
        label: t('Visitor'),
        render: (event) => <VisitorId objectId={event.installationId.objectId} />,
      },
      { name: 'cause', label: t('Detected by'), isDeskOnly: true, render: (event) => causeWords[event.cause] },
      {
        name: 'distance',
        label: t('Distance'),
        sortBy: 'distance',
        isNumber: true,
        render: ({ distance }) => (distance === undefined ? '' : `${tenths(distance)} m`),
      },
    ],
    filters: [
      { name: 'event', label: t('Event'), kind: 'choice', choices: eventFilterOptions },
      beaconFilter,
      visitorFilter,
      { name: 'occurredAt', label: t('When'), kind: 'date' },
      { name: 'cause', label: t('Detected by'), kind: 'choice', choices: optionsOf(causeWords) },
      { name: 'inferred', label: t('Inferred'), kind: 'boolean' },
      { name: 'distance', label: t('Distance in metres'), kind: 'number' },
      { name: 'visitId', label: t('Visit'), kind: 'text' },
      idFilter,
    ],
  },
});
