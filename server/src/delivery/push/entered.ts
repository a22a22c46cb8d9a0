import { createPrivateKey, type KeyObject } from 'node:crypto';
import { fail, type Problem } from '../../base/errors.ts';

/**
 * Reads what an administrator entered, member by member, and collects what is wrong. Problems name the member and what
 * to do; a value is never repeated, because it may be a secret in the wrong field.
 */
export class Entered {
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #prefix: string;
  readonly #problems: Problem[];

  constructor(value: unknown, prefix = '', problems: Problem[] = []) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    this.#members = isObject ? (value as Record<string, unknown>) : {};
    this.#prefix = prefix;
    this.#problems = problems;
    if (!isObject) this.problem('', 'must be an object');
  }

  get(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
  }

  problem(name: string, problem: string): void {
    const field = [this.#prefix, name].filter(Boolean).join('.');
    this.#problems.push({ field, problem });
  }

  /** A text that matches the pattern, trimmed. `what` says what is expected: `must be the key id, …`. */
  text(name: string, pattern: RegExp, what: string): string {
    const value = this.get(name);
    const text = typeof value === 'string' ? value.trim() : '';
    if (!pattern.test(text)) this.problem(name, value === undefined || text === '' ? `is missing: ${what}` : what);
    return text;
  }

  /** A private key in PEM of the wanted kind, normalised. */
  privateKey(name: string, type: 'rsa' | 'P-256', what: string): string {
    const value = this.get(name);
    // Line ends copied from JSON or an environment variable are often still escaped.
    const pem = typeof value === 'string' ? `${value.trim().replaceAll('\\n', '\n')}\n` : '';
    if (!isKey(pem, type)) this.problem(name, value === undefined ? `is missing: ${what}` : what);
    return pem;
  }

  /** @throws Failure ValidationError with everything that was wrong */
  check(message: string): void {
    if (this.#problems.length > 0) throw fail('ValidationError', { message, details: this.#problems });
  }
}

function isKey(pem: string, type: 'rsa' | 'P-256'): boolean {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return false;
  }
  if (type === 'rsa') return key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}
