import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { localTime, siteTimeZone } from '@pharos/engine';
import { BoundedMap } from '../../base/caches/bounded-map.ts';
import type { Db } from '../../db/db.ts';
import * as store from './store.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idForm = /^[0-9A-Za-z]{20}$/;
const nameForm = /^[0-9a-f]{32}$/;
const idBytes = 15;
const maxKnown = 2_000;

/**
 * The pseudonyms of one day. An objectId fits into one block of AES (20 digits of base62 are 120 bits), so that a pseudonym is
 * that block under the secret of the day: two phones never share one, and without the secret nothing links it to another day's.
 */
class DayNames {
  readonly #key: Buffer;
  readonly #idKey: Buffer;
  readonly #known = new BoundedMap<string, string>(maxKnown);

  /** @param secret 32 random bytes, base64url */
  constructor(secret: string) {
    const derived = (purpose: string) =>
      createHmac('sha256', Buffer.from(secret, 'base64url')).update(purpose).digest();
    this.#key = derived('names');
    this.#idKey = derived('ids');
  }

  /** 32 hexadecimal digits for an installation's objectId. */
  of(installationId: string): string {
    let name = this.#known.get(installationId);
    if (name === undefined) {
      name = this.#encrypt(installationId);
      this.#known.set(installationId, name);
    }
    return name;
  }

  /** The objectId that has this pseudonym; undefined for what is not a pseudonym of this day. */
  installationOf(name: string): string | undefined {
    if (!nameForm.test(name)) return undefined;
    const cipher = createDecipheriv('aes-256-ecb', this.#key, null).setAutoPadding(false);
    const block = Buffer.concat([cipher.update(Buffer.from(name, 'hex')), cipher.final()]);
    return block[idBytes] === 0 ? textOf(block.subarray(0, idBytes)) : undefined;
  }

  /** Replaces the installation's own id in the derivation of visit and message ids, since others may know that id and try it. */
  seedOf(installationId: string): string {
    return createHmac('sha256', this.#idKey).update(installationId).digest('base64url');
  }

  #encrypt(installationId: string): string {
    const bytes = bytesOf(installationId);
    // An id of another form cannot be told from its pseudonym again.
    if (!bytes) return createHmac('sha256', this.#key).update(installationId).digest('hex').slice(0, 32);
    const cipher = createCipheriv('aes-256-ecb', this.#key, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(Buffer.concat([bytes, Buffer.alloc(1)])), cipher.final()]).toString('hex');
  }
}

function bytesOf(id: string): Buffer | undefined {
  if (!idForm.test(id)) return undefined;
  let number = 0n;
  for (const digit of id) number = number * 62n + BigInt(alphabet.indexOf(digit));
  return Buffer.from(number.toString(16).padStart(2 * idBytes, '0'), 'hex');
}

function textOf(bytes: Buffer): string | undefined {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let place = 0; place < 20; place++) {
    text = alphabet[Number(number % 62n)] + text;
    number /= 62n;
  }
  return number === 0n ? text : undefined;
}

const dayMs = 86_400_000;
const stepMs = 15 * 60_000;

/** From when until when (epoch ms) it is the day in which a time is, by the clocks of a zone. */
function dayAround(at: number, timeZone: string): { readonly begins: number; readonly ends: number } {
  const zone = siteTimeZone([timeZone]);
  const { date } = localTime(at, zone);
  const isOther = (time: number) => localTime(time, zone).date !== date;
  return { begins: boundary(at, at - 1.5 * dayMs, isOther), ends: boundary(at, at + 1.5 * dayMs, isOther) };
}

/** The first moment of a day is a multiple of a quarter of an hour, in every zone. */
function boundary(inside: number, outside: number, isOther: (time: number) => boolean): number {
  let [near, far] = [Math.floor(inside / stepMs), Math.floor(outside / stepMs)];
  const isLater = far > near;
  while (Math.abs(far - near) > 1) {
    const middle = Math.floor((near + far) / 2);
    if (isOther(middle * stepMs)) far = middle;
    else near = middle;
  }
  return (isLater ? far : near) * stepMs;
}

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

interface PseudonymPeriod {
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
  readonly #periods: readonly PseudonymPeriod[];
  readonly #deps: PseudonymDeps;
  /** In order of time. */
  #days: readonly NamedDay[];

  constructor(
    appId: string,
    rows: { periods: readonly store.PeriodRow[]; days: readonly store.DayRow[] },
    deps: PseudonymDeps,
  ) {
    this.#appId = appId;
    this.#periods = rows.periods.map(({ begun_at: begun, ended_at }) => ({ begun, ended: ended_at ?? Infinity }));
    this.#days = rows.days.map(toDay);
    this.#deps = deps;
  }

  readonly findHeld: FindHeld = (appId, userId) => this.#deps.findHeld(appId, userId);

  /** Whether what began at a time is shown under pseudonyms. */
  covers(at: number): boolean {
    return this.#periods.some(({ begun, ended }) => at >= begun && at < ended);
  }

  get periods(): readonly PseudonymPeriod[] {
    return this.#periods;
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
  const periods = await store.listPeriods(db, appId);
  return periods.length === 0
    ? undefined
    : new AppPseudonyms(appId, { periods, days: await store.listDays(db, appId) }, deps);
}
