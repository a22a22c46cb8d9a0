import type { Sample } from '../presence/types.ts';

/**
 * Samples as text, one line per batch, so that a batch is appended without reading the existing text. What most samples of a
 * batch share (beacon, sender, interval, receiver …) is written once.
 */

type Rest = Omit<Sample, 'beaconId' | 'occurredAt' | 'rssi'>;
/** Milliseconds after the line's time, beacon, RSSI or null, index of the rest. */
type SampleRow = readonly [at: number, beacon: number, rssi: number | null, rest: number];
type Line = readonly [at: number, beacons: readonly string[], rests: readonly Rest[], rows: readonly SampleRow[]];

export function writeSamples(samples: readonly Sample[]): string {
  const start = samples[0]?.occurredAt ?? 0;
  const beacons = new Map<string, number>();
  const rests = new Map<string, number>();
  const indexIn = (map: Map<string, number>, key: string): number => {
    const known = map.get(key);
    if (known !== undefined) return known;
    map.set(key, map.size);
    return map.size - 1;
  };
  const rows = samples.map(({ beaconId, occurredAt, rssi, ...rest }): SampleRow => {
    const text = JSON.stringify(rest);
    return [occurredAt - start, indexIn(beacons, beaconId), rssi ?? null, indexIn(rests, text)];
  });
  return `[${start},${JSON.stringify([...beacons.keys()])},[${[...rests.keys()].join(',')}],${JSON.stringify(rows)}]\n`;
}

export function readSamples(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    const [start, beacons, rests, rows] = JSON.parse(line) as Line;
    return rows.map(([at, beacon, rssi, rest]) => ({
      beaconId: beacons[beacon] as string,
      occurredAt: start + at,
      ...(rssi === null ? {} : { rssi }),
      ...rests[rest],
    }));
  });
}
