import type { JsonObject } from '@pharos/sdk';
import { type ListSearch, readListSearch } from '../../components/list/list-search.ts';
import { isRange, type Range, startOfRange } from '../../lib/time/range.ts';

/** The lists that the log is made of; each has columns, filters and an export of its own. */
export const logLists = ['events', 'visits', 'deliveries', 'logs'] as const;
export type LogList = (typeof logLists)[number];

/** What the log shows, as in the address. */
export interface ActivitySearch extends ListSearch {
  /** Without it, events and messages as one list. */
  readonly list?: LogList;
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
  const list = logLists.find((one) => one === search['list']);
  return {
    ...readListSearch(search),
    ...(list ? { list } : {}),
    ...(isRange(search['range']) ? { range: search['range'] } : {}),
    ...(beacon ? { beacon } : {}),
    ...(visitor ? { visitor } : {}),
    ...(kind ? { kind } : {}),
  };
}

/** A search or a part of it. */
type Narrowed = { readonly [Name in 'range' | 'beacon' | 'visitor' | 'kind']?: ActivitySearch[Name] | undefined };

/** The members that the quick filters apply to. */
export interface Narrowing {
  readonly time: string;
  readonly kind?: string;
  readonly hasBeacon: boolean;
}

/** The condition of the quick filters. */
export function scopeOf(search: Narrowed, by: Narrowing, zone: string): JsonObject | undefined {
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
