import type { Beacon } from '@pharos/sdk';
import { Link } from '@tanstack/react-router';
import { stampFilters, updatedColumn } from '../../components/list/columns.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import type { Times } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { beaconBulk, sensitivities } from './bulk-fields.tsx';
import { beaconCsv } from './import/csv-columns.ts';
import { VerifiedCell } from './placement.tsx';

/** `4.2, 7.5, floor 1` */
export function placeText({ location }: Pick<Beacon, 'location'>): string {
  if (!location) return '';
  const { x, y, ...rest } = location as Readonly<Record<string, unknown>>;
  const floor = rest['floor'];
  const text = floor === undefined || floor === null ? '' : t(', floor {floor}', { floor: String(floor) });
  return `${String(x)}, ${String(y)}${text}`;
}

/** The table of beacons, as data. */
export const beaconList = (appId: string, times: Times, mayChange = false): ListDefinition<'listBeacons'> => ({
  operation: 'listBeacons',
  trash: 'beacons',
  bulk: mayChange ? beaconBulk(appId) : undefined,
  plural: t('beacons'),
  searchFields: ['name', 'uuid'],
  searchHint: t('Search by name or UUID'),
  defaultOrder: 'name',
  csv: beaconCsv,
  columns: [
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
    { name: 'uuid', label: t('UUID'), sortBy: 'uuid', render: ({ uuid }) => <span className="mono">{uuid}</span> },
    { name: 'major', label: t('Major'), sortBy: 'major', isNumber: true, render: ({ major }) => major },
    { name: 'minor', label: t('Minor'), sortBy: 'minor', isNumber: true, render: ({ minor }) => minor },
    { name: 'place', label: t('Place'), render: placeText },
    {
      name: 'verified',
      label: t('Verified'),
      render: (beacon) => <VerifiedCell appId={appId} beacon={beacon} times={times} />,
    },
    updatedColumn(times),
  ],
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
