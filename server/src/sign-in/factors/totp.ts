import { invalid } from '../../base/errors.ts';

/** What every authenticator app can do: RFC 6238 with SHA-1, six digits and a new code every half minute. */
const form = Object.freeze({ algorithm: 'SHA1', digits: 6, period: 30 });
/** RFC 4226 recommends as many bytes as the hash has. */
const secretBytes = 20;
/** Codes of the step before and after are right too: clocks differ, and people type slowly. */
const stepsAround = 1;

/** Loaded when it is first needed: it takes 5 MB. */
const library = () => import('otpauth');

/** Loads the library ahead of a transaction, which must not wait for it. */
export async function loadTotp(): Promise<void> {
  await library();
}

/** A new secret, in base32. */
export async function newTotpSecret(): Promise<string> {
  const { Secret } = await library();
  return new Secret({ size: secretBytes }).base32;
}

/** What the QR code says: `otpauth://totp/…`. */
export async function totpAddress(secret: string, account: string, issuer: string): Promise<string> {
  const { Secret, TOTP } = await library();
  return new TOTP({ ...form, issuer, label: account, secret: Secret.fromBase32(secret) }).toString();
}

/** The step of time to which the code belongs; undefined for a wrong one. */
export async function stepOfCode(secret: string, code: string, now: number): Promise<number | undefined> {
  const { Secret, TOTP } = await library();
  const totp = new TOTP({ ...form, secret: Secret.fromBase32(secret) });
  const distance = totp.validate({ token: code, timestamp: now, window: stepsAround });
  return distance === null ? undefined : Math.floor(now / 1000 / form.period) + distance;
}

/** People type and paste codes with spaces. @throws Failure ValidationError */
export function readCode(typed: string): string {
  const code = typed.replace(/\s/g, '');
  if (/^\d{6}$/.test(code)) return code;
  throw invalid('code', 'must be the six digits that the app shows');
}
