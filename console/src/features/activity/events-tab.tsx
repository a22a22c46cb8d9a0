import { Link } from '@tanstack/react-router';
import { BeaconName } from '../../components/names/names.tsx';
import { eventWords } from '../../lib/text/event-words.ts';
import type { Times } from '../../lib/time/times.ts';
import { t, tenths } from '../../lib/words/words.ts';
import {
  type ActivityTab,
  beaconFilter,
  csvWithBeacons,
  idFilter,
  optionsOf,
  visitorColumn,
  visitorFilter,
  whenColumn,
} from './activity-tab.tsx';
import { type ActivityEvent, causeWords, eventLabels } from './words.ts';

const eventFilterOptions = optionsOf(eventLabels);

const header = [
  'occurredAt',
  'event',
  'beacon',
  'beaconId',
  'installationId',
  'visitId',
  'cause',
  'distance',
  'objectId',
];

export const eventsTab = (appId: string, times: Times): ActivityTab<'listEvents'> => ({
  narrowing: { time: 'occurredAt', kind: 'event', hasBeacon: true },
  kinds: { label: t('All kinds'), options: eventFilterOptions },
  list: {
    operation: 'listEvents',
    plural: t('events'),
    defaultOrder: '-objectId',
    csv: csvWithBeacons(appId, header),
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
      whenColumn(times, 'occurredAt', t('When')),
      visitorColumn,
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
