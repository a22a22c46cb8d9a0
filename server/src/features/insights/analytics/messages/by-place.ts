import type { PlaceHistory } from '../numbers/places.ts';
import { type CountedDay, type CountedPart, metrics, type Sums } from './rollup-store.ts';

/** What a message did on a day, everywhere and by place; see ADR 95. */

const hourMs = 3_600_000;

/** @param from the beginning of the day, epoch ms */
export function dayOf(parts: readonly CountedPart[], places: PlaceHistory, from: number): CountedDay {
  const rows = new Map<string, { readonly message_group: string } & Sums>();
  const byPlace = new Map<string, CountedDay['byPlace'][number]>();
  for (const part of parts) {
    const { message_group, beacon_id } = part;
    addTo(rows, message_group, { message_group }, part);
    if (beacon_id === '') continue;
    const at = places.at(beacon_id, from + Number(part.hour) * hourMs);
    const [venue_id, floor_id, zone_id] = [at?.venue_id ?? '', at?.floor_id ?? '', at?.zone_id ?? ''];
    const place = { message_group, beacon_id, venue_id, floor_id, zone_id };
    addTo(byPlace, JSON.stringify(place), place, part);
  }
  return { rows: [...rows.values()], byPlace: [...byPlace.values()] };
}

function addTo<K>(known: Map<string, K & Sums>, text: string, key: K, part: Sums): void {
  const before = known.get(text);
  const sums = Object.fromEntries(
    metrics.map((metric) => [metric, Number(before?.[metric] ?? 0) + Number(part[metric])]),
  ) as unknown as Sums;
  known.set(text, { ...key, ...sums });
}
