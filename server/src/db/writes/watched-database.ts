import { perLiteral, Sql } from '../../base/sql.ts';
import type { Database, Db, Row, SlowQuery } from '../db.ts';

/** What is known of a statement that inserts, changes or deletes rows. */
interface Writing {
  readonly table: string;
  /** Makes a statement return `written_app` and `written_id` of each row that it writes. */
  answering(statement: Sql): Sql;
}

const form = /^\s*(?:insert (?:or \w+ )?into|update|delete from)\s+(\w+)/i;
const answers = /\breturning\b/i;

/** Null for a statement that writes nothing. The text before the first value names the table. */
const writtenBy: (statement: Sql) => Writing | null = perLiteral(({ strings }) => {
  const [, table] = form.exec(strings[0] ?? '') ?? [];
  if (table === undefined) return null;
  const end = `${table}.app_id as written_app, ${table}.object_id as written_id`;
  const word = answers.test(strings.join('?')) ? ',' : ' returning';
  const extended = Object.freeze([...strings.slice(0, -1), `${strings.at(-1) ?? ''}${word} ${end}`]);
  return { table, answering: ({ values }) => new Sql(extended, values) };
});

export interface WrittenRow {
  readonly appId: string;
  readonly objectId: string;
}

export interface WriteListener {
  /** Nobody wants to know of any write. It is asked before each, so it costs no more than a glance. */
  readonly isIdle: boolean;
  /** The listener is finding out what it wants: writes begin later. */
  readonly settling: Promise<unknown> | undefined;
  /** Whether rows of the table are asked for, which then has an `app_id` and an `object_id`. */
  wants(table: string): boolean;
  /** In the transaction that has written the rows. */
  note(db: Db, table: string, rows: readonly WrittenRow[]): Promise<void>;
}

/** Where the listener is named, once there is one. */
export interface WriteWatch {
  listener?: WriteListener;
}

/**
 * The database with all writes of the process watched. It reports itself which rows a statement has written (`returning`), so that no writer
 * can forget to.
 */
export function watchWrites(db: Database, watch: WriteWatch): Database {
  /** Before a transaction and not in it: what is found out needs a connection too. */
  const settled = <T>(work: () => Promise<T>): Promise<T> => watch.listener?.settling?.then(work) ?? work();
  const transaction: Database['transaction'] = (work) =>
    settled(() => db.transaction((inner) => work(watched(inner, watch))));
  const own: Pick<Database, 'run' | 'runTogether' | 'transaction' | 'longTransaction'> = {
    run: (statement) =>
      settled(() => (wantedBy(watch, statement) ? transaction((inner) => inner.run(statement)) : db.run(statement))),
    async runTogether(statements) {
      for (const statement of statements) await own.run(statement);
    },
    transaction,
    longTransaction: (work) => settled(() => db.longTransaction((inner) => work(watched(inner, watch)))),
  };
  const methods = new Map<string | symbol, unknown>(Object.entries(own));
  return new Proxy(db, {
    get(target, name) {
      const method = methods.get(name);
      if (method !== undefined) return method;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      // What stands there when it is called, which may be another by then.
      const forward = (...given: unknown[]) => Reflect.apply(Reflect.get(target, name, target), target, given);
      methods.set(name, forward);
      return forward;
    },
  });
}

interface Wanted extends Writing {
  readonly listener: WriteListener;
}

/** What the statement writes, if its rows are asked for. */
function wantedBy({ listener }: WriteWatch, statement: Sql): Wanted | undefined {
  if (listener === undefined || listener.isIdle) return undefined;
  const writing = writtenBy(statement);
  return writing !== null && listener.wants(writing.table) ? { ...writing, listener } : undefined;
}

function watched(db: Db, watch: WriteWatch): Db {
  /** Runs a statement whose rows are asked for; undefined where they are not. */
  function noting<T extends object>(statement: Sql): Promise<T[]> | undefined {
    const wanted = wantedBy(watch, statement);
    return wanted && note<T>(statement, wanted);
  }

  async function note<T extends object>(statement: Sql, { listener, table, answering }: Wanted): Promise<T[]> {
    const rows = await db.all<Row>(answering(statement));
    const written = rows.map(({ written_app: app, written_id: id }) => ({ appId: String(app), objectId: String(id) }));
    if (written.length > 0) await listener.note(db, table, written);
    return rows.map(({ written_app: _, written_id: __, ...row }) => row as T);
  }

  const inside: Db = {
    dialect: db.dialect,
    all: <T extends object = Row>(statement: Sql, slow?: SlowQuery) =>
      noting<T>(statement) ?? db.all<T>(statement, slow),
    one: <T extends object = Row>(statement: Sql): Promise<T | undefined> =>
      noting<T>(statement)?.then(([row]) => row) ?? db.one<T>(statement),
    run: (statement) => noting(statement)?.then(({ length }) => length) ?? db.run(statement),
    async runTogether(statements) {
      if (!statements.some((statement) => wantedBy(watch, statement))) return db.runTogether(statements);
      for (const statement of statements) await inside.run(statement);
    },
    transaction: (work) => db.transaction((inner) => work(watched(inner, watch))),
    afterCommit: (effect) => db.afterCommit(effect),
  };
  return inside;
}
