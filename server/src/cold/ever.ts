import type { Clock } from '../base/clock.ts';
import type { Db } from '../db/db.ts';
import { findSetting, insertSetting, saveSetting } from '../db/settings.ts';

/**
 * From which age on rows of a database may be packed. Lists of what is younger need not look for chunks, which takes as long as another statement.
 * A node believes what it knows for a moment only, and whoever packs announces it and waits for longer than that before the first row leaves its
 * table. Both measure how long something takes, so clocks need not agree.
 */

/**
 * Rows that may still change, or with which a decision is compared, are younger than this: late reports correct those of 26 hours. So are those
 * of which the first page of an app counts what is stored, up to eight days; clocks may be a day apart.
 */
export const leastColdDays = 10;
/** Where nobody packs earlier than that, lists rely on it; versions before did everywhere. */
export const usualColdDays = 30;

const clocks = new WeakMap<object, Clock>();

/** Ages of rows in this database are by this time: all nodes have the same (ADR 125), whatever the clocks of their machines say. */
export function goByTime(db: Db, now: Clock): void {
  clocks.set(db, now);
}

/** So many days ago, in epoch milliseconds. */
export const daysAgo = (db: Db, days: number): number => (clocks.get(db) ?? Date.now)() - days * 86_400_000;

/** The setting that announces it. */
const name = 'packed';
/** Its value if younger rows than the usual ones may be packed; another one otherwise. */
const early = 'early';
/** A node believes so long (ms) that nothing is packed, or nothing that is young. */
export const believedMs = 2_000;
/** Whoever has announced it waits so long (ms). */
export const announcedMs = 3 * believedMs;

interface Belief {
  /** Days; infinite where nothing was packed. */
  readonly packedAfter: number;
  /** When the look began (performance.now()). */
  readonly since: number;
}

const beliefs = new WeakMap<object, Belief>();
const announced = new WeakMap<object, number>();

const atLeast = (days: number) => (days < usualColdDays ? leastColdDays : usualColdDays);

/** From now on this process looks for chunks in this database, with rows that are at least so many days old. */
export function expectPacked(db: Db, days: number): void {
  const { packedAfter = Number.POSITIVE_INFINITY } = beliefs.get(db) ?? {};
  beliefs.set(db, { packedAfter: Math.min(packedAfter, atLeast(days)), since: Number.NEGATIVE_INFINITY });
}

/**
 * The age in days of the youngest row that may have been packed before now; infinite if nothing was. To be called when the stored rows have been
 * read: what was packed meanwhile would be missing from both.
 */
export async function packedAfterDays(db: Db): Promise<number> {
  const known = beliefs.get(db);
  // It never becomes more again.
  if (known && (known.packedAfter === leastColdDays || performance.now() - known.since < believedMs))
    return known.packedAfter;
  const since = performance.now();
  const setting = await findSetting(db, name);
  const found = setting === undefined ? Number.POSITIVE_INFINITY : setting === early ? leastColdDays : usualColdDays;
  const packedAfter = Math.min(found, beliefs.get(db)?.packedAfter ?? Number.POSITIVE_INFINITY);
  beliefs.set(db, { packedAfter, since });
  return packedAfter;
}

export const isNeverPacked = async (db: Db): Promise<boolean> =>
  (await packedAfterDays(db)) === Number.POSITIVE_INFINITY;

/**
 * Before the first row of such an age is packed, which may leave its table `announcedMs` later. Answers the age in days that this process has
 * announced so far.
 */
export async function announcePacking(db: Db, days = usualColdDays): Promise<number> {
  const [before, age] = [announced.get(db) ?? Number.POSITIVE_INFINITY, atLeast(days)];
  if (before <= age) return before;
  if (age < usualColdDays) await saveSetting(db, name, early);
  else await insertSetting(db, name, '1');
  expectPacked(db, days);
  announced.set(db, age);
  return age;
}
