import { WorkSlices } from '../base/work-slices.ts';
import type { Row } from '../db/db.ts';
import type { Order, OrderTerm } from '../query/ast.ts';
import type { Field } from '../query/fields.ts';
import { readPath } from '../query/json.ts';
import { compareByOrder, type ReadField } from '../query/match.ts';
import type { ChunkHead } from './store.ts';

/** What sorts a row, and where the row is. */
export interface Candidate {
  readonly key: Row;
  /** Undefined for a stored row. */
  readonly from: { readonly head: ChunkHead; readonly place: number } | undefined;
}

export const columnOf = (field: Field) => field.column;

/** As it is stored; of a JSON text what the path leads to. */
function reader(key: Row): ReadField {
  return (field) => {
    const value = key[columnOf(field)] ?? null;
    if (typeof value !== 'string' || field.from !== 'column' || field.type !== 'json') return value;
    return readPath(JSON.parse(value), field.path ?? []);
  };
}

/** Steps of merging between two looks at the clock. */
const stepsOfSlice = 256;
/** Few are not worth merging. */
const fewPending = 4_096;

/**
 * The first `limit` rows of an order, out of runs that are each in that order. It holds about twice as many at a time, however many
 * come, and lets others have their turn. Of a row that comes twice one stays: a packed one rather than a stored one.
 */
export class FirstRows {
  readonly #order: Order;
  readonly #limit: number;
  readonly #slices = new WorkSlices();
  #first: readonly Candidate[] = [];
  #runs: (readonly Candidate[])[] = [];
  #pending = 0;

  constructor(order: Order, limit: number) {
    this.#order = order;
    this.#limit = limit;
  }

  async add(run: readonly Candidate[]): Promise<void> {
    const last = this.#first.length === this.#limit ? this.#first.at(-1) : undefined;
    const used = last === undefined ? run : run.slice(0, this.#until(run, last));
    if (used.length === 0) return;
    this.#runs.push(used);
    this.#pending += used.length;
    if (this.#pending >= Math.max(this.#limit, fewPending)) await this.#merge();
  }

  /** Rows behind this one are not among the first; undefined as long as that is not known of any. */
  async bound(): Promise<Candidate | undefined> {
    // Of many, merging them each time would cost more than it saves.
    if (this.#limit <= fewPending) await this.#merge();
    return this.#first.length === this.#limit ? this.#first.at(-1) : undefined;
  }

  /** Whether a row comes behind another by this term of the order alone. */
  isBehind(key: Row, { key: last }: Candidate, term: OrderTerm): boolean {
    return compareByOrder([term], reader(key), reader(last)) > 0;
  }

  /** In their order. */
  async all(): Promise<readonly Candidate[]> {
    await this.#merge();
    return this.#first;
  }

  async #merge(): Promise<void> {
    if (this.#runs.length === 0) return;
    // Neighbours with each other, so that none is walked over again and again.
    let runs = [...(this.#first.length > 0 ? [this.#first] : []), ...this.#runs];
    while (runs.length > 1) {
      const merged: (readonly Candidate[])[] = [];
      for (let n = 0; n < runs.length; n += 2) merged.push(await this.#merged(runs[n] ?? [], runs[n + 1] ?? []));
      runs = merged;
    }
    this.#first = (runs[0] ?? []).slice(0, this.#limit);
    this.#runs = [];
    this.#pending = 0;
  }

  /** How many of a run come before a row, or are the same. */
  #until(run: readonly Candidate[], last: Candidate): number {
    let [low, high] = [0, run.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(run[middle] as Candidate, last) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(one: Candidate, other: Candidate): number {
    return compareByOrder(this.#order, reader(one.key), reader(other.key));
  }

  async #merged(some: readonly Candidate[], others: readonly Candidate[]): Promise<readonly Candidate[]> {
    const [end, begin] = [some.at(-1), others[0]];
    if (end === undefined || begin === undefined) return end === undefined ? others : some;
    const isBehind = end.key['object_id'] !== begin.key['object_id'] && this.#compare(end, begin) < 0;
    if (isBehind) return (some.length >= this.#limit ? some : [...some, ...others]).slice(0, this.#limit);
    const merged: Candidate[] = [];
    let [left, right] = [0, 0];
    for (let steps = 1; merged.length < this.#limit; steps++) {
      const [one, other] = [some[left], others[right]];
      if (one === undefined && other === undefined) break;
      if (one === undefined || other === undefined) {
        merged.push((one ?? other) as Candidate);
        left += one ? 1 : 0;
        right += other ? 1 : 0;
      } else if (one.key['object_id'] === other.key['object_id']) {
        merged.push(one.from ? one : other);
        left++;
        right++;
      } else if (this.#compare(one, other) <= 0) {
        merged.push(one);
        left++;
      } else {
        merged.push(other);
        right++;
      }
      if (steps % stepsOfSlice === 0) await this.#slices.rest();
    }
    return merged;
  }
}
