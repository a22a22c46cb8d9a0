import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { fail } from './errors.ts';

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const cost = Object.freeze({ memory: 19_456, passes: 2, parallelism: 1 });
const tagLength = 32;
/** One core is left for answering requests; two hashes also bound the memory. */
const atOnce = Math.min(2, Math.max(1, availableParallelism() - 1));
/** Some 40 ms each: who would wait longer than a few seconds is told to come back. */
const longestQueue = 100;

const derive = promisify(argon2);
const waiting: (() => void)[] = [];
let running = 0;

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= longestQueue) {
      throw fail('Timeout', { message: 'Too many passwords are being checked. Try again.', retryAfter: 2 });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running++;
  }
  try {
    return await work();
  } finally {
    // The place goes to the next in the queue, or is given up.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

interface StoredHash {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const phcForm = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parse(stored: string): StoredHash | undefined {
  const [, memory, passes, parallelism, salt, tag] = phcForm.exec(stored) ?? [];
  if (!salt || !tag) return undefined;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

function tagOf(password: string, how: Omit<StoredHash, 'tag'>, length: number): Promise<Buffer> {
  const { salt: nonce, memory, passes, parallelism } = how;
  return inTurn(() =>
    derive('argon2id', { message: Buffer.from(password, 'utf8'), nonce, memory, passes, parallelism, tagLength: length }),
  );
}

/**
 * The argon2id hash of a password as a PHC string, which names its own cost.
 *
 * @throws Failure Timeout when too many passwords wait already
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await tagOf(password, { ...cost, salt }, tagLength);
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** A hash that no password has, so that an unknown account takes as long to refuse as a wrong password. */
const nobodys = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(randomBytes(16))}$${unpadded(randomBytes(tagLength))}`;

/**
 * True when `stored` was made from the password. Without a stored hash it is false after the same time.
 *
 * @throws Failure Timeout when too many passwords wait already
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const known = parse(stored ?? nobodys) ?? parse(nobodys);
  if (!known) return false;
  const tag = await tagOf(password, known, known.tag.length);
  return timingSafeEqual(tag, known.tag);
}
