import type { JWTHeaderParameters, JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import type { TargetRules } from '../../delivery/provider/target-rules.ts';
import { addressIn, discover } from './discovery.ts';
import { readJson, Unreadable } from './read-json.ts';

export interface KeySource {
  readonly issuer: string;
  /** Undefined: the issuer's configuration names it (OpenID Connect Discovery). */
  readonly jwksUri: string | undefined;
}

export interface IssuerKeysDeps {
  readonly targets: TargetRules;
  readonly now: Clock;
  readonly timeoutMs?: number;
}

type KeySet = ReturnType<typeof createLocalJWKSet>;

interface Kept {
  keys: { readonly find: KeySet; readonly count: number; readonly readAt: number } | undefined;
  reading: Promise<void> | undefined;
  /** When they were last asked for, and why that failed. */
  triedAt: number;
  failure: Unreadable | undefined;
}

/** After this long they are read again, beside the request that notices it. */
const freshMs = 600_000;
/** An issuer that does not answer may have withdrawn a key by now. */
const maxUseMs = 86_400_000;
/** Between two reads: invented key ids must not make this service fetch keys all the time. */
const coolDownMs = 30_000;
const afterFailureMs = 5_000;
const maxKept = 500;
const secondsToWait = 5;

/**
 * The public keys of issuers, kept in memory. While an issuer does not answer, the keys that are known count for a day.
 * A key id that is not known makes its keys be read again, at most twice a minute.
 */
export class IssuerKeys {
  readonly #deps: IssuerKeysDeps;
  readonly #kept = new LRUCache<string, Kept>({ max: maxKept });

  constructor(deps: IssuerKeysDeps) {
    this.#deps = deps;
  }

  /** Finds the key that a token names. It throws Failure Timeout while the issuer does not answer and no key is known. */
  of(source: KeySource): JWTVerifyGetKey {
    return async (header: JWTHeaderParameters, token) => {
      const kept = this.#keptOf(source);
      const keys = await this.#usable(source, kept);
      try {
        return await keys.find(header, token);
      } catch (error) {
        if (!(error instanceof JWKSNoMatchingKey) || !(await this.#readAgain(source, kept))) throw error;
        return (await this.#usable(source, kept)).find(header, token);
      }
    };
  }

  /** Reads the keys now. Returns how many there are. @throws Unreadable */
  async probe(source: KeySource): Promise<number> {
    return (await this.#read(source)).count;
  }

  #keptOf({ issuer, jwksUri = '' }: KeySource): Kept {
    const name = `${issuer} ${jwksUri}`;
    const kept = this.#kept.get(name) ?? {
      keys: undefined,
      reading: undefined,
      triedAt: -Infinity,
      failure: undefined,
    };
    this.#kept.set(name, kept);
    return kept;
  }

  async #usable(source: KeySource, kept: Kept): Promise<NonNullable<Kept['keys']>> {
    if (kept.keys && this.#isWithin(freshMs, kept.keys.readAt)) return kept.keys;
    const isTooSoon = kept.failure !== undefined && this.#isWithin(afterFailureMs, kept.triedAt);
    const reading = kept.reading || !isTooSoon ? this.#start(source, kept) : undefined;
    if (kept.keys && this.#isWithin(maxUseMs, kept.keys.readAt)) return kept.keys;
    await reading;
    if (kept.keys && this.#isWithin(maxUseMs, kept.keys.readAt)) return kept.keys;
    const message = `The keys of ${source.issuer} cannot be read: ${kept.failure?.message ?? 'no answer'}. Try again.`;
    throw fail('Timeout', { message, retryAfter: secondsToWait, cause: kept.failure });
  }

  /** False as well for a time that is still to come: the clock was set back. */
  #isWithin(ms: number, since: number): boolean {
    const age = this.#deps.now() - since;
    return age >= 0 && age < ms;
  }

  /** For a key id that is not known. False: they were read a moment ago. */
  async #readAgain(source: KeySource, kept: Kept): Promise<boolean> {
    if (!kept.reading && this.#isWithin(coolDownMs, kept.triedAt)) return false;
    const before = kept.keys;
    await this.#start(source, kept);
    return kept.keys !== before;
  }

  /** One reading at a time, for everybody who waits. It never rejects. */
  #start(source: KeySource, kept: Kept): Promise<void> {
    kept.reading ??= this.#refresh(source, kept).finally(() => {
      kept.reading = undefined;
    });
    return kept.reading;
  }

  async #refresh(source: KeySource, kept: Kept): Promise<void> {
    kept.triedAt = this.#deps.now();
    try {
      kept.keys = { ...(await this.#read(source)), readAt: this.#deps.now() };
      kept.failure = undefined;
    } catch (error) {
      kept.failure = error instanceof Unreadable ? error : new Unreadable('its keys are malformed', error);
    }
  }

  async #read({ issuer, jwksUri }: KeySource): Promise<{ readonly find: KeySet; readonly count: number }> {
    const reading = { targets: this.#deps.targets, timeoutMs: this.#deps.timeoutMs ?? 5_000 };
    const uri = jwksUri ?? addressIn(await discover(issuer, reading), 'jwks_uri');
    const set = await readJson(uri, reading);
    const { keys } = set;
    if (!Array.isArray(keys) || keys.length === 0) throw new Unreadable(`${uri} has no keys`);
    return { find: createLocalJWKSet(set as unknown as Parameters<typeof createLocalJWKSet>[0]), count: keys.length };
  }
}
