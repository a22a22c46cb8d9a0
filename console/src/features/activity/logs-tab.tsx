import { BeaconName, VisitorId } from '../../components/names/names.tsx';
import { eventWords } from '../../lib/text/event-words.ts';
import type { Times } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import {
  type ActivityTab,
  beaconFilter,
  csvWithBeacons,
  idFilter,
  visitorFilter,
  whenColumn,
} from './activity-tab.tsx';
import type { Log } from './words.ts';

const logEvents = [
  { value: 'ENTER', label: t('Enters') },
  { value: 'EXIT', label: t('Leaves') },
];
const moduleOptions = [
  { value: 'PRESENCE', label: t('Presence') },
  { value: 'STORYLINE', label: t('Series of messages') },
];

export const logsTab = (appId: string, times: Times): ActivityTab<'listLogs'> => ({
  narrowing: { time: 'createdAt', kind: 'moduleType', hasBeacon: true },
  kinds: { label: t('Presence and series'), options: moduleOptions },
  list: {
    operation: 'listLogs',
    plural: t('log records'),
    defaultOrder: '-objectId',
    csv: csvWithBeacons(appId, ['createdAt', 'event', 'beacon', 'beaconId', 'installationId', 'objectId']),
    columns: [
      {
        name: 'event',
        label: t('What happened'),
        render: ({ event, beaconId }: Log) => (
          <>
            {eventWords[event]} <BeaconName appId={appId} beaconId={beaconId.objectId} />
          </>
        ),
      },
      whenColumn(times, 'createdAt', t('Recorded')),
      {
        name: 'visitor',
        label: t('Visitor'),
        render: ({ installationId }) =>
          installationId ? <VisitorId objectId={installationId.objectId} /> : t('unknown'),
      },
    ],
    filters: [
      { name: 'event', label: t('Event'), kind: 'choice', choices: logEvents },
      { name: 'moduleType', label: t('Kind'), kind: 'choice', choices: moduleOptions },
      beaconFilter,
      visitorFilter,
      { name: 'createdAt', label: t('Recorded'), kind: 'date' },
      idFilter,
    ],
  },
});
