import { join } from 'node:path';
import { packOld } from '../../../src/cold/pack.ts';
import { unpackAll } from '../../../src/cold/unpack.ts';
import type { Database } from '../../../src/db/db.ts';
import { openPostgres } from '../../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../../src/db/sqlite/sqlite.ts';
import { packedTables, sizes } from './cold-data.ts';

/**
 * A process of its own that packs what is old of an app, or unpacks it all, to be killed: `pack-process.ts APP BEFORE`, `… APP unpack`. Prints
 * each transaction.
 */

const [appId = '', before = ''] = process.argv.slice(2);
// Not by the settings, whose code loads the whole service: it is started dozens of times.
const { PHAROS_DATABASE_URL: url, PHAROS_DATA: folder = '' } = process.env;
const db = url
  ? openPostgres({ url, poolSize: 3, queryDeadlineMs: 30_000 })
  : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs: 30_000 });
const telling: Database = new Proxy(db, {
  get(target, name) {
    const value: unknown = Reflect.get(target, name, target);
    if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value;
    const transaction: Database['transaction'] = async (work) => {
      process.stdout.write('.');
      return target.transaction(work);
    };
    return transaction;
  },
});
if (before === 'unpack') {
  const scopes = packedTables.map((table) => ({ appId, table }));
  await unpackAll(telling, scopes, { size: 20, wait: async () => undefined });
} else
  for (const table of packedTables)
    await packOld(telling, { appId, table, before: Number(before) }, { sizes: { small: 20, large: sizes.large } });
await db.close();
