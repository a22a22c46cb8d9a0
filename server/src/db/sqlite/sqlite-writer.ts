import { setTimeout as delay } from 'node:timers/promises';
import { type Failure, fail } from '../../base/errors.ts';
import { type Sql, sql } from '../../base/sql.ts';
import { withinTrace } from '../../base/telemetry/tracing.ts';
import type { Db, Row } from '../db.ts';
import type { Dialect } from '../dialect.ts';
import { storageTrouble } from '../storage-error.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { translateSqliteError } from './sqlite-error.ts';
import { diskFailed } from './wal-file.ts';
import type { WriteConnection } from './write-connection.ts';

/** How long a write waits for another process (the command line) that holds the write lock. */
const lockWaitMs = 5_000;
/** A batch ends after this many writes, so that its first one is not acknowledged late. */
const maxBatch = 1_000;

// As literals they are prepared once, and then not even looked up by their text; `exec` would compile them for every write.
const begin = sql`begin immediate`;
const commit = sql`commit`;
const savepoint = sql`savepoint unit`;
const release = sql`release unit`;
const rollback = sql`rollback to unit`;
const innerSavepoint = sql`savepoint inner_unit`;
const innerRelease = sql`release inner_unit`;

type Effects = readonly (() => void)[];
type Outcome = { readonly value: unknown; readonly effects: Effects } | { readonly error: unknown };

interface Unit {
  /** A single statement is atomic by itself: it needs no savepoint and no awaiting. */
  readonly work: Sql | ((db: Db) => Promise<unknown>);
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

const none: Effects = Object.freeze([]);

/** What a writer's owner does around its commits. */
export interface CommitSteps {
  /** Makes the commits survive a power cut. Once it has rejected, nothing more is written. */
  flush(): Promise<void>;
  onCommit(): void;
  /** The disk has no room. Afterwards the same writes are tried once more. */
  makeRoom?(): void;
}

/** A commit that may have been stored although the disk did not confirm it. */
function unconfirmed(cause: unknown): Failure {
  return fail('Timeout', {
    message:
      'The disk did not confirm the write, so it is unknown whether it was stored. Check before sending it again.',
    isOutcomeUnknown: true,
    cause,
  });
}

/**
 * The one writer of an embedded database, with group commit: writes that arrive together share one transaction (and one
 * flush of the disk), each behind a savepoint of its own, and are acknowledged only when they are durable. While the
 * disk is busy, this thread serves others, and the next writes are batched.
 */
export class SqliteWriter {
  readonly #connection: WriteConnection;
  readonly #inside: Db;
  readonly #steps: CommitSteps;
  #queue: Unit[] = [];
  #active: Promise<void> | undefined;
  #held: (() => Promise<void>) | undefined;
  #refusal: Failure | undefined;
  #mayMakeRoom = false;
  /** The current unit's effects, to run after the commit. */
  #effects: (() => void)[] = [];

  constructor(connection: WriteConnection, dialect: Dialect, steps: CommitSteps) {
    this.#connection = connection;
    this.#steps = steps;
    this.#inside = insideTransaction(connection, dialect, (effect) => this.#effects.push(effect));
  }

  get queued(): number {
    return this.#queue.length;
  }

  run(statement: Sql): Promise<number> {
    return this.#enqueue(statement);
  }

  transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#enqueue(withinTrace(work));
  }

  /** From now on every write is refused with this error before it begins. */
  refuse(refusal: Failure): void {
    this.#refusal ??= refusal;
  }

  /** Runs `work` between two transactions; new writes wait for it. One at a time. */
  hold(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#held = () => (this.#refusal ? Promise.reject(this.#refusal) : work()).then(resolve, reject);
      this.#active ??= this.#drain();
    });
  }

  /** Resolves when every accepted write is committed or refused. */
  async idle(): Promise<void> {
    while (this.#active) await this.#active;
  }

  #enqueue<T>(work: Unit['work']): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve, reject });
      this.#active ??= this.#drain();
    });
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0 || this.#held) {
      const held = this.#held;
      this.#held = undefined;
      await held?.();
      // In one tick of the event loop the writes of all requests that were read together are batched.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#commitBatch(this.#queue.splice(0, maxBatch));
    }
    this.#active = undefined;
  }

  async #commitBatch(units: readonly Unit[]): Promise<void> {
    if (units.length === 0) return;
    const outcomes = await this.#write(units);
    if (outcomes instanceof Error) {
      // On a full disk, a write that needs room fails together with its whole batch.
      if (units.length > 1 && storageTrouble(outcomes) === 'full')
        for (const unit of units) await this.#commitBatch([unit]);
      else for (const unit of units) unit.reject(outcomes);
      return;
    }
    this.#steps.onCommit();
    for (let index = 0; index < units.length; index++) {
      const [unit, outcome] = [units[index], outcomes[index]];
      if (unit === undefined || outcome === undefined) continue;
      if ('error' in outcome) {
        unit.reject(outcome.error);
        continue;
      }
      for (const effect of outcome.effects) effect();
      unit.resolve(outcome.value as never);
    }
  }

  /** The outcome of each unit once all are on the disk, or the reason why none could be written. */
  async #write(units: readonly Unit[]): Promise<readonly Outcome[] | Error> {
    for (let isSecondTry = false; ; isSecondTry = true) {
      // After a failed flush the disk may report success for lost data, so no later flush can be trusted.
      if (this.#refusal) return this.#refusal;
      this.#mayMakeRoom = !isSecondTry && this.#steps.makeRoom !== undefined;
      const outcomes = await this.#commit(units);
      if (outcomes instanceof Error) {
        if (!this.#mayMakeRoom || storageTrouble(outcomes) !== 'full') return outcomes;
        this.#steps.makeRoom?.();
        continue;
      }
      try {
        await this.#steps.flush();
        return outcomes;
      } catch (error) {
        this.refuse(diskFailed(error));
        return unconfirmed(error);
      }
    }
  }

  async #commit(units: readonly Unit[]): Promise<readonly Outcome[] | Error> {
    const outcomes: Outcome[] = [];
    let isCommitting = false;
    try {
      await this.#begin();
      for (const { work } of units)
        outcomes.push(typeof work === 'function' ? await this.#runUnit(work) : this.#runStatement(work));
      isCommitting = true;
      this.#run(commit);
      return outcomes;
    } catch (error) {
      this.#abandon();
      // The log may hold all of it already; then a start right afterwards finds it.
      if (isCommitting && storageTrouble(error) === 'io') return unconfirmed(error);
      return translateSqliteError(error) as Error;
    }
  }

  #abandon(): void {
    try {
      // If it could not be begun, others may be reading by now: only what writes is rolled back.
      this.#connection.outsideTick(({ raw }) => {
        if (raw.inTransaction) raw.exec('rollback');
      });
    } catch {
      // The next begin will show.
    }
  }

  async #begin(): Promise<void> {
    const giveUp = Date.now() + lockWaitMs;
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      try {
        this.#run(begin);
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
        if (Date.now() > giveUp)
          throw fail('Timeout', { message: 'Another process holds the database. Try again.', retryAfter: 1 });
      }
      await delay(waitMs);
    }
  }

  #runStatement(statement: Sql): Outcome {
    try {
      return { value: this.#run(statement), effects: none };
    } catch (error) {
      this.#assertAlive(error);
      return { error: translateSqliteError(error) };
    }
  }

  async #runUnit(work: (db: Db) => Promise<unknown>): Promise<Outcome> {
    this.#run(savepoint);
    this.#effects = [];
    try {
      const value = await work(this.#inside);
      this.#run(release);
      return { value, effects: this.#effects };
    } catch (error) {
      this.#assertAlive(error);
      this.#run(rollback);
      this.#run(release);
      return { error: translateSqliteError(error) };
    }
  }

  #run(statement: Sql): number {
    return this.#connection.outsideTick((connection) => connection.run(statement));
  }

  /**
   * A full disk or an I/O error ends the whole transaction; then nothing of the batch may be acknowledged. It is also
   * ended here if room can be made for all of it.
   */
  #assertAlive(error: unknown): void {
    const isAlive = this.#connection.outsideTick(({ raw }) => raw.inTransaction);
    if (!isAlive || (this.#mayMakeRoom && storageTrouble(error) === 'full')) throw error;
  }
}

function insideTransaction(
  connection: WriteConnection,
  dialect: Dialect,
  afterCommit: (effect: () => void) => void,
): Db {
  const attempt = async <T>(work: (connection: SqliteConnection) => T): Promise<T> => {
    try {
      return connection.outsideTick(work);
    } catch (error) {
      throw translateSqliteError(error);
    }
  };
  const inside: Db = {
    dialect,
    all: <T extends object = Row>(statement: Sql) => attempt((connection) => connection.all(statement) as T[]),
    one: <T extends object = Row>(statement: Sql) =>
      attempt((connection) => connection.one(statement) as T | undefined),
    run: (statement) => attempt((connection) => connection.run(statement)),
    runTogether: (statements) =>
      attempt((connection) => {
        for (const statement of statements) connection.run(statement);
      }),
    transaction: async (work) => {
      await attempt((connection) => connection.run(innerSavepoint));
      try {
        const value = await work(inside);
        await attempt((connection) => connection.run(innerRelease));
        return value;
      } catch (error) {
        connection.outsideTick(({ raw }) => {
          raw.exec('rollback to inner_unit');
          raw.exec('release inner_unit');
        });
        throw error;
      }
    },
    afterCommit,
  };
  return inside;
}
