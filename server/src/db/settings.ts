import { randomText } from '../base/id.ts';
import { raw, sql } from '../base/sql.ts';
import type { Db } from './db.ts';

/** What the service keeps about itself, by name. */

export async function findSetting(db: Db, name: string): Promise<string | undefined> {
  return (await db.one<{ value: string }>(sql`select value from settings where name = ${name}`))?.value;
}

export async function hasSettings(db: Db): Promise<boolean> {
  return (await db.one(raw('select 1 as found from settings limit 1'))) !== undefined;
}

/** False when it exists already; then it stays as it is. */
export async function insertSetting(db: Db, name: string, value: string): Promise<boolean> {
  const changed = await db.run(
    sql`insert into settings (name, value) values (${name}, ${value}) on conflict (name) do nothing`,
  );
  return changed > 0;
}

/** A random text of letters, digits and `_` that this database has for good: the same on all its nodes and after a restart, and in no other database. */
export async function findOwnText(db: Db, name: string, length: number): Promise<string> {
  const known = await findSetting(db, name);
  if (known !== undefined) return known;
  // Another node may be doing the same.
  await insertSetting(db, name, randomText(length).replace(/\W/g, '0'));
  return (await findSetting(db, name)) ?? '';
}

export async function saveSetting(db: Db, name: string, value: string): Promise<void> {
  await db.run(sql`insert into settings (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`);
}

/** False when there is none, or another one than was expected. */
export async function deleteSetting(db: Db, name: string, expected?: string): Promise<boolean> {
  const isExpected = expected === undefined ? raw('1 = 1') : sql`value = ${expected}`;
  return (await db.run(sql`delete from settings where name = ${name} and ${isExpected}`)) > 0;
}

export async function deleteAllSettings(db: Db): Promise<void> {
  await db.run(raw('delete from settings'));
}
