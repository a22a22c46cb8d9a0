import type * as store from './store.ts';
import { isPeak, peakKinds, type Way, type WayKind, Ways } from './tours.ts';

/** Ways as they are written. */

/** How many different ways of a kind are kept for a day or month; the rarest are left out. */
const maxWays = 1_000;
/** Of paths, what is left out is counted together under this name. */
export const otherPaths = '*';

export function addRow(ways: Ways, row: store.WayRow): void {
  const { kind, venue_id: venueId, place, tours, times, visitors } = row;
  const way = ways.of({ kind: kind as WayKind, hour: 0, venueId, place });
  way.tours += tours;
  way.times.addWritten(times);
  way.visitors.addWritten(visitors);
}

/** The rows of ways. `keepsAll`: kinds whose rare ways are kept too, because the input is bounded already. */
export function rowsOf(
  ways: Ways,
  { app_id, span, started_at }: { readonly app_id: string; readonly span: store.WaySpan; readonly started_at: number },
  keepsAll: readonly WayKind[] = peakKinds,
): store.NewWayRow[] {
  const rowOf = ({ kind, hour, venueId, place, tours, times, visitors }: Way) => ({
    app_id,
    kind,
    span: isPeak(kind) ? 'hour' : span,
    started_at: isPeak(kind) ? hour : started_at,
    venue_id: venueId,
    place,
    tours,
    times: times.write(),
    visitors: visitors.write(),
  });
  return [...Map.groupBy(ways.all(), ({ kind }) => kind)].flatMap(([kind, ofKind]) =>
    (keepsAll.includes(kind) ? ofKind : kept(ofKind)).map(rowOf),
  );
}

/** The commonest ways of a kind; for paths also the sum of the others. */
function kept(ways: readonly Way[]): readonly Way[] {
  const sorted = ways.toSorted((a, b) => b.tours - a.tours || (a.place < b.place ? -1 : 1));
  const isOther = ({ place }: Way) => place === otherPaths;
  const [common, rare] = [sorted.filter((way) => !isOther(way)), sorted.filter(isOther)];
  rare.push(...common.slice(maxWays));
  if (ways[0]?.kind !== 'path') return common.slice(0, maxWays);
  const others = new Ways();
  for (const { venueId, tours, visitors } of rare) {
    const other = others.of({ kind: 'path', hour: 0, venueId, place: otherPaths });
    other.tours += tours;
    other.visitors.addWritten(visitors.write());
  }
  return [...common.slice(0, maxWays), ...others.all()];
}
