import { isLongerThan } from '../base/text-length.ts';

/** The most characters of an account's e-mail address. */
export const maxEmailLength = 200;

/**
 * E-mail addresses are compared without case and surrounding space. The key of a text that is too long for an account
 * is empty, which no account's is: normalising a run of combining marks takes time that grows with the square of its
 * length.
 */
export function emailKey(email: string): string {
  const text = email.trim();
  return isLongerThan(text, maxEmailLength) ? '' : text.normalize('NFC').toLowerCase();
}

const localPart = /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}$/u;
const label = /^[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

/**
 * True for an address that mail can be sent to: a local part without quoting, and a domain of two labels or more. Only
 * a mail can show whether anybody reads it.
 */
export function isEmailAddress(text: string): boolean {
  const [local = '', domain = '', ...more] = text.trim().split('@');
  if (more.length > 0 || !localPart.test(local) || /^\.|\.\.|\.$/.test(local)) return false;
  const labels = domain.split('.');
  return labels.length >= 2 && labels.every((part) => label.test(part));
}
