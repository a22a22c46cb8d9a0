import { join } from 'node:path';
import type { Sql } from '../../../src/base/sql.ts';
import { packOld } from '../../../src/cold/pack.ts';
import { unpackAll } from '../../../src/cold/unpack.ts';
import type { Database, Db } from '../../../src/db/db.ts';
import { openPostgres } from '../../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../../src/db/sqlite/sqlite.ts';
import { changed } from './changed.ts';
import { packedTables, sizes } from './cold-data.ts';

/** What it prints then. */
const stopped = '|';

/**
 * A process of its own that packs what is old of an app, or unpacks it all, to be killed: `pack-process.ts APP BEFORE`, `… APP unpack`. Prints
 * each transaction. With a third word it waits for its end after the first write that begins so, within its transaction if there is one.
 */

const [appId = '', before = '', stop] = process.argv.slice(2);
// Not by the settings, whose code loads the whole service: it is started dozens of times.
const { PHAROS_DATABASE_URL: url, PHAROS_DATA: folder = '' } = process.env;
const db = url
  ? openPostgres({ url, poolSize: 3, queryDeadlineMs: 30_000 })
  : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs: 30_000 });

async function run(of: Db, statement: Sql): Promise<number> {
  const count = await of.run(statement);
  if (stop === undefined || !statement.strings.join('').startsWith(stop)) return count;
  process.stdout.write(stopped);
  return new Promise(() => setInterval(() => undefined, 1_000));
}

const stopping = <T extends Db>(of: T, change: Partial<Database>): T =>
  changed(of, { run: (statement: Sql) => run(of, statement), ...change });
const telling = stopping<Database>(db, {
  async transaction(work) {
    if (stop === undefined) process.stdout.write('.');
    return db.transaction((inner) => work(stopping(inner, {})));
  },
});
if (before === 'unpack') {
  const scopes = packedTables.map((table) => ({ appId, table }));
  await unpackAll(telling, scopes, { size: 20, wait: async () => undefined });
} else
  for (const table of packedTables)
    await packOld(telling, { appId, table, before: Number(before) }, { sizes: { small: 20, large: sizes.large } });
await db.close();
