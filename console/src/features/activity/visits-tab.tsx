import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { BeaconName, VisitorId } from '../../components/page/names.tsx';
import { showDuration, type Times } from '../../lib/time/times.ts';
import {
  type ActivityTab,
  beaconFilter,
  idFilter,
  optionsOf,
  rowsWithBeacons,
  timeText,
  visitorFilter,
} from './activity-tab.ts';
import { causeWords, endWords, type Visit } from './words.ts';

export const visitsTab = (appId: string, times: Times): ActivityTab<'listVisits'> => ({
  narrowing: { time: 'enteredAt', kind: 'source', hasBeacon: true },
  kinds: {
    label: 'Any source',
    options: [
      { value: 'samples', label: 'Beacon signals' },
      { value: 'device', label: 'The phone' },
    ],
  },
  list: {
    operation: 'listVisits',
    plural: 'visits',
    defaultOrder: '-enteredAt',
    csv: {
      header: [
        'enteredAt',
        'leftAt',
        'dwellSeconds',
        'beacon',
        'beaconId',
        'installationId',
        'source',
        'endedBy',
        'inferred',
        'objectId',
      ],
      rows: (visits) =>
        rowsWithBeacons(appId, visits, (visit, beacon) => [
          visit.enteredAt,
          visit.leftAt ?? '',
          visit.dwell === null ? '' : String(visit.dwell),
          beacon,
          visit.beaconId.objectId,
          visit.installationId.objectId,
          visit.source,
          visit.endedBy ?? '',
          String(visit.inferred),
          visit.objectId,
        ]),
    },
    columns: [
      {
        name: 'beacon',
        label: 'Beacon',
        render: ({ objectId, beaconId }: Visit) => (
          <Link to="/apps/$appId/activity/events" params={{ appId }} search={{ where: { visitId: objectId } }}>
            <BeaconName appId={appId} beaconId={beaconId.objectId} />
          </Link>
        ),
      },
      {
        name: 'enteredAt',
        label: 'Entered',
        sortBy: 'enteredAt',
        isTime: true,
        render: (visit) => timeText(times, visit.enteredAt),
      },
      {
        name: 'dwell',
        label: 'Stayed',
        sortBy: 'dwell',
        render: ({ dwell }) =>
          dwell === null ? (
            <Badge variant="light" color="teal" tt="none">
              still here
            </Badge>
          ) : (
            showDuration(dwell)
          ),
      },
      { name: 'end', label: 'End', render: (visit) => (visit.isOpen ? '' : endWords(visit)) },
      { name: 'visitor', label: 'Visitor', render: (visit) => <VisitorId objectId={visit.installationId.objectId} /> },
    ],
    filters: [
      { name: 'isOpen', label: 'Still here', kind: 'boolean' },
      beaconFilter,
      visitorFilter,
      { name: 'enteredAt', label: 'Entered', kind: 'date' },
      { name: 'leftAt', label: 'Left', kind: 'date' },
      { name: 'dwell', label: 'Stayed (seconds)', kind: 'number' },
      { name: 'inferred', label: 'Inferred', kind: 'boolean' },
      { name: 'endedBy', label: 'Ended by', kind: 'choice', choices: optionsOf(causeWords) },
      idFilter,
    ],
  },
});
