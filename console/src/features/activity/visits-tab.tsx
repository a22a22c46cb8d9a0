import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { BeaconName } from '../../components/names/names.tsx';
import { showStay, type Times } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
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
import { causeWords, endWords, type Visit } from './words.ts';

const header = [
  'enteredAt',
  'leftAt',
  'dwellSeconds',
  'smoothedDwellSeconds',
  'beacon',
  'beaconId',
  'installationId',
  'source',
  'endedBy',
  'inferred',
  'objectId',
];

const stayedCell = (visit: Visit) => showStay(visit) ?? <Badge color="teal">{t('still here')}</Badge>;

export const visitsTab = (appId: string, times: Times): ActivityTab<'listVisits'> => ({
  narrowing: { time: 'enteredAt', kind: 'source', hasBeacon: true },
  kinds: {
    label: t('Any source'),
    options: [
      { value: 'samples', label: t('Beacon signals') },
      { value: 'device', label: t('The phone') },
    ],
  },
  list: {
    operation: 'listVisits',
    plural: t('visits'),
    defaultOrder: '-enteredAt',
    csv: csvWithBeacons(appId, header, { dwellSeconds: 'dwell', smoothedDwellSeconds: 'smoothedDwell' }),
    columns: [
      {
        name: 'beacon',
        label: t('Beacon'),
        render: ({ objectId, beaconId }: Visit) => (
          <Link to="/apps/$appId/activity" params={{ appId }} search={{ list: 'events', where: { visitId: objectId } }}>
            <BeaconName appId={appId} beaconId={beaconId.objectId} />
          </Link>
        ),
      },
      whenColumn(times, 'enteredAt', t('Entered'), 'enteredAt'),
      {
        name: 'dwell',
        label: t('Stayed'),
        sortBy: 'dwell',
        render: stayedCell,
      },
      { name: 'end', label: t('End'), render: (visit) => (visit.isOpen ? '' : endWords(visit)) },
      visitorColumn,
    ],
    filters: [
      { name: 'isOpen', label: t('Still here'), kind: 'boolean' },
      beaconFilter,
      visitorFilter,
      { name: 'enteredAt', label: t('Entered'), kind: 'date' },
      { name: 'leftAt', label: t('Left'), kind: 'date' },
      { name: 'dwell', label: t('Stayed (seconds)'), kind: 'number' },
      { name: 'inferred', label: t('Inferred'), kind: 'boolean' },
      { name: 'endedBy', label: t('Ended by'), kind: 'choice', choices: optionsOf(causeWords) },
      idFilter,
    ],
  },
});
