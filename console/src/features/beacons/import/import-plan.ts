import type { Beacon } from '@pharos/sdk';
import { comparedWith } from '../../../components/import/as-previewed.ts';
import type { ImportRow, PlanOptions } from '../../../components/import/import-rows.ts';
import type { CsvTable } from '../../../lib/text/csv.ts';
import { uuidKey, uuidWarning } from '../../../lib/text/uuid.ts';
import { t } from '../../../lib/words/words.ts';
import { type BeaconMembers, type CsvColumn, columnsIn, readRow } from './csv-columns.ts';

export interface PlannedRow extends ImportRow {
  /** The beacon that changes. */
  readonly beaconId?: string;
  /** What that had of these members. */
  readonly before?: Readonly<Record<string, unknown>>;
  /** What is sent. */
  readonly members: BeaconMembers;
}

const required = ['name', 'uuid', 'major', 'minor'] as const;

/**
 * What an import would do with each row. A row stands for the beacon with its objectId, or else for the one with its
 * uuid, major and minor, or else for a new one. A row with a cell that cannot be read is refused, or goes in without it.
 */
export function planImport(
  table: CsvTable,
  beacons: readonly Beacon[],
  { isLenient }: PlanOptions = { isLenient: false },
): readonly PlannedRow[] {
  const byId = new Map(beacons.map((beacon) => [beacon.objectId, beacon]));
  const byKey = Map.groupBy(beacons, keyOf);
  const seen = new Map<string, number>();
  const columns = columnsIn(table.header);
  return table.rows.map(({ line, cells, problem: broken }) => {
    const named = Object.fromEntries(
      columns.flatMap((column, index) => (column ? [[column, cells[index] ?? '']] : [])),
    );
    const planned = planRow({ line, cells: named, separator: table.separator, isLenient }, byId, byKey);
    const row = broken === undefined ? planned : refused(planned, broken);
    const subject = row.beaconId ?? keyOf(row.members);
    const before = seen.get(subject);
    if (row.kind === 'refused') return row;
    seen.set(subject, line);
    return before === undefined ? row : refused(row, t('Line {before} is about the same beacon.', { before }));
  });
}

export const keyOf = ({ uuid, major, minor }: BeaconMembers): string => `${uuidKey(uuid ?? '')} ${major} ${minor}`;

interface NamedCells {
  readonly line: number;
  readonly cells: Readonly<Partial<Record<CsvColumn, string>>>;
  readonly separator: CsvTable['separator'];
  readonly isLenient: boolean;
}

function planRow(
  { line, cells, separator, isLenient }: NamedCells,
  byId: ReadonlyMap<string, Beacon>,
  byKey: ReadonlyMap<string, readonly Beacon[]>,
): PlannedRow {
  const { objectId, members, problems } = readRow(cells, separator);
  const found =
    objectId === undefined
      ? (byKey.get(keyOf(members)) ?? [])
      : [byId.get(objectId)].filter((one) => one !== undefined);
  const [beacon] = found;
  const unread = problems.length > 0 ? { unread: problems } : {};
  const name = members.name ?? beacon?.name ?? '';
  const row = { line, kind: 'new' as const, name, members, differences: [], ...unread };
  if (problems.length > 0 && !isLenient) return refused(row, `${problems.join('; ')}.`);
  if (objectId !== undefined && !beacon)
    return refused(row, t('There is no beacon with the objectId {objectId}.', { objectId }));
  if (found.length > 1)
    return refused(
      row,
      t('{count} beacons have this UUID, major and minor. Name the right one by its objectId.', {
        count: found.length,
      }),
    );
  if (beacon) return compare(row, beacon);
  const missing = required.filter((member) => members[member] === undefined);
  if (missing.length > 0) return refused(row, t('A new beacon needs {list}.', { list: missing.join(', ') }));
  return { ...row, ...warningOf(members), members: withoutNulls(members) };
}

const refused = (row: PlannedRow, problem: string): PlannedRow => ({ ...row, kind: 'refused', problem });

function withoutNulls(members: BeaconMembers): BeaconMembers {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as BeaconMembers;
}

function compare(row: PlannedRow, beacon: Beacon): PlannedRow {
  const location = row.members.location && { ...beacon.location, ...row.members.location };
  const wanted: BeaconMembers = location ? { ...row.members, location } : row.members;
  const { after: members, ...compared } = comparedWith(beacon, wanted);
  return { ...row, ...compared, beaconId: beacon.objectId, members, ...warningOf(members) };
}

/** About what is going to be written. */
function warningOf({ uuid }: BeaconMembers): Pick<ImportRow, 'warning'> {
  const warning = typeof uuid === 'string' ? uuidWarning(uuid) : undefined;
  return warning === undefined ? {} : { warning };
}
