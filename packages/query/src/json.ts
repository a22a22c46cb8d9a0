import { isObject } from './is-object.ts';

/** An own member of a parsed JSON object; `__proto__` and `constructor` are members like any other. */
export function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

export function readPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce(ownMember, value);
}

/** The length of a text in UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // A pair of surrogates is two units and four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}

/** As strings compare in UTF-8: by code point, so U+1F600 comes after U+FFFD. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (a !== b) return rankOfUnit(a) - rankOfUnit(b);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points beyond U+FFFF, so they sort after the units U+E000 to U+FFFF. */
function rankOfUnit(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/**
 * One text for each JSON value: numbers without exponent, members by the length of their names in UTF-8, then by name.
 * PostgreSQL writes the same for a `jsonb`, so that both databases and `matches` sort objects and arrays alike.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number') return writeNumber(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).map((name) => ({ name, bytes: byteLength(name) }));
  members.sort((left, right) => left.bytes - right.bytes || compareText(left.name, right.name));
  return `{${members.map(({ name }) => `${JSON.stringify(name)}: ${canonicalJson(value[name])}`).join(', ')}}`;
}

function writeNumber(value: number): string {
  const text = JSON.stringify(value);
  const found = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (found === null) return text;
  const [, sign, first, rest = ''] = found;
  const exponent = Number(found[4]);
  // JavaScript writes an exponent only from 1e21 and below 1e-6, where the point is outside the digits.
  const digits = `${first}${rest}`;
  return exponent > 0 ? sign + digits.padEnd(exponent + 1, '0') : `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
}

/**
 * Why a text or value cannot be the JSON of a query: databases cannot store it, or it is nested deeper than `depth`. Undefined if
 * it can be.
 */
export function findJsonProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return findTextProblem(value);
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'has a number that a double cannot hold';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return 'is nested too deeply';
  for (const [name, member] of Object.entries(value)) {
    const problem = findTextProblem(name) ?? findJsonProblem(member, depth - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findTextProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return 'has a lone surrogate';
  return text.includes('\u0000') ? 'has the character U+0000' : undefined;
}
