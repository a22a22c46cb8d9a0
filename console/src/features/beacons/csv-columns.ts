import type { Beacon } from '@pharos/sdk';
import type { CsvColumns } from '../../components/export/csv-of-list.ts';
import { type CsvTable, numberIn } from '../../lib/text/csv.ts';
import { jsonObjectOf } from '../../lib/text/json-text.ts';
import { t } from '../../lib/words/words.ts';
import { floorOf } from './beacon-fields.ts';

/** The columns of a CSV file of beacons. A file for import needs at least name, uuid, major and minor. */
export const csvColumns = [
  'objectId',
  'name',
  'uuid',
  'major',
  'minor',
  'x',
  'y',
  'floor',
  'radius',
  'measuredPower',
  'sensitivity',
  'metadata',
  'venueId',
  'zoneId',
] as const;
export type CsvColumn = (typeof csvColumns)[number];

export type BeaconMembers = {
  -readonly [Member in Exclude<keyof Beacon, 'objectId' | 'createdAt' | 'updatedAt'>]?: Beacon[Member] | null;
};

export function cellsOf(beacon: Beacon): string[] {
  const { x, y, floor } = (beacon.location ?? {}) as Readonly<Record<string, unknown>>;
  const hasMetadata = Object.keys(beacon.metadata).length > 0;
  const values: Readonly<Record<CsvColumn, unknown>> = {
    ...beacon,
    x,
    y,
    floor,
    radius: beacon.radius,
    measuredPower: beacon.measuredPower,
    sensitivity: beacon.sensitivity,
    metadata: hasMetadata ? JSON.stringify(beacon.metadata) : undefined,
    venueId: beacon.venueId?.objectId,
    zoneId: beacon.zoneId?.objectId,
  };
  return csvColumns.map((column) =>
    values[column] === undefined || values[column] === null ? '' : String(values[column]),
  );
}

/** The export; the file can be edited and imported again. */
export const beaconCsv: CsvColumns<Beacon> = {
  header: csvColumns,
  rows: (beacons) => beacons.map(cellsOf),
  order: 'objectId',
};

/** The columns of a file by place; headings in another case are the same, and others are left out. */
export const columnsIn = (header: readonly string[]): readonly (CsvColumn | undefined)[] =>
  header.map((name) => csvColumns.find((column) => column.toLowerCase() === name.toLowerCase()));

/** What is wrong with the file's columns, as a sentence. */
export function columnProblem({ header }: CsvTable): string | undefined {
  const found = columnsIn(header);
  const missing = (['name', 'uuid', 'major', 'minor'] as const).filter((name) => !found.includes(name));
  if (missing.length > 0 && !found.includes('objectId'))
    return t('Missing column: {list}. Without objectId, a file needs name, uuid, major and minor.', {
      list: missing.join(', '),
    });
  return undefined;
}

interface Read {
  readonly objectId: string | undefined;
  readonly members: BeaconMembers;
  readonly problems: readonly string[];
}

/** Reads one row. A missing column leaves its member unchanged; an empty cell clears an optional member. */
export function readRow(
  cells: Readonly<Partial<Record<CsvColumn, string>>>,
  separator: CsvTable['separator'] = ',',
): Read {
  const members: BeaconMembers = {};
  const problems: string[] = [];
  const isIn = (column: CsvColumn) => cells[column] !== undefined;
  const text = (column: CsvColumn) => (cells[column] ?? '').trim();
  for (const column of ['name', 'uuid'] as const) {
    if (!isIn(column)) continue;
    members[column] = text(column);
    const { length } = [...text(column)];
    if (length < 1 || length > 50) problems.push(t('{column} must have 1 to 50 characters', { column }));
  }
  const number = (column: CsvColumn, rule: Rule): number | null => {
    if (text(column) === '' && !rule.isRequired) return null;
    const value = numberIn(text(column), separator);
    const fits =
      text(column) !== '' && value >= rule.from && value <= rule.to && (!rule.isWhole || Number.isInteger(value));
    if (!fits)
      problems.push(
        t('{column} must be {isWhole, select, true {a whole number} other {a number}}{range}', {
          column,
          isWhole: Boolean(rule.isWhole),
          range: rangeText(rule),
        }),
      );
    return value;
  };
  for (const column of ['major', 'minor'] as const)
    if (isIn(column)) members[column] = number(column, { from: 0, to: 65_535, isWhole: true, isRequired: true }) ?? 0;
  if (isIn('radius')) members.radius = number('radius', { from: 0.5, to: 50 });
  if (isIn('measuredPower')) members.measuredPower = number('measuredPower', { from: -100, to: -20, isWhole: true });
  if (isIn('sensitivity')) {
    const value = text('sensitivity');
    if (!['', 'stable', 'fast'].includes(value)) problems.push(t('sensitivity must be stable, fast or empty'));
    members.sensitivity = value === '' ? null : (value as 'stable' | 'fast');
  }
  if (isIn('x') || isIn('y')) {
    const [x, y] = [number('x', anywhere), number('y', anywhere)];
    if ((x === null) !== (y === null)) problems.push(t('x and y must both be set or both be empty'));
    const floor = text('floor') === '' ? {} : { floor: floorOf(text('floor')) };
    members.location = x === null || y === null ? null : { x, y, ...floor };
  }
  if (isIn('metadata')) members.metadata = jsonObjectOf(text('metadata')) ?? {};
  if (isIn('metadata') && !jsonObjectOf(text('metadata'))) problems.push(t('metadata must be a JSON object or empty'));
  const belongs = <Name extends 'Venue' | 'Zone'>(column: CsvColumn, className: Name) =>
    text(column) === '' ? null : ({ __type: 'Pointer', className, objectId: text(column) } as const);
  if (isIn('venueId')) members.venueId = belongs('venueId', 'Venue');
  // An empty cell is a beacon whose zone follows from its place.
  if (isIn('zoneId') && text('zoneId') !== '') members.zoneId = belongs('zoneId', 'Zone');
  return { objectId: text('objectId') || undefined, members, problems };
}

interface Rule {
  readonly from: number;
  readonly to: number;
  readonly isWhole?: true;
  readonly isRequired?: true;
}
const anywhere: Rule = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const rangeText = ({ from, to }: Rule) => (Number.isFinite(from) ? t(' from {from} to {to}', { from, to }) : '');
