import { createCipheriv, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Passwords as other systems have hashed them. Such a hash is checked as it was made there, and replaced at the next sign-in.
 * All of them sort before `$a`, and so before those of this service, `$argon2id$…`.
 */

/** bcrypt, as Parse Server and PocketBase use it: `$2b$10$…`. A higher cost than 14 would take seconds. */
const bcryptForm = /^\$2[abxy]\$(0[4-9]|1[0-4])\$[./0-9A-Za-z]{53}$/;

const firebaseForm = /^\$0firebase\$ln=(\d{1,2}),r=(\d{1,2})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;

export const isForeign = (stored: string): boolean => stored < '$a';

/** Whether this service can check it. */
export const isBcrypt = (hash: string): boolean => bcryptForm.test(hash);

/** Of a project's *Password hash parameters*, in base64 as its console shows them. */
export interface FirebaseParameters {
  readonly signerKey: string;
  readonly saltSeparator: string;
  /** `r` of scrypt. */
  readonly rounds: number;
  /** Binary logarithm of `N`. */
  readonly memCost: number;
}

const bytes = (base64: string) => Buffer.from(base64, 'base64');

/**
 * Firebase encrypts the project's signer key with AES-256 in counter mode, under a key that scrypt derives from the password
 * (https://github.com/firebase/scrypt). What is stored is the cipher's stream, hash xor signer key: it checks a password as
 * well, and the signer key need not be kept.
 *
 * @param user as `firebase auth:export` writes it, in base64
 * @returns undefined for parameters that Firebase does not have, or a hash of another length
 */
export function firebaseHash(
  { signerKey, saltSeparator, rounds, memCost }: FirebaseParameters,
  user: { readonly passwordHash: string; readonly salt: string },
): string | undefined {
  // Newer exports use the alphabet for addresses; Node reads both.
  const [key, hash] = [bytes(signerKey), bytes(user.passwordHash)];
  const isBounded = memCost >= 1 && memCost <= 16 && rounds >= 1 && rounds <= 16;
  if (!isBounded || key.length < 16 || hash.length !== key.length) return undefined;
  const stream = Buffer.from(hash.map((byte, place) => byte ^ (key[place] ?? 0)));
  const salt = Buffer.concat([bytes(user.salt), bytes(saltSeparator)]);
  if (salt.length === 0) return undefined;
  return `$0firebase$ln=${memCost},r=${rounds}$${salt.toString('base64')}$${stream.toString('base64')}`;
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

async function matchesFirebase(password: string, parts: RegExpExecArray): Promise<boolean> {
  const [, memCost, rounds, salt = '', stream = ''] = parts;
  const [N, r] = [2 ** Number(memCost), Number(rounds)];
  const key = await derive(password, bytes(salt), 32, { N, r, p: 1, maxmem: 256 * N * r });
  const wanted = bytes(stream);
  const made = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(wanted.length));
  return timingSafeEqual(made, wanted);
}

/** Off the main thread. @throws Error for a hash of no known kind */
export async function matchesForeign(password: string, stored: string): Promise<boolean> {
  const firebase = firebaseForm.exec(stored);
  if (firebase) return matchesFirebase(password, firebase);
  if (!isBcrypt(stored)) throw new Error('a stored password hash is of no known kind');
  // Loaded only where an app has such passwords.
  const { verify } = await import('@node-rs/bcrypt');
  return verify(password, stored);
}
