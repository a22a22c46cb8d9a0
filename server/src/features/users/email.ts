/** E-mails compare without case and surrounding space. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

const localPart = /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}$/u;
const label = /^[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

/**
 * True for an address that mail can be sent to: a local part without quoting, and a domain of two labels or more.
 * Whether anybody reads it only a mail can tell.
 */
export function isEmailAddress(text: string): boolean {
  const [local = '', domain = '', ...more] = text.trim().split('@');
  if (more.length > 0 || !localPart.test(local) || /^\.|\.\.|\.$/.test(local)) return false;
  const labels = domain.split('.');
  return labels.length >= 2 && labels.every((part) => label.test(part));
}
