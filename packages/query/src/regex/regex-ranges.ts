import { RE2JS } from 're2js';
import type { CharacterSet } from './regex-parse.ts';

/** Inclusive ranges of code points, ascending and disjoint: [low, high, low, high, …]. */
export type Ranges = readonly number[];

export const maxCodePoint = 0x10ffff;

/** Opcodes of a compiled re2js program; the tests check them against the library. */
const opcodes = { fail: 5, rune: 8, singleRune: 9, anyRune: 10, anyRuneExceptNewline: 11 } as const;
const foldsCase = 1;

const newline = 10;
const everyCharacter: Ranges = [0, maxCodePoint];
const exceptNewline: Ranges = [0, newline - 1, newline + 1, maxCodePoint];

interface Instruction {
  readonly op: number;
  readonly arg: number;
  readonly runes: readonly number[];
}

const cache = new Map<string, Ranges>();

/**
 * The code points that an RE2 character class or escape (`[^a-c]`, `\pL`, `\W`) matches. They are taken from the
 * program that re2js compiles for it, not from our own tables, so that case folding and Unicode categories are those of
 * the engine that SQLite and `matches` use.
 */
export function rangesOf(atom: string, ignoreCase: boolean): Ranges {
  const pattern = ignoreCase ? `(?i)${atom}` : atom;
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  const found = readRanges(pattern);
  if (cache.size === 512) cache.clear();
  cache.set(pattern, found);
  return found;
}

function readRanges(pattern: string): Ranges {
  const { inst } = RE2JS.compile(pattern).re2().prog as { inst: readonly Instruction[] };
  // Classes that match every character, all but the newline, or none have instructions of their own.
  if (inst.some(({ op }) => op === opcodes.anyRune)) return everyCharacter;
  if (inst.some(({ op }) => op === opcodes.anyRuneExceptNewline)) return exceptNewline;
  const rune = inst.find(({ op }) => op === opcodes.rune || op === opcodes.singleRune);
  if (rune === undefined) {
    if (inst.some(({ op }) => op === opcodes.fail)) return [];
    throw new Error(`re2js compiled ${pattern} to instructions that are not known.`);
  }
  const only = rune.runes.length === 1 ? rune.runes[0] : undefined;
  if (only === undefined) return rune.runes;
  return rune.op === opcodes.rune && rune.arg === foldsCase ? rangesOfCharacter(only, true) : [only, only];
}

/** The code points that a set of a pattern matches. */
export function rangesOfSet(set: CharacterSet): Ranges {
  if (set.kind === 'any') return everyCharacter;
  if (set.kind === 'exceptNewline') return exceptNewline;
  return set.kind === 'atom' ? rangesOf(set.atom, set.ignoreCase) : rangesOfCharacter(set.codePoint, set.ignoreCase);
}

/** One character, with everything that equals it when case is ignored. */
export function rangesOfCharacter(codePoint: number, ignoreCase: boolean): Ranges {
  if (!ignoreCase || codePoint === maxCodePoint || !hasCase(codePoint)) return [codePoint, codePoint];
  // For a class of one character re2js leaves case folding to the match; a second character makes it write the ranges
  // out.
  const ranges = rangesOf(`[\\x{${codePoint.toString(16)}}\\x{10FFFF}]`, true);
  return ranges.slice(0, -2);
}

/** False only for characters that have no other case, which are most; saves asking re2js. */
export function hasCase(codePoint: number): boolean {
  const char = String.fromCodePoint(codePoint);
  return char.toLowerCase() !== char || char.toUpperCase() !== char;
}

/** What the ranges leave out of U+0001 to U+10FFFF. */
export function complement(ranges: Ranges): Ranges {
  const rest: number[] = [];
  let next = 1;
  for (let index = 0; index < ranges.length; index += 2) {
    const low = ranges[index] ?? 0;
    if (low > next) rest.push(next, low - 1);
    next = Math.max(next, (ranges[index + 1] ?? 0) + 1);
  }
  if (next <= maxCodePoint) rest.push(next, maxCodePoint);
  return rest;
}
