import { Dwells } from './dwells.ts';
import { VisitorSet } from './visitor-set.ts';

/** What is counted of some visits, as a row of `visit_rollups` keeps it. */
export interface RollupCells {
  readonly visits: number;
  readonly newcomers: number;
  readonly ended: number;
  readonly dwell_ms: number;
  readonly dwells: string;
  readonly visitors: string;
}

/** What is counted of some visits; tallies can be added up. */
export class Tally {
  visits = 0;
  newcomers = 0;
  ended = 0;
  dwellMs = 0;
  readonly dwells = new Dwells();
  readonly visitors = new VisitorSet();

  /** @param dwell seconds; null while the visit is open */
  count(hash: number, dwell: number | null): void {
    this.visits++;
    this.visitors.add(hash);
    if (dwell === null) return;
    this.ended++;
    this.dwellMs += Math.round(dwell * 1000);
    this.dwells.add(dwell);
  }

  add({ visits, newcomers, ended, dwell_ms, dwells, visitors }: RollupCells): void {
    this.visits += visits;
    this.newcomers += newcomers;
    this.ended += ended;
    this.dwellMs += dwell_ms;
    this.dwells.addWritten(dwells);
    this.visitors.addWritten(visitors);
  }

  /** Adds what another tally has, which is less work than adding all that was added to it. */
  addTally(other: Tally): void {
    this.visits += other.visits;
    this.newcomers += other.newcomers;
    this.ended += other.ended;
    this.dwellMs += other.dwellMs;
    this.dwells.addAll(other.dwells);
    this.visitors.addSet(other.visitors);
  }

  cells(): RollupCells {
    return {
      visits: this.visits,
      newcomers: this.newcomers,
      ended: this.ended,
      dwell_ms: this.dwellMs,
      dwells: this.dwells.write(),
      visitors: this.visitors.write(),
    };
  }
}

export class Tallies<K> {
  readonly #tallies = new Map<K, Tally>();

  of(key: K): Tally {
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      tally = new Tally();
      this.#tallies.set(key, tally);
    }
    return tally;
  }

  get size(): number {
    return this.#tallies.size;
  }

  find(key: K): Tally | undefined {
    return this.#tallies.get(key);
  }

  entries(): IterableIterator<[K, Tally]> {
    return this.#tallies.entries();
  }
}
