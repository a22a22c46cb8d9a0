import { randomBytes, timingSafeEqual } from 'node:crypto';
import { fail } from './errors.ts';
import { FairQueue } from './fair-queue.ts';
import { isForeign, matchesForeign } from './foreign-passwords.ts';
import { isLongerThan } from './text-length.ts';

/** What a hash costs: memory in KiB, passes over it, and lanes. */
export interface PasswordCost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's second choice for argon2id: 19 MiB, 2 passes, 1 lane. */
const served: PasswordCost = Object.freeze({ memory: 19_456, passes: 2, parallelism: 1 });
const saltBytes = 16;
const tagBytes = 32;

/** Each takes 19 MiB and one of libuv's four threads, which files and name look-ups need too. */
const atOnce = 2;
const maxWaitMs = 5_000;
/** Waiting hashes per app: about as many as are done within the longest wait. */
const maxLine = 150;
/** No administrator has a longer password, in characters, and no user has one as long. */
const maxPassword = 200;
const busy = 'Too many passwords are being checked. Try again.';

/** Hashes passwords off the main thread, a few at a time; apps take turns. */
export interface Passwords {
  /**
   * A PHC string, `$argon2id$v=19$m=…,t=…,p=…$salt$tag`.
   *
   * @throws Failure Timeout when too many are waiting
   */
  hash(password: string, tenant: string): Promise<string>;
  /**
   * Without a stored hash it takes as long and returns false, so that the time does not reveal whether there is one. A
   * password that is too long for any account gets false at once, with or without a stored hash.
   *
   * `foreign` is any hash that the tenant has brought from another system, if it has some: then every check costs one of each
   * kind, so that the time does not reveal which accounts have come from there.
   */
  matches(password: string, stored: string | undefined, tenant: string, foreign?: string): Promise<boolean>;
}

export interface PasswordOptions {
  readonly maxWaiting?: number;
  /** Of new hashes; a stored one contains its own. Only tests use less than the default. */
  readonly cost?: PasswordCost;
}

export function createPasswords({ maxWaiting = maxLine, cost: own = served }: PasswordOptions = {}): Passwords {
  const queue = new FairQueue(atOnce, maxWaitMs, busy);
  const dummy = formatHash(own, randomBytes(saltBytes), randomBytes(tagBytes));

  function inTurn<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    if (queue.waitingOf(tenant) >= maxWaiting) throw fail('Timeout', { message: busy, retryAfter: 2 });
    return queue.run(tenant, work);
  }

  return {
    async hash(password, tenant) {
      if (isLongerThan(password, maxPassword))
        throw fail('ValidationError', `A password must have at most ${maxPassword} characters.`);
      const salt = randomBytes(saltBytes);
      return inTurn(tenant, async () => formatHash(own, salt, await derive(password, own, salt)));
    },
    async matches(password, stored, tenant, foreign) {
      if (isLongerThan(password, maxPassword)) return false;
      const isOwn = stored === undefined || !isForeign(stored);
      const { cost, salt, tag } = readHash(isOwn ? (stored ?? dummy) : dummy);
      const other = isOwn ? foreign : stored;
      return inTurn(tenant, async () => {
        const isForeignRight = other !== undefined && (await matchesForeign(password, other));
        const derived = await derive(password, cost, salt);
        return isOwn ? timingSafeEqual(derived, tag) && stored !== undefined : isForeignRight;
      });
    },
  };
}

async function derive(password: string, cost: PasswordCost, salt: Buffer): Promise<Buffer> {
  // Its binary is loaded with the first password, not at the start.
  const { hashRaw } = await import('@node-rs/argon2');
  // NFKC, as NIST SP 800-63B requires: keyboards compose the same character differently.
  return hashRaw(password.normalize('NFKC'), {
    memoryCost: cost.memory,
    timeCost: cost.passes,
    parallelism: cost.parallelism,
    salt,
    outputLen: tagBytes,
  });
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

function formatHash(cost: PasswordCost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

const phcForm = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function readHash(stored: string): { cost: PasswordCost; salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phcForm.exec(stored) ?? [];
  if (tag === '') throw new Error('a stored password hash is not an argon2id PHC string');
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}
