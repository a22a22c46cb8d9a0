import type { Beacon } from '@pharos/sdk';
import { Link } from '@tanstack/react-router';
import { stampFilters, updatedColumn } from '../../components/list/columns.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import type { Times } from '../../lib/time/times.ts';
import { beaconCsv } from './csv-columns.ts';

/** `4.2, 7.5, floor 1` */
export function placeText({ location }: Pick<Beacon, 'location'>): string {
  if (!location) return '';
  const { x, y, ...rest } = location as Readonly<Record<string, unknown>>;
  const floor = rest['floor'];
  const text = floor === undefined || floor === null ? '' : `, floor ${String(floor)}`;
  return `${String(x)}, ${String(y)}${text}`;
}

/** The table of beacons, as data. */
export const beaconList = (appId: string, times: Times): ListDefinition<'listBeacons'> => ({
  operation: 'listBeacons',
  plural: 'beacons',
  searchFields: ['name', 'uuid'],
  searchHint: 'Search by name or UUID',
  defaultOrder: 'name',
  csv: beaconCsv,
  columns: [
    {
      name: 'name',
      label: 'Name',
      sortBy: 'name',
      render: (beacon) => (
        <Link to="/apps/$appId/beacons/$beaconId" params={{ appId, beaconId: beacon.objectId }}>
          {beacon.name}
        </Link>
      ),
    },
    { name: 'uuid', label: 'UUID', sortBy: 'uuid', render: ({ uuid }) => <span className="mono">{uuid}</span> },
    { name: 'major', label: 'Major', sortBy: 'major', isNumber: true, render: ({ major }) => major },
    { name: 'minor', label: 'Minor', sortBy: 'minor', isNumber: true, render: ({ minor }) => minor },
    { name: 'place', label: 'Place', render: placeText },
    updatedColumn(times),
  ],
  filters: [
    { name: 'name', label: 'Name', kind: 'text' },
    { name: 'uuid', label: 'UUID', kind: 'text' },
    { name: 'major', label: 'Major', kind: 'number' },
    { name: 'minor', label: 'Minor', kind: 'number' },
    { name: 'location', label: 'Location', kind: 'member' },
    { name: 'metadata', label: 'Metadata', kind: 'member' },
    { name: 'radius', label: 'Radius', kind: 'number' },
    { name: 'measuredPower', label: 'Measured power', kind: 'number' },
    {
      name: 'sensitivity',
      label: 'Sensitivity',
      kind: 'choice',
      choices: [
        { value: 'stable', label: 'stable' },
        { value: 'fast', label: 'fast' },
      ],
    },
    ...stampFilters,
  ],
});
