import { replaceInValues, type Sql } from '../../base/sql.ts';
import { type Db, fillPage, type Row, type SlowQuery } from '../../db/db.ts';
import type { ListPlan, Step } from './plan.ts';
import type { Asking, ListStatements } from './statements.ts';

export interface ReadRequest extends Asking {
  /** The caller may see only few of the records, and an index of the list would have to be scanned far to find them. */
  readonly isNarrowed: boolean;
  /** Puts the user's id in the place of what stands for it. */
  readonly user: { readonly standIn: string; readonly value: string } | undefined;
  readonly slow: SlowQuery & Required<Pick<SlowQuery, 'within'>>;
}

/** Records that are looked at for each that a page needs, and at most, where not all of those passed are answered. */
const lookedAtForEach = 10;
const maxLookedAt = 2_000;
/** If no more meet the conditions on one column, all of them are checked. More if the index alone answers. */
const fewRecords = 500;
/** Skipping walks over the rows; beyond this it is no longer nothing. */
const cheapSkip = 1_000;
/** After looking in vain a walk is not tried again for so many lists, twice as many each time. */
const maxPaused = 64;

export class PageReader {
  readonly #plan: ListPlan;
  readonly #statements: ListStatements;
  readonly #misses = new Map<Step, { inARow: number; paused: number }>();

  constructor(plan: ListPlan, statements: ListStatements) {
    this.#plan = plan;
    this.#statements = statements;
  }

  /** Whether the page costs microseconds, so that it is read right here. */
  isCheap({ isNarrowed, page }: Pick<ReadRequest, 'isNarrowed' | 'page'>): boolean {
    return this.#plan.isIndexed && !isNarrowed && page.skip <= cheapSkip;
  }

  /** @throws Failure Timeout */
  async read(db: Db, request: ReadRequest): Promise<Row[]> {
    if (this.isCheap(request)) return this.#ask(db, request, this.#statements.page(request));
    if (!request.isNarrowed && request.page.skip <= cheapSkip)
      for (const step of this.#plan.steps) {
        const rows = step.kind === 'few' ? await this.#few(db, request, step) : await this.#walk(db, request, step);
        if (rows) return rows;
      }
    // Everything else waits its turn among other requests.
    return db.all(named(this.#statements.page(request), request), request.slow);
  }

  /** How many records the list has. @throws Failure Timeout */
  async countAll(db: Db, request: ReadRequest): Promise<number> {
    const { tenant } = request.slow;
    const [row] = await db.all<{ n: number }>(named(this.#statements.countAll(request), request), { tenant });
    return Number(row?.n ?? 0);
  }

  async #few(db: Db, request: ReadRequest, step: Step): Promise<Row[] | undefined> {
    const most = step.held ? maxLookedAt : fewRecords;
    if ((await this.#count(db, request, step, most)) > most) return undefined;
    return this.#ask(db, request, this.#statements.page(request, step));
  }

  async #walk(db: Db, request: ReadRequest, step: Step & { readonly isWhole?: boolean }): Promise<Row[] | undefined> {
    const misses = this.#misses.get(step) ?? { inARow: 0, paused: 0 };
    this.#misses.set(step, misses);
    if (misses.paused > 0) {
      misses.paused--;
      return undefined;
    }
    const { limit, skip } = request.page;
    const most = step.isWhole ? (limit + skip) * step.of.length : step.held ? maxLookedAt : lookedAt(limit + skip);
    const rows = await this.#ask(db, request, this.#statements.page(request, step, most));
    // After the end of a walk there may be more, unless it has passed all that there is.
    const isFound =
      step.isWhole ||
      fillPage(rows, limit, request.slow.within) ||
      (await this.#count(db, request, step, most)) <= most;
    misses.inARow = isFound ? 0 : misses.inARow + 1;
    misses.paused = isFound ? 0 : Math.min(maxPaused, 2 ** misses.inARow);
    return isFound ? rows : undefined;
  }

  async #count(db: Db, request: ReadRequest, step: Step, most: number): Promise<number> {
    const [row] = await this.#ask<{ n: number }>(db, request, this.#statements.count(request, step, most));
    return Number(row?.n ?? 0);
  }

  #ask<T extends object = Row>(db: Db, request: ReadRequest, statement: Sql): Promise<T[]> {
    return db.all<T>(named(statement, request), { ...request.slow, isBrief: true });
  }
}

const lookedAt = (needed: number) => Math.min(maxLookedAt, lookedAtForEach * needed);

const named = (statement: Sql, { user }: Pick<ReadRequest, 'user'>): Sql =>
  user ? replaceInValues(statement, user.standIn, user.value) : statement;
