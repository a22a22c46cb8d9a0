import { sql } from '../base/sql.ts';
import type { Db } from '../db/db.ts';

const name = 'restoring';

/** Says that a restore is under way. If it is found later, not all rows have arrived. */
export async function setRestoreMarker(db: Db): Promise<void> {
  await db.run(sql`insert into settings (name, value) values (${name}, '1') on conflict (name) do nothing`);
}

export async function clearRestoreMarker(db: Db): Promise<void> {
  await db.run(sql`delete from settings where name = ${name}`);
}

export async function hasRestoreMarker(db: Db): Promise<boolean> {
  return (await db.one(sql`select name from settings where name = ${name}`)) !== undefined;
}

/**
 * @throws Error when a restore into this database was interrupted, so that a partial copy is never served as a whole
 * one
 */
export async function assertNoUnfinishedRestore(db: Db): Promise<void> {
  if (await hasRestoreMarker(db))
    throw new Error('A restore into this database was not finished. Run the same pharos restore again to finish it.');
}
