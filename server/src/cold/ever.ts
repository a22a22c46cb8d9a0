import type { Db } from '../db/db.ts';
import { findSetting, insertSetting } from '../db/settings.ts';

/**
 * Whether anything was ever packed in a database. Where nothing was, lists need not look for chunks, which takes as long as another statement.
 * A node believes that for a moment only, and whoever packs announces it and waits for longer than that before the first row leaves its
 * table. Both measure how long something takes, so clocks need not agree.
 */

/** The setting that announces it. */
const name = 'packed';
/** A node believes so long (ms) that nothing was packed. */
export const believedMs = 2_000;
/** Whoever has announced it waits so long (ms). */
export const announcedMs = 3 * believedMs;

interface Belief {
  readonly isPacked: boolean;
  /** When the look began (performance.now()). */
  readonly since: number;
}

const beliefs = new WeakMap<object, Belief>();
const announced = new WeakSet<object>();

/** From now on this process looks for chunks in this database. */
export function expectPacked(db: Db): void {
  beliefs.set(db, { isPacked: true, since: 0 });
}

/**
 * True if nothing was packed before now. To be called when the stored rows have been read: what was packed meanwhile would be missing from
 * both.
 */
export async function isNeverPacked(db: Db): Promise<boolean> {
  const known = beliefs.get(db);
  if (known?.isPacked) return false;
  if (known && performance.now() - known.since < believedMs) return true;
  const since = performance.now();
  const isPacked = (await findSetting(db, name)) !== undefined;
  beliefs.set(db, { isPacked, since });
  return !isPacked;
}

/** Before the first row is packed, which may leave its table `announcedMs` later. */
export async function announcePacking(db: Db): Promise<void> {
  if (announced.has(db)) return;
  await insertSetting(db, name, '1');
  expectPacked(db);
  announced.add(db);
}
