import { RE2JS } from 're2js';

/** Inclusive ranges of code points, ascending and apart: [low, high, low, high, …]. */
export type Ranges = readonly number[];

export const maxCodePoint = 0x10ffff;

/** Opcodes of a compiled re2js program; the tests hold them to what the library really does. */
const runeInstruction = 8;
const singleRuneInstruction = 9;
const foldsCase = 1;

interface Instruction {
  readonly op: number;
  readonly arg: number;
  readonly runes: readonly number[];
}

const cache = new Map<string, Ranges>();
const cacheSize = 512;

/**
 * The code points that an RE2 character class or escape (`[^a-c]`, `\pL`, `\W`) matches. They are taken from the
 * program that re2js compiles for it, and not from tables of our own, so that case folding and Unicode categories are
 * those of the engine that SQLite and `matches` use.
 */
export function rangesOf(atom: string, ignoreCase: boolean): Ranges {
  const pattern = ignoreCase ? `(?i)${atom}` : atom;
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  const found = readRanges(pattern);
  if (cache.size >= cacheSize) cache.clear();
  cache.set(pattern, found);
  return found;
}

function readRanges(pattern: string): Ranges {
  const { inst } = RE2JS.compile(pattern).re2().prog as { inst: readonly Instruction[] };
  const rune = inst.find(({ op }) => op === runeInstruction || op === singleRuneInstruction);
  if (rune === undefined) return [];
  const only = rune.runes.length === 1 ? rune.runes[0] : undefined;
  if (only === undefined) return rune.runes;
  return rune.op === runeInstruction && rune.arg === foldsCase ? rangesOfCharacter(only, true) : [only, only];
}

/** One character, with everything that equals it without case. */
export function rangesOfCharacter(codePoint: number, ignoreCase: boolean): Ranges {
  if (!ignoreCase || codePoint === maxCodePoint) return [codePoint, codePoint];
  // In a class of one character re2js leaves the folding to the match; a second one makes it write the ranges out.
  const ranges = rangesOf(`[\\x{${codePoint.toString(16)}}\\x{10FFFF}]`, true);
  return ranges.slice(0, -2);
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
