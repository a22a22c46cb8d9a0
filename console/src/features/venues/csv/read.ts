import { CsvError, type CsvRow, numberIn, parseCsv, type Separator } from '../../../lib/text/csv.ts';
import { listed, t } from '../../../lib/words/words.ts';
import type { Found, Point } from '../geojson/read.ts';
import { kindTexts } from '../venue-fields.ts';
import { dateIn, hoursOf, weekOf } from './hours.ts';
import { type PlanColumn, type PlanType, planColumns, planTypes } from './write.ts';

/** Reads a table as `write.ts` makes it, as the features that a GeoJSON file would have. */

const maxLines = 5_000;

/** @throws CsvError whose message is a sentence about the whole file */
export function readPlanCsv(text: string): readonly Found[] {
  const same = (name: string) => name.toLowerCase();
  const { header, rows, separator } = parseCsv(text, { same });
  const columnOf = new Map(planColumns.map((name) => [name, header.findIndex((one) => same(one) === same(name))]));
  if ((columnOf.get('type') ?? -1) < 0)
    throw new CsvError(t('The table needs a column type, with {types}.', { types: listed([...planTypes], 'or') }));
  if (rows.length > maxLines)
    throw new CsvError(
      t('The table has {count} lines. Split it: {maxLines} can be imported at once.', {
        count: rows.length,
        maxLines,
      }),
    );
  return rows.map((row) => {
    const cellOf = (name: PlanColumn) => row.cells[columnOf.get(name) ?? -1]?.trim() ?? '';
    return foundOf(row, cellOf, separator);
  });
}

type CellOf = (name: PlanColumn) => string;

function foundOf({ line, problem }: CsvRow, cellOf: CellOf, separator: Separator): Found {
  const type = cellOf('type').toLowerCase() as PlanType;
  const found: Found = {
    line,
    id: cellOf('objectId') || undefined,
    featureType: featureTypes[type] ?? type,
    geometry: null,
    properties: { name: cellOf('name') },
  };
  const wrong = problem ?? (type in featureTypes ? wrongNumber(cellOf, separator) : undefined);
  if (wrong !== undefined) return { ...found, problem: wrong };
  const number = (name: PlanColumn) => (cellOf(name) === '' ? undefined : numberIn(cellOf(name), separator));
  const ordinal = number('level');
  const { properties } = found;
  if (type === 'venue') return venueOf(found, cellOf, number('capacity'));
  if (type === 'day') return dayOf(found, cellOf);
  if (type === 'floor') return { ...found, properties: { ...properties, ordinal, north: number('north') } };
  if (!isDrawn(type)) return found;
  return withCorners({ ...found, properties: { ...properties, ordinal, capacity: number('capacity') } }, type, cellOf);
}

function venueOf(found: Found, cellOf: CellOf, capacity: number | undefined): Found {
  const hours = cellOf('hours');
  const week = hours === '' ? undefined : weekOf(hours);
  if (typeof week === 'string') return { ...found, problem: week };
  const [time_zone, address] = [cellOf('timeZone'), cellOf('address')];
  return { ...found, properties: { ...found.properties, time_zone, address, capacity, opening_hours: week } };
}

function dayOf(found: Found, cellOf: CellOf): Found {
  const date = dateIn(cellOf('date'));
  if (date === undefined)
    return { ...found, problem: t('A day needs a date such as 2026-12-25: {text}.', { text: cellOf('date') || '–' }) };
  const hours = hoursOf(cellOf('hours'));
  if (typeof hours === 'string') return { ...found, problem: hours };
  return { ...found, properties: { ...found.properties, date, hours } };
}

/** How many corners they have at least. */
const fewestCorners = { zone: 3, wall: 2, gateway: 1 } as const;
type Drawn = keyof typeof fewestCorners;
const isDrawn = (type: PlanType): type is Drawn => type in fewestCorners;

const featureTypes: Readonly<Record<PlanType, string>> = {
  venue: 'venue',
  day: 'day',
  floor: 'level',
  wall: 'wall',
  gateway: 'gateway',
  zone: 'unit',
};

const numbers = ['level', 'capacity', 'north'] as const;

function wrongNumber(cellOf: CellOf, separator: Separator): string | undefined {
  const name = numbers.find((one) => cellOf(one) !== '' && Number.isNaN(numberIn(cellOf(one), separator)));
  return name && t('{name} is no number: {text}.', { name, text: cellOf(name) });
}

function withCorners(found: Found, type: Drawn, cellOf: CellOf): Found {
  const { properties } = found;
  const kind = cellOf('kind').toLowerCase();
  if (type === 'zone' && kind !== '' && !(kind in kindTexts))
    return {
      ...found,
      problem: t('There is no kind of zone called {kind}: {kinds}.', {
        kind,
        kinds: listed(Object.keys(kindTexts), 'or'),
      }),
    };
  const points = pointsOf(cellOf('corners'));
  const fewest = fewestCorners[type];
  if (type === 'gateway' && points?.length !== 1)
    return { ...found, problem: t('A gateway needs one pair of metres as its corners, such as 4.5 3.') };
  if (!points || points.length < fewest)
    return {
      ...found,
      problem: t('It needs corners: {fewest} or more pairs of metres, such as 0 0; 4.5 0; 4.5 3.', { fewest }),
    };
  // Upwards, as GeoJSON has it.
  const positions = points.map(({ x, y }) => [x, -y]);
  const geometries = {
    gateway: { type: 'Point', coordinates: positions[0] },
    wall: { type: 'LineString', coordinates: positions },
    zone: { type: 'Polygon', coordinates: [[...positions, positions[0]]] },
  };
  return {
    ...found,
    geometry: geometries[type],
    properties: { ...properties, category: kind, ...(type === 'gateway' ? { key_id: cellOf('keyId') } : {}) },
  };
}

/** Undefined if a part is not a pair of numbers. Spreadsheets in some countries write decimal commas. */
function pointsOf(text: string): readonly Point[] | undefined {
  const pairs = text
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => pair.split(/\s+/).map((part) => Number(part.replace(',', '.'))));
  const points = pairs.map(([x = Number.NaN, y = Number.NaN, ...more]) => ({ x, y, isPair: more.length === 0 }));
  if (points.some(({ x, y, isPair }) => !isPair || !Number.isFinite(x) || !Number.isFinite(y))) return undefined;
  return points.map(({ x, y }) => ({ x, y }));
}
