import { inSeconds } from '../plot/csv.ts';
import type { Flow, Paths, WayPlace } from '../queries.ts';

const columns = ['tours', 'visitors', 'timeMedian', 'timeLowerQuartile', 'timeUpperQuartile'] as const;

/** What an end of a way is called; `otherwise` where it is the way in or out. */
export const endOf = (place: WayPlace | null, nameOf: (place: WayPlace) => string, otherwise: string) =>
  place ? nameOf(place) : otherwise;

const idOf = (place: WayPlace | null) => place?.zoneId ?? place?.beaconId ?? '';

/** Identifies a way across periods. */
export const flowKey = ({ from, to }: Pick<Flow, 'from' | 'to'>) => `${idOf(from)}>${idOf(to)}`;

export function flowCsv(flows: readonly Flow[], nameOf: (place: WayPlace) => string): string[][] {
  const cells = flows.map((flow) => [
    idOf(flow.from),
    endOf(flow.from, nameOf, ''),
    idOf(flow.to),
    endOf(flow.to, nameOf, ''),
    ...columns.map((column) => String(flow[column] ?? '')),
  ]);
  const header = columns.map((column) => (column.startsWith('time') ? inSeconds(column) : column));
  return [['from', 'fromName', 'to', 'toName', ...header], ...cells];
}

type Path = Paths['paths'][number];

export function pathCsv(paths: readonly Path[], nameOf: (place: WayPlace) => string): string[][] {
  const cells = paths.map(({ stops, isCut, tours, visitors }) => [
    stops.map(idOf).join('>'),
    stops.map(nameOf).join(' → '),
    ...[isCut, tours, visitors].map((value) => String(value ?? '')),
  ]);
  return [['stops', 'stopNames', 'isCut', 'tours', 'visitors'], ...cells];
}
