import type { Flow, WayPlace } from '../queries.ts';

const columns = ['tours', 'visitors', 'timeMedian', 'timeLowerQuartile', 'timeUpperQuartile'] as const;

/** What an end of a way is called; `otherwise` where it is the way in or out. */
export const endOf = (place: WayPlace | null, nameOf: (place: WayPlace) => string, otherwise: string) =>
  place ? nameOf(place) : otherwise;

/** Ways with the columns of the interface. */
export function flowCsv(flows: readonly Flow[], nameOf: (place: WayPlace) => string): string[][] {
  const idOf = (place: WayPlace | null) => place?.zoneId ?? place?.beaconId ?? '';
  const cells = flows.map((flow) => [
    idOf(flow.from),
    endOf(flow.from, nameOf, ''),
    idOf(flow.to),
    endOf(flow.to, nameOf, ''),
    ...columns.map((column) => String(flow[column] ?? '')),
  ]);
  return [['from', 'fromName', 'to', 'toName', ...columns], ...cells];
}
