import { distance, type FloorPlan, isOpen, type Waypoint } from './plan.ts';

/** Changing the floor is a walk of this many metres; reception does not change on the stairs. */
const stairs = 20;

/** The shortest routes between the waypoints of a plan. */
export class Routes {
  readonly #plan: FloorPlan;
  /** Neighbours by waypoint; undefined if one can walk straight from anywhere to anywhere. */
  readonly #neighbours: ReadonlyMap<Waypoint, readonly Waypoint[]> | undefined;

  constructor(plan: FloorPlan) {
    this.#plan = plan;
    this.#neighbours = plan.paths || plan.walls.length > 0 ? neighbours(plan) : undefined;
  }

  /** The waypoints on the way, ending with `to`; undefined if there is no way. */
  between(from: Waypoint, to: Waypoint): readonly Waypoint[] | undefined {
    return this.#neighbours ? shortest(this.#neighbours, from, to) : [to];
  }

  /** Waypoints that cannot be reached from the entrance. */
  unreachable(): Waypoint[] {
    const [entrance] = this.#plan.waypoints;
    return this.#plan.waypoints.filter((waypoint) => entrance && !this.between(entrance, waypoint));
  }
}

function neighbours({ waypoints, paths, ...plan }: FloorPlan): Map<Waypoint, Waypoint[]> {
  const named = paths && new Set(paths.flatMap(([a, b]) => [`${a}\n${b}`, `${b}\n${a}`]));
  const isNear = (a: Waypoint, b: Waypoint) =>
    named ? named.has(`${a.name}\n${b.name}`) : a.floor !== b.floor || isOpen(plan, a, b);
  return new Map(waypoints.map((a) => [a, waypoints.filter((b) => b !== a && isNear(a, b))]));
}

const length = (a: Waypoint, b: Waypoint) => distance(a, b) + (a.floor === b.floor ? 0 : stairs);

/** E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959; plans are small enough for a plain search. */
function shortest(
  near: ReadonlyMap<Waypoint, readonly Waypoint[]>,
  from: Waypoint,
  to: Waypoint,
): Waypoint[] | undefined {
  const known = new Map<Waypoint, { readonly way: number; readonly before?: Waypoint }>([[from, { way: 0 }]]);
  const open = new Set([from]);
  for (;;) {
    let at: Waypoint | undefined;
    for (const one of open) if (at === undefined || wayTo(known, one) < wayTo(known, at)) at = one;
    if (at === undefined) return undefined;
    if (at === to) break;
    open.delete(at);
    for (const next of near.get(at) ?? []) {
      const way = wayTo(known, at) + length(at, next);
      if (way >= wayTo(known, next)) continue;
      known.set(next, { way, before: at });
      open.add(next);
    }
  }
  const steps = [to];
  for (let at = known.get(to)?.before; at !== undefined && at !== from; at = known.get(at)?.before) steps.unshift(at);
  return steps;
}

const wayTo = (known: ReadonlyMap<Waypoint, { readonly way: number }>, to: Waypoint) =>
  known.get(to)?.way ?? Number.POSITIVE_INFINITY;
