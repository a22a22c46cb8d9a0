import { Box } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { Link } from '@tanstack/react-router';
import { stampFilters, updatedColumn } from '../../components/list/columns.tsx';
import type { Column } from '../../components/list/data-table.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import type { Times } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { beaconBulk, sensitivities } from './bulk-fields.tsx';
import { beaconCsv } from './import/csv-columns.ts';
import { LastVisitCell, StateCell, VerifiedCell } from './state-cells.tsx';
import { Where } from './where.tsx';

const uuidText = ({ uuid }: Beacon) => <span className="mono">{uuid}</span>;

const stateColumns = (appId: string, ids: readonly string[], times: Times): readonly Column<Beacon>[] => [
  { name: 'state', label: t('State'), render: (beacon) => <StateCell appId={appId} beacon={beacon} ids={ids} /> },
  {
    name: 'heard',
    label: t('Last visitor'),
    isTime: true,
    render: (beacon) => <LastVisitCell appId={appId} beacon={beacon} ids={ids} times={times} />,
  },
];

export const beaconList = (
  appId: string,
  times: Times,
  mayChange = false,
  maySee = true,
): ListDefinition<'listBeacons'> => ({
  operation: 'listBeacons',
  trash: 'beacons',
  bulk: mayChange ? beaconBulk(appId) : undefined,
  plural: t('beacons'),
  searchFields: ['name', 'uuid'],
  searchHint: t('Search by name or UUID'),
  defaultOrder: 'name',
  csv: beaconCsv,
  columns: (beacons) => {
    const ids = beacons.map(({ objectId }) => objectId);
    return [
      {
        name: 'name',
        label: t('Name'),
        sortBy: 'name',
        render: (beacon) => (
          <Link to="/apps/$appId/beacons/$beaconId" params={{ appId, beaconId: beacon.objectId }}>
            {beacon.name}
          </Link>
        ),
      },
      {
        name: 'place',
        label: t('Place'),
        render: (beacon) => (
          <Box component="span" display="inline-block" miw="12rem">
            <Where appId={appId} beacon={beacon} />
          </Box>
        ),
      },
      ...(maySee ? stateColumns(appId, ids, times) : []),
      {
        name: 'verified',
        label: t('Verified'),
        render: (beacon) => <VerifiedCell appId={appId} beacon={beacon} times={times} />,
      },
      { name: 'uuid', label: t('UUID'), isOptional: true, sortBy: 'uuid', render: uuidText },
      {
        name: 'major',
        label: t('Major'),
        isOptional: true,
        sortBy: 'major',
        isNumber: true,
        render: ({ major }) => major,
      },
      {
        name: 'minor',
        label: t('Minor'),
        isOptional: true,
        sortBy: 'minor',
        isNumber: true,
        render: ({ minor }) => minor,
      },
      { ...updatedColumn(times), isOptional: true },
    ];
  },
  filters: [
    { name: 'name', label: t('Name'), kind: 'text' },
    { name: 'uuid', label: t('UUID'), kind: 'text' },
    { name: 'major', label: t('Major'), kind: 'number' },
    { name: 'minor', label: t('Minor'), kind: 'number' },
    { name: 'location', label: t('Location'), kind: 'member' },
    { name: 'metadata', label: t('Metadata'), kind: 'member' },
    { name: 'radius', label: t('Radius'), kind: 'number' },
    { name: 'measuredPower', label: t('Measured power'), kind: 'number' },
    {
      name: 'sensitivity',
      label: t('Sensitivity'),
      kind: 'choice',
      choices: sensitivities,
    },
    ...stampFilters,
  ],
});
