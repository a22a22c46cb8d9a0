import { comparedText } from '../head.tsx';
import type { Period } from '../period.ts';
import { csvOfPeriods } from '../plot/csv.ts';
import type { Flow, Flows, WayPlace } from '../queries.ts';
import { countText } from '../words.ts';
import { flowCsv, flowKey } from './flow-csv.ts';

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

interface Ways {
  readonly period: Period;
  readonly flows: readonly Flow[];
  readonly before: Before | undefined;
  readonly kind?: 'moves' | 'reaches';
}

export const comparedCsv = ({ period, flows, before, kind = 'moves' }: Ways, nameOf: (place: WayPlace) => string) =>
  csvOfPeriods(
    { period, rows: flowCsv(flows, nameOf) },
    before && { period: before.period, rows: before.flows && flowCsv(before.flows[kind], nameOf) },
  );
