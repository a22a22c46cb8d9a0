import type { Assertion, RegexNode } from './regex-parse.ts';
import { complement, maxCodePoint, type Ranges, rangesOfSet } from './regex-ranges.ts';

const wordCharacters = '[0-9A-Z_a-z]';

/** PostgreSQL's own `^`, `$` and `\y` depend on options and on the locale; lookaround over plain sets does not. */
const assertions: Readonly<Record<Assertion, string>> = {
  textStart: '\\A',
  textEnd: '\\Z',
  lineStart: '(?<![^\\u000a])',
  lineEnd: '(?![^\\u000a])',
  wordEdge: `(?:(?<=${wordCharacters})(?!${wordCharacters})|(?<!${wordCharacters})(?=${wordCharacters}))`,
  noWordEdge: `(?:(?<=${wordCharacters})(?=${wordCharacters})|(?<!${wordCharacters})(?!${wordCharacters}))`,
};

/** Nothing comes after the end of the text. */
const never = '(?:\\Z[a])';
/** The highest count that PostgreSQL takes between braces. */
const maxCount = 255;

/** A PostgreSQL advanced regular expression that matches the same texts as the (simplified) pattern. */
export function toPostgresRegex(node: RegexNode): string {
  switch (node.kind) {
    case 'set':
      return setText(rangesOfSet(node.set));
    case 'assert':
      return assertions[node.what];
    case 'sequence':
      return node.parts.map(toPostgresRegex).join('');
    case 'choice':
      return `(?:${node.parts.map(toPostgresRegex).join('|')})`;
    case 'repeat':
      return writeRepetition(node);
  }
}

function writeRepetition(node: RegexNode & { kind: 'repeat' }): string {
  const part = toPostgresRegex(node.part);
  const atom = node.part.kind === 'set' ? part : `(?:${part})`;
  const counts = writeCounts(node.min, node.max);
  const written = counts.map((count) => atom + count).join('');
  return counts.length === 1 ? written : `(?:${written})`;
}

/** {300} becomes {255}{45}, {10,600} becomes {10,255}{0,255}{0,90}. */
function writeCounts(min: number, max: number): readonly string[] {
  if (max === Number.POSITIVE_INFINITY && min <= 1) return [min === 0 ? '*' : '+'];
  if (min === 0 && max === 1) return ['?'];
  const counts: string[] = [];
  let [least, most] = [min, max];
  do {
    const low = Math.min(least, maxCount);
    const isLast = least <= maxCount && (most <= maxCount || most === Number.POSITIVE_INFINITY);
    const high = least > maxCount ? low : Math.min(most, maxCount);
    counts.push(isLast && most === Number.POSITIVE_INFINITY ? `{${low},}` : `{${low},${high}}`);
    if (isLast) break;
    least -= low;
    most -= high;
  } while (most > 0);
  return counts;
}

/** By the ranges of a class, which `rangesOf` caches: `\pL` has 650 of them and often occurs several times. */
const written = new WeakMap<Ranges, string>();

function setText(ranges: Ranges): string {
  const known = written.get(ranges);
  if (known !== undefined) return known;
  const text = writeSet(ranges);
  written.set(ranges, text);
  return text;
}

/** A character or a bracket expression. U+0000 is left out, since no text contains it. */
function writeSet(ranges: Ranges): string {
  const rest = complement(ranges);
  const isOpenEnded = ranges.at(-1) === maxCodePoint;
  if (isOpenEnded) return rest.length === 0 ? '.' : `[^${writeRanges(rest)}]`;
  const held = complement(rest);
  if (held.length === 0) return never;
  const text = writeRanges(held);
  return held.length === 2 && held[0] === held[1] ? text : `[${text}]`;
}

function writeRanges(ranges: Ranges): string {
  let text = '';
  for (let index = 0; index < ranges.length; index += 2) {
    const low = ranges[index] ?? 0;
    const high = ranges[index + 1] ?? 0;
    text += writeCharacter(low);
    if (high > low) text += `-${writeCharacter(high)}`;
  }
  return text;
}

/** Letters and digits stand for themselves; everything else is escaped, so no character can have a special meaning. */
function writeCharacter(codePoint: number): string {
  if (codePoint < 128 && /^[A-Za-z0-9]$/.test(String.fromCharCode(codePoint))) return String.fromCharCode(codePoint);
  const hex = codePoint.toString(16);
  return codePoint > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
