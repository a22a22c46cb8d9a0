import type { Clock } from '../../../base/clock.ts';
import { packOld } from '../../../cold/pack.ts';
import type { Database } from '../../../db/db.ts';
import type { DbTable } from '../../../db/table.ts';
import { dayMs, type RetainedApp } from './kept.ts';

export interface ColdPackingDeps {
  readonly db: Database;
  readonly now: Clock;
  readonly packedTables: readonly DbTable[];
  /** Rows that are older are packed; 0: none. */
  readonly coldAfterDays: number;
  readonly listApps: () => Promise<readonly RetainedApp[]>;
}

/** Packs what is old, of all features (ADR 83). */
export class ColdPacking {
  readonly #deps: ColdPackingDeps;
  #isStopped = false;

  constructor(deps: ColdPackingDeps) {
    this.#deps = deps;
  }

  /** Packs what has become old. A stop ends it after the step that it is at. */
  async sweep(): Promise<void> {
    const { db, now, packedTables, coldAfterDays, listApps } = this.#deps;
    if (coldAfterDays === 0) return;
    const before = now() - coldAfterDays * dayMs;
    for (const { appId } of await listApps())
      for (const table of packedTables)
        if (!this.#isStopped) await packOld(db, { appId, table, before }, { isStopped: () => this.#isStopped });
  }

  stop(): void {
    this.#isStopped = true;
  }
}
