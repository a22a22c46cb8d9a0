import type { JsonObject } from '@pharos/sdk';
import { type ListSearch, readListSearch } from '../../components/list/list-search.ts';
import { isRange, type Range, startOfRange } from '../../lib/time/range.ts';

/** What the activity pages show, as in the address. */
export interface ActivitySearch extends ListSearch {
  readonly range?: Range;
  /** An objectId. */
  readonly beacon?: string;
  /** The objectId of an installation. */
  readonly visitor?: string;
  /** An event such as ENTER, the state of a delivery, or the kind of a log record. */
  readonly kind?: string;
}

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined);

export function readActivitySearch(search: Record<string, unknown>): ActivitySearch {
  const [beacon, visitor, kind] = [text(search['beacon']), text(search['visitor']), text(search['kind'])];
  return {
    ...readListSearch(search),
    ...(isRange(search['range']) ? { range: search['range'] } : {}),
    ...(beacon ? { beacon } : {}),
    ...(visitor ? { visitor } : {}),
    ...(kind ? { kind } : {}),
  };
}

/** The members that the quick filters apply to. */
export interface Narrowing {
  readonly time: string;
  readonly kind?: string;
  readonly hasBeacon: boolean;
}

/** The condition of the quick filters. */
export function scopeOf(search: ActivitySearch, by: Narrowing, zone: string): JsonObject | undefined {
  const { range, beacon, visitor, kind } = search;
  const scope: JsonObject = {
    ...(range ? { [by.time]: { $gte: startOfRange(range, zone) } } : {}),
    ...(beacon && by.hasBeacon ? { beaconId: pointer('Beacon', beacon) } : {}),
    ...(visitor ? { installationId: pointer('_Installation', visitor) } : {}),
    ...(kind && by.kind ? { [by.kind]: kind } : {}),
  };
  return Object.keys(scope).length > 0 ? scope : undefined;
}

export const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId }) as const;
