import { sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';

/** What tells a demo's database from any other, and how far the demo has come. It goes only with the database. */
export interface DemoMark {
  /** building: the structure is not complete, and is made anew. */
  readonly state: 'building' | 'ready';
  readonly seed: string;
  /** When it was made, epoch milliseconds: the end of its year. */
  readonly madeAt: number;
  readonly appId: string;
  /** The manager who writes and pushes. */
  readonly userId: string;
  readonly adminId: string;
  /** As the demo has set it; another one means that somebody has chosen a password. */
  readonly passwordHash: string;
  /** Steps of the year that are written, from the newest. */
  readonly step: number;
  /** Rows of the year so far. */
  readonly rows: number;
}

const name = 'demo';

export async function findDemoMark(db: Db): Promise<DemoMark | undefined> {
  const row = await db.one<{ value: string }>(sql`select value from settings where name = ${name}`);
  return row && (JSON.parse(row.value) as DemoMark);
}

export async function saveDemoMark(db: Db, mark: DemoMark): Promise<void> {
  await db.run(sql`insert into settings (name, value) values (${name}, ${JSON.stringify(mark)})
    on conflict (name) do update set value = excluded.value`);
}

export async function removeDemoMark(db: Db): Promise<void> {
  await db.run(sql`delete from settings where name = ${name}`);
}
