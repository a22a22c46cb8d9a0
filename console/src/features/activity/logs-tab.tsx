import { BeaconName, VisitorId } from '../../components/page/names.tsx';
import { eventWords } from '../../lib/text/event-words.ts';
import type { Times } from '../../lib/time/times.ts';
import { type ActivityTab, beaconFilter, idFilter, rowsWithBeacons, timeText, visitorFilter } from './activity-tab.ts';
import type { Log } from './words.ts';

const logEvents = [
  { value: 'ENTER', label: 'Enters' },
  { value: 'EXIT', label: 'Leaves' },
];
const moduleOptions = [
  { value: 'PRESENCE', label: 'Presence' },
  { value: 'STORYLINE', label: 'Storylines' },
];

export const logsTab = (appId: string, times: Times): ActivityTab<'listLogs'> => ({
  narrowing: { time: 'createdAt', kind: 'moduleType', hasBeacon: true },
  kinds: { label: 'Presence and storylines', options: moduleOptions },
  list: {
    operation: 'listLogs',
    plural: 'log records',
    defaultOrder: '-objectId',
    csv: {
      header: ['createdAt', 'event', 'beacon', 'beaconId', 'installationId', 'objectId'],
      rows: (logs) =>
        rowsWithBeacons(appId, logs, (log, beacon) => [
          log.createdAt,
          log.event,
          beacon,
          log.beaconId.objectId,
          log.installationId?.objectId ?? '',
          log.objectId,
        ]),
    },
    columns: [
      {
        name: 'event',
        label: 'What happened',
        render: ({ event, beaconId }: Log) => (
          <>
            {eventWords[event]} <BeaconName appId={appId} beaconId={beaconId.objectId} />
          </>
        ),
      },
      {
        name: 'createdAt',
        label: 'Recorded',
        sortBy: 'objectId',
        isTime: true,
        render: (log) => timeText(times, log.createdAt),
      },
      {
        name: 'visitor',
        label: 'Visitor',
        render: ({ installationId }) => (installationId ? <VisitorId objectId={installationId.objectId} /> : 'unknown'),
      },
    ],
    filters: [
      { name: 'event', label: 'Event', kind: 'choice', choices: logEvents },
      { name: 'moduleType', label: 'Kind', kind: 'choice', choices: moduleOptions },
      beaconFilter,
      visitorFilter,
      { name: 'createdAt', label: 'Recorded', kind: 'date' },
      idFilter,
    ],
  },
});
