import { randomBytes } from 'node:crypto';
import { secretHash } from '../../access/access.ts';

/** Crockford's: no letter looks like a digit. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 16;
const recoveryCodes = 10;

/**
 * Ten new codes, `k3f9-…`. Each has 80 random bits, too many to guess from its hash, so that a fast hash will do and a
 * code is found with one look-up.
 */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const code = Array.from(randomBytes(length), (byte) => letters[byte % letters.length]).join('');
    return code.replace(/.{4}(?=.)/g, '$&-');
  });
}

/** However it was typed. */
export function recoveryCodeHash(typed: string): string {
  const plain = typed.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
  return secretHash(plain);
}
