import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.ts';
import { announcedMs, announcePacking, expectPacked, isNeverPacked } from '../../../cold/ever.ts';
import { type ChunkSizes, type ColdAge, packOld, rest } from '../../../cold/pack.ts';
import type { ColdScope } from '../../../cold/store.ts';
import { completeSummaries } from '../../../cold/summaries.ts';
import { coldChunks } from '../../../cold/tables.ts';
import type { Database } from '../../../db/db.ts';
import type { DbTable } from '../../../db/table.ts';
import { Pace, sweepRest } from '../../../jobs/pace.ts';
import type { AppsWith } from '../../feature.ts';
import { dayMs, type RetainedApp } from './kept.ts';

export interface ColdPackingDeps {
  readonly db: Database;
  readonly now: Clock;
  readonly packedTables: readonly DbTable[];
  /** Rows that are older are packed; 0: none. */
  readonly coldAfterDays: number;
  readonly listApps: () => Promise<readonly RetainedApp[]>;
  /** Without it all apps are looked at. */
  readonly appsWith?: AppsWith;
  /** For so long (ms); until then by the clock without it. */
  readonly wait?: (ms: number) => Promise<unknown>;
  /** Those of the product without it. */
  readonly sizes?: ChunkSizes;
}

/** What has become old since the last sweeps, and what was late. */
const recentMs = 2 * dayMs;

/** Packs what is old, of all features (ADR 83). */
export class ColdPacking {
  readonly #deps: ColdPackingDeps;
  readonly #stopping = new AbortController();
  #isRunning = false;
  #isAnnounced = false;
  #lastWalk = 0;

  constructor(deps: ColdPackingDeps) {
    this.#deps = deps;
    if (deps.coldAfterDays > 0) expectPacked(deps.db, deps.coldAfterDays);
  }

  /**
   * Packs what has become old; once a day also what had not been packed before, and completes the summaries, without the setting, too. A stop ends it after the step that it is at.
   *
   * @throws AggregateError when some of it failed; the rest is packed
   */
  async sweep(): Promise<void> {
    const { coldAfterDays, now } = this.#deps;
    // The first time may take longer than until the next.
    if (this.#isRunning) return;
    const [begun, isDaily] = [now(), now() - this.#lastWalk >= dayMs];
    const isPacking = coldAfterDays > 0;
    if (!isPacking && (!isDaily || (await isNeverPacked(this.#deps.db)))) return;
    this.#isRunning = true;
    const errors: unknown[] = [];
    try {
      if (isPacking && !this.#isAnnounced) await this.#announce();
      const before = begun - coldAfterDays * dayMs;
      const since = isDaily ? 0 : before - recentMs;
      const pace = new Pace({ rest: sweepRest });
      for (const [appId, { isPacked, tables }] of await this.#findApps(isPacking)) {
        if (this.#stopping.signal.aborted) break;
        for (const table of this.#deps.packedTables)
          try {
            if (isPacking && (isPacked || tables.has(table))) await this.#pack({ appId, table, before }, since);
            if (isDaily) await this.#complete({ appId, table });
          } catch (error) {
            errors.push(error);
          }
        await pace.rest();
      }
      if (isDaily && errors.length === 0) this.#lastWalk = begun;
    } finally {
      this.#isRunning = false;
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Some old records could not be packed.');
  }

  /** Those of which something is packed, and those that have rows in some of the tables that are packed. */
  async #findApps(isPacking: boolean) {
    const { listApps, packedTables } = this.#deps;
    const { appsWith = async () => (await listApps()).map(({ appId }) => appId) } = this.#deps;
    const packed = new Set(await appsWith(coldChunks));
    const found = new Map<string, { readonly isPacked: boolean; readonly tables: Set<DbTable> }>();
    const note = (appId: string, ...tables: readonly DbTable[]) => {
      const known = found.get(appId) ?? { isPacked: packed.has(appId), tables: new Set() };
      for (const table of tables) known.tables.add(table);
      found.set(appId, known);
    };
    for (const appId of packed) note(appId);
    if (!isPacking) return found;
    for (const table of packedTables) for (const appId of await appsWith(table)) note(appId, table);
    return found;
  }

  /** A node that has asked just before still believes that nothing was packed. */
  async #announce(): Promise<void> {
    const { db, coldAfterDays, wait = (ms) => this.#delay(ms) } = this.#deps;
    await announcePacking(db, coldAfterDays);
    await wait(announcedMs);
    this.#isAnnounced = true;
  }

  /** Ends with a stop. */
  #delay(ms: number): Promise<unknown> {
    return delay(ms, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => undefined);
  }

  async #pack(age: ColdAge, since: number): Promise<void> {
    const isStopped = () => this.#stopping.signal.aborted;
    const { db, sizes } = this.#deps;
    if (!isStopped()) await packOld(db, age, { since, isStopped, ...(sizes ? { sizes } : {}) });
  }

  /** What was packed by a version without summaries gets them. */
  async #complete(scope: ColdScope): Promise<void> {
    const { db } = this.#deps;
    const isStopped = () => this.#stopping.signal.aborted;
    if (!isStopped()) await completeSummaries(db, scope, { rest: () => rest(db), isStopped });
  }

  stop(): void {
    this.#stopping.abort();
  }
}
