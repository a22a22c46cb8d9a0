import type { Db } from '../../../db/db.ts';
import { findSetting, saveSetting } from '../../../db/settings.ts';

/** What distinguishes a demo's database from any other, and how far the demo has come. It is deleted only with the database. */
export interface DemoMark {
  /** building: the structure is not complete, and is made again. */
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
  const value = await findSetting(db, name);
  return value === undefined ? undefined : (JSON.parse(value) as DemoMark);
}

export function saveDemoMark(db: Db, mark: DemoMark): Promise<void> {
  return saveSetting(db, name, JSON.stringify(mark));
}
