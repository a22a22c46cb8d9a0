import type { RowOf } from '../../../db/table.ts';
import { fewest } from '../../blur.ts';
import type { crowdedPlaces } from './tables.ts';

/** When a place is over its limit, and when it is no longer: pure. */

export type CrowdedRow = RowOf<typeof crowdedPlaces>;

/** How long a place must be too full before it is reported, so that a group in a doorway raises no alarm. */
const beginMs = 20_000;
/** How long there have to be few enough before it is over. */
const endMs = 60_000;
/** An end that is later than this was not watched in between: the service stood still, and therefore has heard nobody. */
const unwatchedMs = 20_000;
/** How far below the limit it must fall before it is over, so that one person going in and out does not begin and end it repeatedly. */
const backShare = 0.05;

export interface Limit {
  /** More visitors are too many. */
  readonly most: number;
  /** As many or fewer are few enough again. */
  readonly enough: number;
}

/** Where small groups are protected, an alarm reveals no more than that there are five or more: a limit below four counts as four. */
export function limitOf(capacity: number, isProtected: boolean): Limit {
  const least = isProtected ? fewest - 1 : 0;
  const most = Math.max(capacity, least);
  return { most, enough: Math.max(most - Math.max(1, Math.round(most * backShare)), least) };
}

/** What a check must do; `begin` and `end` are reported. */
export type LimitStep =
  | { readonly do: 'nothing' | 'note' | 'forget' | 'end' }
  | { readonly do: 'begin' }
  | { readonly do: 'mark'; readonly underAt: number | null };

/** `visitors` undefined: the place has no limit any more. Times in ms. */
export function stepOf(
  row: CrowdedRow | undefined,
  { limit, visitors, at }: { readonly limit: Limit | undefined; readonly visitors: number; readonly at: number },
): LimitStep {
  if (!limit) return { do: row === undefined ? 'nothing' : row.begun_at === null ? 'forget' : 'end' };
  if (!row) return { do: visitors > limit.most ? 'note' : 'nothing' };
  if (row.begun_at === null) {
    if (visitors <= limit.most) return { do: 'forget' };
    return { do: at - row.first_over_at >= beginMs ? 'begin' : 'nothing' };
  }
  if (visitors > limit.enough) return row.under_at === null ? { do: 'nothing' } : { do: 'mark', underAt: null };
  const underMs = row.under_at === null ? undefined : at - row.under_at;
  if (underMs === undefined || underMs > endMs + unwatchedMs) return { do: 'mark', underAt: at };
  return { do: underMs >= endMs ? 'end' : 'nothing' };
}
