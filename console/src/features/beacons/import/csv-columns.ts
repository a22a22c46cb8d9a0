import type { Beacon } from '@pharos/sdk';
import type { CsvColumns } from '../../../components/export/csv-of-list.ts';
import { type CsvTable, numberIn } from '../../../lib/text/csv.ts';
import { jsonObjectOf } from '../../../lib/text/json-text.ts';
import { t } from '../../../lib/words/words.ts';
import { floorOf } from '../beacon-fields.ts';

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

/** The columns that a file lacks: without objectId, it needs name, uuid, major and minor. */
export function missingColumns(header: readonly string[]): readonly CsvColumn[] {
  const found = columnsIn(header);
  if (found.includes('objectId')) return [];
  return (['name', 'uuid', 'major', 'minor'] as const).filter((name) => !found.includes(name));
}

interface Read {
  readonly objectId: string | undefined;
  /** Without those of cells that cannot be read. */
  readonly members: BeaconMembers;
  /** Each about one cell. */
  readonly problems: readonly string[];
}

/** Reads one row. A missing column leaves its member unchanged; an empty cell clears an optional member. */
export function readRow(cells: Cells, separator: CsvTable['separator'] = ','): Read {
  const members: BeaconMembers = {};
  const problems: string[] = [];
  const text = textIn(cells);
  for (const [member, reader] of Object.entries(readers)) {
    const read = reader(cells, separator);
    if (read === undefined) continue;
    if ('problem' in read) problems.push(read.problem);
    else (members as Record<string, unknown>)[member] = read.value;
  }
  return { objectId: text('objectId') || undefined, members, problems };
}

type Cells = Readonly<Partial<Record<CsvColumn, string>>>;
type Cell = { readonly value: unknown } | { readonly problem: string };
/** Undefined: the file has no such column. */
type Reader = (cells: Cells, separator: CsvTable['separator']) => Cell | undefined;

const textIn = (cells: Cells) => (column: CsvColumn) => (cells[column] ?? '').trim();

const short =
  (column: 'name' | 'uuid'): Reader =>
  (cells) => {
    if (cells[column] === undefined) return undefined;
    const value = textIn(cells)(column);
    const { length } = [...value];
    return length < 1 || length > 50 ? { problem: t('{column} must have 1 to 50 characters', { column }) } : { value };
  };

const number =
  (column: CsvColumn, rule: Rule): Reader =>
  (cells, separator) => {
    if (cells[column] === undefined) return undefined;
    const text = textIn(cells)(column);
    if (text === '' && !rule.isRequired) return { value: null };
    const value = numberIn(text, separator);
    if (text !== '' && value >= rule.from && value <= rule.to && (!rule.isWhole || Number.isInteger(value)))
      return { value };
    return {
      problem: t('{column} must be {isWhole, select, true {a whole number} other {a number}}{range}', {
        column,
        isWhole: Boolean(rule.isWhole),
        range: rangeText(rule),
      }),
    };
  };

const place: Reader = (cells, separator) => {
  if (cells.x === undefined && cells.y === undefined) return undefined;
  const [x, y] = (['x', 'y'] as const).map(
    (column) => number(column, anywhere)(cells, separator) ?? { value: null },
  ) as [Cell, Cell];
  if ('problem' in x) return x;
  if ('problem' in y) return y;
  if ((x.value === null) !== (y.value === null)) return { problem: t('x and y must both be set or both be empty') };
  if (x.value === null) return { value: null };
  const floor = textIn(cells)('floor');
  return { value: { x: x.value, y: y.value, ...(floor === '' ? {} : { floor: floorOf(floor) }) } };
};

const belongs =
  (column: 'venueId' | 'zoneId', className: 'Venue' | 'Zone'): Reader =>
  (cells) => {
    if (cells[column] === undefined) return undefined;
    const objectId = textIn(cells)(column);
    if (objectId !== '') return { value: { __type: 'Pointer', className, objectId } };
    // An empty cell is a beacon whose zone follows from its place.
    return column === 'zoneId' ? undefined : { value: null };
  };

const readers: Readonly<Partial<Record<keyof BeaconMembers, Reader>>> = {
  name: short('name'),
  uuid: short('uuid'),
  major: number('major', { from: 0, to: 65_535, isWhole: true, isRequired: true }),
  minor: number('minor', { from: 0, to: 65_535, isWhole: true, isRequired: true }),
  radius: number('radius', { from: 0.5, to: 50 }),
  measuredPower: number('measuredPower', { from: -100, to: -20, isWhole: true }),
  sensitivity(cells) {
    if (cells.sensitivity === undefined) return undefined;
    const value = textIn(cells)('sensitivity');
    if (!['', 'stable', 'fast'].includes(value)) return { problem: t('sensitivity must be stable, fast or empty') };
    return { value: value === '' ? null : value };
  },
  location: place,
  metadata(cells) {
    if (cells.metadata === undefined) return undefined;
    const value = jsonObjectOf(textIn(cells)('metadata'));
    return value ? { value } : { problem: t('metadata must be a JSON object or empty') };
  },
  venueId: belongs('venueId', 'Venue'),
  zoneId: belongs('zoneId', 'Zone'),
};

interface Rule {
  readonly from: number;
  readonly to: number;
  readonly isWhole?: true;
  readonly isRequired?: true;
}
const anywhere: Rule = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const rangeText = ({ from, to }: Rule) => (Number.isFinite(from) ? t(' from {from} to {to}', { from, to }) : '');
