import type { RegexNode } from './regex-parse.ts';
import { canBeEmpty } from './regex-simplify.ts';

/** What a simplified pattern asks of PostgreSQL's compiler, every repetition written out. */
export interface RegexCost {
  /** Characters and assertions. */
  readonly size: number;
  /** Parts that can be skipped; a repeated character counts once. The compiler's time grows with their third power. */
  readonly skips: number;
  /** The most assertions that can follow one another without a character between; the time doubles with each. */
  readonly run: number;
}

/**
 * Measured on PostgreSQL 18, the worst accepted pattern compiles in about 0.1 s. Beyond these it soon says "regular
 * expression is too complex" or needs many seconds.
 */
const limits: RegexCost = { size: 1000, skips: 120, run: 6 };

export function isAffordable(node: RegexNode): boolean {
  const cost = measure(node);
  const run = Math.max(cost.before, cost.within, cost.after);
  return cost.size <= limits.size && cost.skips <= limits.skips && run <= limits.run;
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
