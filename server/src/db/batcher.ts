import { Failure } from '../base/errors.ts';
import { isTraced, withinTrace } from '../base/telemetry/tracing.ts';

/**
 * Batches what arrives at the same time into few runs. While a run waits for the database, new items are collected for
 * the next: a single item runs at once, and under load the runs grow instead of the queue.
 */
export interface BatcherOptions<Item, Result> {
  /** Runs at the same time. */
  readonly slots: number;
  /** Items in one run, at most. */
  readonly most: number;
  /** What the items of one run weigh together, at most; a heavier one runs alone. */
  readonly maxWeight: number;
  readonly weigh: (item: Item) => number;
  /** Tenants take turns, so that one with many items does not hold up the others. */
  readonly tenantOf: (item: Item) => string;
  /** What an item works on. Of two items that work on the same thing, the later one waits until the other is done. */
  readonly subjectOf?: (item: Item) => string;
  /**
   * Does the work of several items, all or none of it. Results in their order; undefined for an item that must run by itself.
   */
  readonly run: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>;
  readonly runAlone: (item: Item) => Promise<Result>;
}

/**
 * Whether each item may succeed by itself after several have failed together: not where the database does not answer, or does not take
 * the statement as such (SQLSTATE 0A and 42). Done one by one, those would only become slow without a word.
 */
function isOfOneItem(error: unknown): boolean {
  if (error instanceof Failure && error.name === 'Timeout') return false;
  return !/^(0A|42)/.test(String((error as { code?: unknown } | undefined)?.code));
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly weight: number;
  readonly runAlone: (item: Item) => Promise<Result>;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  /** Whose turn is next comes first. */
  readonly #lines = new Map<string, Waiting<Item, Result>[]>();
  readonly #busy = new Set<string>();
  #running = 0;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    const { tenantOf, weigh, runAlone } = this.#options;
    // What two requests do in one run could be of one trace only.
    const weight = isTraced() ? Number.POSITIVE_INFINITY : weigh(item);
    return new Promise((resolve, reject) => {
      const tenant = tenantOf(item);
      const line = this.#lines.get(tenant);
      const waiting = { item, weight, runAlone: withinTrace(runAlone), resolve, reject };
      if (line) line.push(waiting);
      else this.#lines.set(tenant, [waiting]);
      this.#start();
    });
  }

  #start(): void {
    if (this.#running >= this.#options.slots) return;
    this.#running++;
    // The rest of this tick of the event loop brings what was read from other sockets.
    setImmediate(() => void this.#runAll());
  }

  async #runAll(): Promise<void> {
    for (let taken = this.#take(); taken.length > 0; taken = this.#take()) {
      await this.#runOnce(taken);
      for (const { item } of taken) this.#busy.delete(this.#options.subjectOf?.(item) ?? '');
      // What waited for these may be too much for one run.
      if (this.#lines.size > 0) this.#start();
    }
    this.#running--;
  }

  /** The next run: one item of each tenant in turn. */
  #take(): Waiting<Item, Result>[] {
    const { most, maxWeight, subjectOf } = this.#options;
    const taken: Waiting<Item, Result>[] = [];
    let weight = 0;
    for (const [tenant, line] of this.#lines) {
      const place = subjectOf ? line.findIndex(({ item }) => !this.#busy.has(subjectOf(item))) : 0;
      const next = line[place];
      if (!next) continue;
      weight += next.weight;
      if (taken.length === most || (taken.length > 0 && weight > maxWeight)) break;
      taken.push(next);
      if (subjectOf) this.#busy.add(subjectOf(next.item));
      line.splice(place, 1);
      this.#lines.delete(tenant);
      // Behind the others, where this walk comes by again.
      if (line.length > 0) this.#lines.set(tenant, line);
    }
    return taken;
  }

  async #runOnce(taken: readonly Waiting<Item, Result>[]): Promise<void> {
    const [first] = taken;
    if (first && taken.length === 1) return this.#runAlone(first);
    let results: readonly (Result | undefined)[];
    try {
      results = await this.#options.run(taken.map(({ item }) => item));
    } catch (error) {
      if (isOfOneItem(error)) await Promise.all(taken.map((one) => this.#runAlone(one)));
      else for (const { reject } of taken) reject(error);
      return;
    }
    const left: Waiting<Item, Result>[] = [];
    for (const [index, waiting] of taken.entries()) {
      const result = results[index];
      if (result === undefined) left.push(waiting);
      else waiting.resolve(result);
    }
    await Promise.all(left.map((one) => this.#runAlone(one)));
  }

  async #runAlone({ item, runAlone, resolve, reject }: Waiting<Item, Result>): Promise<void> {
    try {
      resolve(await runAlone(item));
    } catch (error) {
      reject(error);
    }
  }
}
