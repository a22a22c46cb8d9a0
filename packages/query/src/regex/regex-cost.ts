import type { CharacterSet, RegexNode } from './regex-parse.ts';
import { hasCase, maxCodePoint } from './regex-ranges.ts';
import { canBeEmpty } from './regex-simplify.ts';

/** The load of a simplified pattern on PostgreSQL's compiler, with every repetition written out. */
interface RegexCost {
  /** Characters and assertions. */
  readonly size: number;
  /** Parts that can be skipped; a repeated character counts once. The compiler's time grows with their third power. */
  readonly skips: number;
  /** The most assertions that can follow one another without a character between; the time doubles with each. */
  readonly run: number;
}

/**
 * Measured on PostgreSQL 18, the worst accepted pattern compiles in about 0.1 s. Just beyond these limits it says
 * "regular expression is too complex" or needs many seconds.
 */
const limits: RegexCost = { size: 1000, skips: 120, run: 6 };

export function isAffordable(node: RegexNode): boolean {
  const cost = measure(node);
  const run = Math.max(cost.before, cost.within, cost.after);
  return cost.size <= limits.size && cost.skips <= limits.skips && run <= limits.run;
}

/**
 * Microseconds, as `weighRegex` estimates them, for all patterns of a query together: they are parsed on the main
 * thread.
 */
const maxWeight = 10_000;

/** What the patterns of one query may cost together. */
export class RegexBudget {
  readonly #seen = new Map<string, number>();
  #left = maxWeight;

  /** False when the pattern weighs more than is left. */
  take(source: string, node: RegexNode): boolean {
    this.#left -= weighRegex(source, node, this.#seen);
    return this.#left >= 0;
  }
}

/**
 * The longest that it takes to check the pattern and to write it for PostgreSQL: microseconds of one processor of a
 * server of 2024, as measured. It depends on the text alone, so that a pattern is accepted or refused alike everywhere.
 * A class that was `seen` before is free.
 */
export function weighRegex(source: string, node: RegexNode, seen = new Map<string, number>()): number {
  let weight = 10 + 3 * source.length + 2 * measure(node).size;
  for (const set of setsOf(node)) {
    const name = set.kind === 'atom' ? set.atom : set.kind === 'character' ? set.codePoint : set.kind;
    const key = `${name} ${'ignoreCase' in set && set.ignoreCase}`;
    const known = seen.get(key);
    weight += known === undefined ? weighSet(set) : known / 10;
    if (known === undefined) seen.set(key, weighSet(set));
  }
  return Math.ceil(weight);
}

const unicodeClass = /\\[pP]/g;
const rangeInClass =
  /(\\x\{[0-9A-Fa-f]+\}|\\x[0-9A-Fa-f]{2}|\\[\s\S]|[^\\])-(\\x\{[0-9A-Fa-f]+\}|\\x[0-9A-Fa-f]{2}|\\[\s\S]|[^\\])/gu;

function weighSet(set: CharacterSet): number {
  if (set.kind === 'character') return set.ignoreCase && hasCase(set.codePoint) ? 12 : 0;
  if (set.kind !== 'atom') return 0;
  const { atom, ignoreCase } = set;
  const classes = atom.match(unicodeClass)?.length ?? 0;
  const own = (ignoreCase ? 10 : 5) + 250 * classes;
  if (!ignoreCase) return own;
  // To fold a range, re2js looks at each of its characters.
  const spans = [...atom.matchAll(rangeInClass)].map(
    ([, low = '', high = '']) => endOf(high, false) - endOf(low, true),
  );
  return own + spans.reduce((total, span) => total + Math.max(span, 0) * 0.03, 0);
}

/** One end of a range in a class; for an escape that is not a number, the end that makes the range longest. */
function endOf(text: string, isLow: boolean): number {
  const hex = /^\\x\{?([0-9A-Fa-f]+)/.exec(text)?.[1];
  if (hex !== undefined) return Math.min(Number.parseInt(hex, 16), maxCodePoint);
  if (!text.startsWith('\\')) return text.codePointAt(0) ?? 0;
  return isLow ? 0 : 128;
}

/** The sets in the order in which they occur, each as often as it does. */
export function* setsOf(node: RegexNode): Iterable<CharacterSet> {
  if (node.kind === 'set') yield node.set;
  else if (node.kind === 'repeat') yield* setsOf(node.part);
  else if (node.kind !== 'assert') for (const part of node.parts) yield* setsOf(part);
}

/** Runs of assertions at the start, anywhere and at the end; all three are the whole when no character is needed. */
interface Measure {
  readonly size: number;
  readonly skips: number;
  readonly before: number;
  readonly within: number;
  readonly after: number;
  readonly isOpen: boolean;
}

const nothing: Measure = { size: 0, skips: 0, before: 0, within: 0, after: 0, isOpen: true };

function measure(node: RegexNode): Measure {
  if (node.kind === 'set') return { ...nothing, size: 1, isOpen: false };
  if (node.kind === 'assert') return { ...nothing, size: 1, skips: 1, before: 1, within: 1, after: 1 };
  if (node.kind === 'repeat') return measureRepeat(node.part, node.min, node.max);
  const parts = node.parts.map(measure);
  return node.kind === 'sequence' ? parts.reduce(join, nothing) : measureChoice(parts, node.parts);
}

function join(left: Measure, right: Measure): Measure {
  return {
    size: left.size + right.size,
    skips: left.skips + right.skips,
    before: left.isOpen ? left.before + right.before : left.before,
    within: Math.max(left.within, right.within, left.after + right.before),
    after: right.isOpen ? left.after + right.after : right.after,
    isOpen: left.isOpen && right.isOpen,
  };
}

function measureChoice(parts: readonly Measure[], nodes: readonly RegexNode[]): Measure {
  const most = (read: (part: Measure) => number) => Math.max(0, ...parts.map(read));
  return {
    size: parts.reduce((total, part) => total + part.size, 0),
    skips: nodes.filter(canBeEmpty).length + parts.reduce((total, part) => total + part.skips, 0),
    before: most((part) => part.before),
    within: most((part) => part.within),
    after: most((part) => part.after),
    isOpen: parts.some((part) => part.isOpen),
  };
}

function measureRepeat(node: RegexNode, min: number, max: number): Measure {
  const part = measure(node);
  const times = max === Number.POSITIVE_INFINITY ? Math.max(min, 2) : max;
  const runs = part.isOpen ? times : 1;
  return {
    size: part.size * (max === Number.POSITIVE_INFINITY ? Math.max(min, 1) : max),
    skips: (min === 0 ? 1 : 0) + part.skips * times,
    before: part.before * runs,
    within: Math.max(part.within, times > 1 ? part.after * runs + part.before : 0),
    after: part.after * runs,
    isOpen: part.isOpen || min === 0,
  };
}
