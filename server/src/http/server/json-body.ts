import { isUtf8 } from 'node:buffer';
import { fail } from '../../base/errors.ts';

export const jsonLimits = Object.freeze({ bytes: 1_048_576, depth: 64, members: 100_000 });

/**
 * Parses a request body as JSON, UTF-8, within `jsonLimits`.
 *
 * Refused with InvalidJSON (107): invalid UTF-8, malformed text, deeper than 64 levels, more than 100,000 members,
 * numbers that a double cannot hold, and strings with U+0000 or a lone surrogate, because PostgreSQL cannot store them
 * and both databases have to behave the same.
 */
export function parseJsonBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw fail('InvalidJSON', 'The body is not valid UTF-8.');
  const text = body.toString('utf8');
  if (text.trim() === '') throw fail('InvalidJSON', 'The body is empty; send a JSON object.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fail('InvalidJSON', { message: `The body is not valid JSON${whereIn(error)}.`, cause: error });
  }
  // Without an escape, valid UTF-8 can hold neither a lone surrogate nor a NUL inside a JSON string.
  new Inspection(text.includes('\\u')).visit(value, 1);
  return value;
}

/** Where the parser stopped, without repeating the body. */
function whereIn(error: unknown): string {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '');
  return position ? ` (at character ${position[1]})` : '';
}

/** @throws Failure InvalidJSON for what a body may not contain */
export const assertStorable = (value: unknown): void => new Inspection(true).visit(value, 1);

class Inspection {
  readonly #checkStrings: boolean;
  #members = 0;

  constructor(checkStrings: boolean) {
    this.#checkStrings = checkStrings;
  }

  visit(value: unknown, depth: number): void {
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw fail('InvalidJSON', 'A number is too large for a double.');
    } else if (typeof value === 'string') {
      this.#string(value);
    } else if (typeof value === 'object' && value !== null) {
      if (depth > jsonLimits.depth)
        throw fail('InvalidJSON', `The body is nested deeper than ${jsonLimits.depth} levels.`);
      if (Array.isArray(value)) this.#array(value, depth);
      else this.#object(value as Record<string, unknown>, depth);
    }
  }

  #array(value: readonly unknown[], depth: number): void {
    this.#count(value.length);
    for (const item of value) this.visit(item, depth + 1);
  }

  #object(value: Record<string, unknown>, depth: number): void {
    const keys = Object.keys(value);
    this.#count(keys.length);
    for (const key of keys) {
      this.#string(key);
      this.visit(value[key], depth + 1);
    }
  }

  #count(more: number): void {
    this.#members += more;
    if (this.#members > jsonLimits.members) {
      throw fail('InvalidJSON', `The body has more than ${jsonLimits.members} members.`);
    }
  }

  #string(value: string): void {
    if (!this.#checkStrings) return;
    if (value.includes('\u0000')) throw fail('InvalidJSON', 'A string contains the character U+0000.');
    if (!value.isWellFormed()) throw fail('InvalidJSON', 'A string contains a lone surrogate.');
  }
}
