import type { Point } from './recordings.ts';
import type { SiteEngine, Transition } from './site-engines.ts';

/**
 * A plain grid filter as a textbook has it: cells of half a metre, a random walk, normal noise of 6 dB, every sample taken for
 * a half. A beacon's visitor is inside from 50 % of the belief within 3 m until 10 %.
 */
export const plainGrid: SiteEngine = {
  name: 'plain grid filter',
  start({ beacons, powers }) {
    const cells = cellsOf([...beacons.values()]);
    const distances = new Map(
      [...beacons].map(([id, place]) => [
        id,
        cells.map(({ x, y }) => Math.hypot(x - place.x, y - place.y, place.z - 1.3)),
      ]),
    );
    const columns = cells.findIndex(({ y }) => y !== cells[0]?.y);
    let belief = cells.map(() => 1 / cells.length);
    let pending: { readonly beacon: string; readonly rssi: number }[] = [];
    let last: number | null = null;
    const inside = new Set<string>();
    const meanOf = (values: readonly number[]) =>
      belief.reduce((sum, share, cell) => sum + share * (values[cell] ?? 0), 0);
    return {
      hear(at, beacon, rssi) {
        last ??= at;
        pending.push({ beacon, rssi });
        if (at - last < 1000) return [];
        last = at;
        belief = spread(spread(belief, 1, columns), columns, columns);
        for (const heard of pending) {
          const metres = distances.get(heard.beacon) ?? [];
          const power = powers.get(heard.beacon) ?? -59;
          belief = belief.map((share, cell) => {
            const residual = heard.rssi - power + 20 * Math.log10(Math.max(0.5, metres[cell] ?? 1));
            return share * Math.exp(-0.25 * (residual / 6) ** 2) + 1e-12;
          });
        }
        pending = [];
        const total = belief.reduce((sum, share) => sum + share, 0);
        belief = belief.map((share) => share / total);
        return [...distances].flatMap(([id, metres]): Transition[] => {
          const share = meanOf(metres.map((metre) => (metre < 3 ? 1 : 0)));
          if (inside.has(id) ? share > 0.1 : share < 0.5) return [];
          const isIn = !inside.has(id);
          if (isIn) inside.add(id);
          else inside.delete(id);
          return [{ beacon: id, event: isIn ? 'ENTER' : 'EXIT' }];
        });
      },
      nearest() {
        let [best, least]: [string | null, number] = [null, Number.POSITIVE_INFINITY];
        for (const [id, metres] of distances) {
          const mean = meanOf(metres);
          if (mean < least) [best, least] = [id, mean];
        }
        return best;
      },
      position() {
        const [x, y] = [meanOf(cells.map((cell) => cell.x)), meanOf(cells.map((cell) => cell.y))];
        const spreadOf = meanOf(cells.map((cell) => (cell.x - x) ** 2 + (cell.y - y) ** 2));
        return { x, y, error: Math.sqrt(1.14 * spreadOf) };
      },
    };
  },
};

function cellsOf(places: readonly Point[]): { readonly x: number; readonly y: number }[] {
  const cells: { x: number; y: number }[] = [];
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  for (let y = Math.min(...ys) - 2; y <= Math.max(...ys) + 2; y += 0.5)
    for (let x = Math.min(...xs) - 2; x <= Math.max(...xs) + 2; x += 0.5) cells.push({ x, y });
  return cells;
}

/** A walk of one metre in a second along one axis: a normal kernel of ±3 m. */
function spread(belief: readonly number[], stride: number, columns: number): number[] {
  const kernel = [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6].map((step) => Math.exp(-0.5 * (step / 2) ** 2));
  return belief.map((_, cell) => {
    let sum = 0;
    for (let step = -6; step <= 6; step++) {
      const other = cell + step * stride;
      const isSameRow = stride !== 1 || Math.floor(other / columns) === Math.floor(cell / columns);
      if (isSameRow) sum += (belief[other] ?? 0) * (kernel[step + 6] ?? 0);
    }
    return sum;
  });
}
