import { randomBytes } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import { dayAround } from './day.ts';
import { DayNames } from './day-names.ts';
import * as store from './store.ts';

/** Finds the installations of a user, and since when (epoch ms) they have been theirs. */
type FindHeld = (
  appId: string,
  userId: string,
) => Promise<readonly { readonly objectId: string; readonly heldSince: number }[]>;

/** A day with its pseudonyms: from `begins` until `ends` (epoch ms). */
export interface NamedDay {
  readonly begins: number;
  readonly ends: number;
  readonly names: DayNames;
}

interface Spell {
  readonly begun: number;
  /** Infinity while it lasts. */
  readonly ended: number;
}

export interface PseudonymDeps {
  readonly findHeld: FindHeld;
  readonly timeZone: string;
}

/** Nodes know of a change of a policy within a second. */
export const settleMs = 5_000;

/**
 * How an app names phones to everybody but their own users. A spell is a time in which the setting is on. Its records keep their day's
 * names for good, even after it is turned off, and days keep their bounds when the app gets another time zone: otherwise the names of two
 * days could be linked by looking at one record before and after.
 */
export class AppPseudonyms {
  readonly #appId: string;
  readonly #spells: readonly Spell[];
  readonly #deps: PseudonymDeps;
  /** In order of time. */
  #days: readonly NamedDay[];

  constructor(
    appId: string,
    rows: { spells: readonly store.SpellRow[]; days: readonly store.DayRow[] },
    deps: PseudonymDeps,
  ) {
    this.#appId = appId;
    this.#spells = rows.spells.map(({ begun_at: begun, ended_at }) => ({ begun, ended: ended_at ?? Infinity }));
    this.#days = rows.days.map(toDay);
    this.#deps = deps;
  }

  readonly findHeld: FindHeld = (appId, userId) => this.#deps.findHeld(appId, userId);

  /** Whether what began at a time is shown under pseudonyms. */
  covers(at: number): boolean {
    return this.#spells.some(({ begun, ended }) => at >= begun && at < ended);
  }

  /** The times that are shown under pseudonyms. */
  get spells(): readonly Spell[] {
    return this.#spells;
  }

  /** The days whose secrets are there. */
  get days(): readonly NamedDay[] {
    return this.#days;
  }

  /**
   * The days of some times with their secrets. What is made in a transaction counts in it, and for others once it is committed.
   */
  async prepare(db: Db, times: Iterable<number>): Promise<Naming> {
    const made: NamedDay[] = [];
    for (const at of times)
      if (this.covers(at) && !dayOf(this.#days, at) && !dayOf(made, at)) made.push(await this.#begin(db, at));
    if (made.length === 0) return { dayAt: (at) => dayOf(this.#days, at) };
    const days = this.#with(made);
    db.afterCommit(() => {
      this.#days = this.#with(made);
    });
    return { dayAt: (at) => dayOf(days, at) };
  }

  async #begin(db: Db, at: number): Promise<NamedDay> {
    const known = await store.findDay(db, this.#appId, at);
    if (known) return toDay(known);
    const all = (await store.listDays(db, this.#appId)).map(toDay);
    const { begins, ends } = dayAround(at, this.#deps.timeZone);
    // Another zone may have begun its days elsewhere.
    const from = all.reduce((latest, day) => (day.ends <= at ? Math.max(latest, day.ends) : latest), begins);
    const until = all.reduce((first, day) => (day.begins > at ? Math.min(first, day.begins) : first), ends);
    const secret = randomBytes(32).toString('base64url');
    await store.insertDay(db, { app_id: this.#appId, begins_at: from, ends_at: until, secret });
    const made = await store.findDay(db, this.#appId, at);
    if (!made) throw new Error(`The day of ${at} in app ${this.#appId} has no pseudonyms.`);
    return toDay(made);
  }

  #with(made: readonly NamedDay[]): readonly NamedDay[] {
    const known = this.#days.filter(({ begins }) => !made.some((day) => day.begins === begins));
    return [...known, ...made].sort((a, b) => a.begins - b.begins);
  }
}

/** Days that have been prepared. */
export interface Naming {
  dayAt(at: number): NamedDay | undefined;
}

const dayOf = (days: readonly NamedDay[], at: number) => days.findLast(({ begins, ends }) => begins <= at && at < ends);

const toDay = ({ begins_at: begins, ends_at: ends, secret }: store.DayRow): NamedDay => ({
  begins,
  ends,
  names: new DayNames(secret),
});

/** Undefined for an app that never had them. */
export async function findPseudonyms(db: Db, appId: string, deps: PseudonymDeps): Promise<AppPseudonyms | undefined> {
  const spells = await store.listSpells(db, appId);
  return spells.length === 0
    ? undefined
    : new AppPseudonyms(appId, { spells, days: await store.listDays(db, appId) }, deps);
}
