import { join } from 'node:path';
import type { Sql } from '../../../src/base/sql.ts';
import type { Database, Db } from '../../../src/db/db.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openPostgres } from '../../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../../src/db/sqlite/sqlite.ts';
import { changed } from './changed.ts';

/**
 * A process of its own that migrates a database, to be killed: `unpack-process.ts STATEMENT COUNT` prints a line after the statement that is the
 * COUNTth to begin so, and waits for its end there, within the transaction.
 */

const [beginning = '', count = '1'] = process.argv.slice(2);
const { PHAROS_DATABASE_URL: url, PHAROS_DATA: folder = '' } = process.env;
const db = url
  ? openPostgres({ url, poolSize: 3, queryDeadlineMs: 30_000 })
  : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs: 30_000 });

let left = Number(count);

async function stopAfter<T>(statement: Sql, result: Promise<T>): Promise<T> {
  const value = await result;
  if (!statement.strings.join('').startsWith(beginning) || --left > 0) return value;
  process.stdout.write('there\n');
  return new Promise(() => setInterval(() => undefined, 1_000));
}

const stopping = <T extends Db>(of: T, change: Partial<Database> = {}): T =>
  changed(of, {
    run: (statement) => stopAfter(statement, of.run(statement)),
    all: <R extends object>(statement: Sql) => stopAfter(statement, of.all<R>(statement)),
    ...change,
  });

await migrate(
  stopping<Database>(db, { longTransaction: (work) => db.longTransaction((inner) => work(stopping(inner))) }),
  Date.now(),
);
await db.close();
