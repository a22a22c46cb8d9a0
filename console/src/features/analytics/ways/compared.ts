import { comparedText } from '../head.tsx';
import type { Period } from '../period.ts';
import type { Flow, Flows } from '../queries.ts';
import { countText } from '../words.ts';
import { flowKey } from './flow-csv.ts';

/** Another period. */
export interface Before {
  readonly period: Period;
  /** Undefined until they are known. */
  readonly flows: Flows | undefined;
}

/** A column with how often each way was taken in the other period; none where nothing is compared. */
export function comparedColumn(before: Before | undefined, kind: 'moves' | 'reaches' = 'moves') {
  if (!before) return { header: [], cells: () => [] };
  const { period, flows } = before;
  const tours = new Map(flows?.[kind].map((flow) => [flowKey(flow), flow.tours]));
  // Ways of small groups are left out where these are protected: what is missing may be some.
  const missing = flows && !flows.isProtected ? 0 : undefined;
  return {
    header: [comparedText(period)],
    cells: (flow: Flow) => [countText(tours.get(flowKey(flow)) ?? missing)],
  };
}
