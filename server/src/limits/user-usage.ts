import type { AppPolicy } from '../access/policy.ts';
import { BoundedMap } from '../base/caches/bounded-map.ts';
import { PairCache } from '../base/caches/pair-cache.ts';
import type { Clock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { bytesText } from './bytes-text.ts';
import type { Consumer } from './client-quotas.ts';
import { added, negative, none, type Stored, without } from './stored.ts';

export interface UserUsageDeps {
  /** Counts what belongs to a user, in steps between other requests. */
  readonly countStored: (appId: string, userId: string) => Promise<Stored>;
  readonly isManager: (appId: string, userId: string) => Promise<boolean>;
  readonly now: Clock;
  /** Runs work in the background and logs its errors. */
  readonly inBackground: (what: string, work: () => Promise<unknown>) => void;
}

export type Storer = Pick<Consumer, 'app' | 'user' | 'secretKey' | 'isAdministrator'>;

interface Known {
  stored: Stored;
  countedAt: number;
}

type Quotas = AppPolicy['quotas'];

const members = [
  ['files', 'filesPerUser', 'files'],
  ['fileBytes', 'fileBytesPerUser', 'of files'],
  ['records', 'recordsPerUser', 'records'],
  ['recordBytes', 'recordBytesPerUser', 'of records'],
] as const;

/** Users whose counts are kept in memory, about 200 bytes each. */
const maxKnown = 20_000;
/** Other nodes also store, hand over and delete records. */
const countEveryMs = 600_000;
/** An older count refuses nobody. */
const countBeforeRefusalMs = 10_000;

/**
 * Counts what a user of an app has stored, so that one account cannot use up the whole quota. Counted in the database when first
 * needed, then updated in memory and recounted from time to time: each of several nodes may
 * exceed a quota by what it stores in between. Managers, secret keys and the console have only the app's quotas.
 */
export class UserUsage {
  readonly #deps: UserUsageDeps;
  readonly #known = new BoundedMap<string, Known>(maxKnown);
  readonly #counting = new Map<string, Promise<Known>>();
  readonly #keys = new PairCache<string>(maxKnown);
  /** What is being stored right now and not counted yet. */
  readonly #held = new Map<string, Stored>();

  constructor(deps: UserUsageDeps) {
    this.#deps = deps;
  }

  /**
   * Checks that the user may store more. Returns a promise only while it has to be counted.
   *
   * @throws Failure OperationForbidden
   */
  assertRoom(storer: Storer, more: Partial<Stored>): Promise<void> | undefined {
    const { app, user } = storer;
    const { quotas } = app.policy;
    if (!user || !isLimited(quotas) || isExempt(storer)) return undefined;
    const key = this.#keyOf(app.appId, user.userId);
    const known = this.#known.get(key);
    if (!known) return this.#begin(key, quotas, more);
    const age = this.#deps.now() - known.countedAt;
    if (exceeded(quotas, this.#taken(key, known), more) !== undefined) {
      if (age >= countBeforeRefusalMs) return this.#begin(key, quotas, more);
      assertWithin(quotas, this.#taken(key, known), more);
    }
    if (age >= countEveryMs) this.#deps.inBackground('counting what a user has stored', () => this.#count(key));
    return undefined;
  }

  /**
   * Recounts if an old count would refuse what may be stored next. To be called before a transaction, in which nothing is
   * counted. Returns a promise only while it has to be counted.
   */
  prepare(storer: Storer, atMost: Partial<Stored>): Promise<unknown> | undefined {
    const { app, user } = storer;
    if (!user || !isLimited(app.policy.quotas) || isExempt(storer)) return undefined;
    const key = this.#keyOf(app.appId, user.userId);
    const known = this.#known.get(key);
    const isFresh = known && this.#deps.now() - known.countedAt < countBeforeRefusalMs;
    if (known && (isFresh || exceeded(app.policy.quotas, this.#taken(key, known), atMost) === undefined))
      return undefined;
    return this.#count(key);
  }

  /**
   * Reserves room for what is about to be stored, by the count in memory, so that a user's concurrent writes are counted together. Returns
   * a function that releases it, to be called when it has been stored and added, or was not stored.
   *
   * @throws Failure OperationForbidden
   */
  hold(storer: Storer, more: Partial<Stored>): () => void {
    const { app, user } = storer;
    const { quotas } = app.policy;
    if (!user || !isLimited(quotas) || isExempt(storer)) return nothingHeld;
    const key = this.#keyOf(app.appId, user.userId);
    const known = this.#known.get(key);
    if (known) assertWithin(quotas, this.#taken(key, known), more);
    this.#held.set(key, added(this.#held.get(key) ?? none, more));
    return () => this.#release(key, more);
  }

  /**
   * Returns a function that decides whether something may be handed over to a user, whose consent is not asked: what comes from other users
   * leaves half of the quota free, so that nobody can fill another user's quota. The function throws OperationForbidden, and awaits
   * nothing. `null`: to nobody.
   */
  async giftTo(giver: Storer, userId: string | null): Promise<(more: Partial<Stored>) => void> {
    const { appId, policy } = giver.app;
    if (!giver.user || giver.user.userId === userId || !isLimited(policy.quotas) || isExempt(giver)) return anything;
    // Otherwise a user with a full quota could continue by giving up ownership.
    if (userId === null)
      return () => {
        throw fail(
          'OperationForbidden',
          'What belongs to nobody counts for nobody. Hand it over to somebody, or delete it.',
        );
      };
    if (await this.#deps.isManager(appId, userId)) return anything;
    const key = this.#keyOf(appId, userId);
    const known = this.#known.get(key);
    const isFresh = known && this.#deps.now() - known.countedAt < countBeforeRefusalMs;
    const counted = isFresh ? known : await this.#count(key);
    return (more) => {
      const now = this.#known.get(key) ?? counted;
      if (exceeded(halved(policy.quotas), this.#taken(key, now), more)) throw fail('OperationForbidden', noGift);
    };
  }

  move(appId: string, from: string | null | undefined, to: string | null | undefined, what: Partial<Stored>): void {
    this.add(appId, from, negative(added(none, what)));
    this.add(appId, to, what);
  }

  /** Records what was stored or, with negative numbers, deleted, of the user to whom it belongs. */
  add(appId: string, userId: string | null | undefined, change: Partial<Stored>): void {
    const known = userId && this.#known.get(this.#keyOf(appId, userId));
    if (!known) return;
    known.stored = added(known.stored, change);
  }

  /** Joined once: a text that is made for each request has to be hashed for each request. */
  #keyOf(appId: string, userId: string): string {
    const known = this.#keys.get(appId, userId);
    if (known !== undefined) return known;
    const key = `${appId} ${userId}`;
    this.#keys.set(appId, userId, key);
    return key;
  }

  #taken(key: string, { stored }: Known): Stored {
    const held = this.#held.get(key);
    return held ? added(stored, held) : stored;
  }

  #release(key: string, more: Partial<Stored>): void {
    const held = without(this.#held.get(key) ?? none, more);
    if (held.files === 0 && held.fileBytes === 0 && held.records === 0 && held.recordBytes === 0)
      this.#held.delete(key);
    else this.#held.set(key, held);
  }

  async #begin(key: string, quotas: Quotas, more: Partial<Stored>): Promise<void> {
    assertWithin(quotas, this.#taken(key, await this.#count(key)), more);
  }

  #count(key: string): Promise<Known> {
    const counting =
      this.#counting.get(key) ??
      this.#read(key).finally(() => {
        this.#counting.delete(key);
      });
    this.#counting.set(key, counting);
    return counting;
  }

  async #read(key: string): Promise<Known> {
    const [appId = '', userId = ''] = key.split(' ');
    const { countStored, now } = this.#deps;
    const known = { stored: await countStored(appId, userId), countedAt: now() };
    this.#known.set(key, known);
    return known;
  }
}

const nothingHeld = () => undefined;
const anything = () => undefined;

const noGift =
  'What others hand over may fill half of what one user may store, and this would exceed it. A manager may hand it over.';

/** The quotas of a user for what comes from others. */
const halved = (quotas: Quotas): Quotas => {
  const halves = members.flatMap(([, perUser]) => {
    const most = quotas[perUser];
    return most === undefined ? [] : [[perUser, Math.floor(most / 2)]];
  });
  return { ...quotas, ...Object.fromEntries(halves) };
};

const isLimited = (quotas: Quotas) => members.some(([, perUser]) => quotas[perUser] !== undefined);

const isExempt = ({ user, secretKey, isAdministrator }: Storer) =>
  user?.role === 'manager' || secretKey !== undefined || isAdministrator;

function exceeded(quotas: Quotas, stored: Stored, more: Partial<Stored>) {
  return members.find(([member, perUser]) => {
    const wanted = more[member] ?? 0;
    const most = quotas[perUser];
    return most !== undefined && wanted > 0 && stored[member] + wanted > most;
  });
}

/** @throws Failure OperationForbidden */
function assertWithin(quotas: Quotas, stored: Stored, more: Partial<Stored>): void {
  const found = exceeded(quotas, stored, more);
  if (!found) return;
  const [member, perUser, what] = found;
  const most = quotas[perUser] ?? 0;
  const amount = member.endsWith('Bytes') ? bytesText(most) : most;
  throw fail('OperationForbidden', `One user of this app may store ${amount} ${what}. Delete some of yours first.`);
}
