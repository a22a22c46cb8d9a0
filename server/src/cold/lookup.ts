import type { SqlValue } from '../base/sql.ts';
import type { Db } from '../db/db.ts';
import type { Chunk } from './format/chunk.ts';
import { mostTries, moving } from './read.ts';
import { allHeads, type ColdScope, type IdRange, loadChunk } from './store.ts';
import { mayHave, type Sought } from './summaries.ts';

/** Looking up single packed rows from within a transaction, which may await nothing but its database. */

const mostKept = 16;

/** Chunks that one who looks up many rows has unpacked already; to be dropped with the transaction. */
export class ColdLookup {
  readonly #chunks = new Map<string, Chunk>();

  /** Of the packed rows in a range that have what is sought, these columns. @throws Failure Timeout while they are being moved */
  async cells(db: Db, scope: ColdScope, look: ColdLook): Promise<(readonly SqlValue[])[]> {
    for (let left = mostTries; left > 0; left--) {
      const found = await this.#look(db, scope, look);
      if (found) return found;
    }
    throw moving();
  }

  /** Undefined if a chunk was replaced meanwhile. */
  async #look(db: Db, scope: ColdScope, look: ColdLook): Promise<(readonly SqlValue[])[] | undefined> {
    const { range, sought, columns } = look;
    const found: (readonly SqlValue[])[] = [];
    for await (const heads of allHeads(db, scope, range))
      for await (const head of mayHave(db, scope, heads, { values: sought })) {
        const chunk = this.#chunks.get(head.object_id) ?? (await loadChunk(db, scope, head));
        if (!chunk) return undefined;
        this.#keep(head.object_id, chunk);
        const asked: (readonly [readonly SqlValue[], ReadonlySet<SqlValue>])[] = [];
        for (const { column, texts } of sought) asked.push([await chunk.column(column), new Set(texts)]);
        const cells: (readonly SqlValue[])[] = [];
        for (const name of columns) cells.push(await chunk.column(name));
        for (let place = 0; place < chunk.length; place++)
          if (asked.every(([values, texts]) => texts.has(values[place] ?? null)))
            found.push(cells.map((values) => values[place] ?? null));
      }
    return found;
  }

  #keep(id: string, chunk: Chunk): void {
    if (!this.#chunks.has(id) && this.#chunks.size >= mostKept)
      this.#chunks.delete(this.#chunks.keys().next().value ?? '');
    this.#chunks.set(id, chunk);
  }
}

export interface ColdLook {
  readonly range: IdRange;
  readonly sought: readonly Sought[];
  readonly columns: readonly string[];
}
