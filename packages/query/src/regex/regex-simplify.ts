import type { RegexNode } from './regex-parse.ts';

/**
 * An equivalent pattern in which, as far as rewriting can avoid it, a repetition never repeats something that may be
 * empty. PostgreSQL's time grows with the third power of the number of consecutive parts that can be skipped: it took
 * 23 s to compile `(?:a?){900}`, and 7 ms for the equivalent `a{0,900}`.
 */
export function simplifyRegex(node: RegexNode): RegexNode {
  if (node.kind === 'sequence') return simplifySequence(node.parts.map(simplifyRegex));
  if (node.kind === 'choice') return { kind: 'choice', parts: node.parts.map(simplifyRegex) };
  return node.kind === 'repeat' ? simplifyRepeat(simplifyRegex(node.part), node.min, node.max) : node;
}

/** Nested sequences become one; a repeated assertion adds nothing. */
function simplifySequence(parts: readonly RegexNode[]): RegexNode {
  const flat: RegexNode[] = [];
  for (const part of parts.flatMap((inner) => (inner.kind === 'sequence' ? inner.parts : [inner]))) {
    const last = flat.at(-1);
    const repeats = part.kind === 'assert' && last?.kind === 'assert' && last.what === part.what;
    if (!repeats) flat.push(part);
  }
  return flat.length === 1 ? flat[0]! : { kind: 'sequence', parts: flat };
}

const nothing: RegexNode = { kind: 'sequence', parts: [] };

function simplifyRepeat(part: RegexNode, min: number, max: number): RegexNode {
  if (max === 0) return nothing;
  // A repeated assertion means the same as one, or nothing if it may be left out.
  if (isEmptyWide(part)) return min === 0 ? nothing : part;
  if (min === 1 && max === 1) return part;
  const { core, optional } = splitOptional(part);
  return mergeCounts(core, optional ? 0 : min, max);
}

/** (x{a,b}){m,n} is x{am,bn} when a is 0 or 1, since no count between is left out. */
function mergeCounts(part: RegexNode, min: number, max: number): RegexNode {
  if (part.kind !== 'repeat' || part.min > 1) return { kind: 'repeat', part, min, max };
  return { kind: 'repeat', part: part.part, min: part.min * min, max: part.max * max };
}

/** The part as something that is not empty, and whether the empty text has to be allowed as well. */
function splitOptional(part: RegexNode): { readonly core: RegexNode; readonly optional: boolean } {
  if (part.kind === 'repeat' && part.min === 0 && !canBeEmpty(part.part)) {
    const core = part.max === 1 ? part.part : { ...part, min: 1 };
    return { core, optional: true };
  }
  if (part.kind !== 'choice' || !part.parts.some(isOptional)) return { core: part, optional: false };
  const parts = part.parts.filter((branch) => !isNothing(branch)).map((branch) => splitOptional(branch).core);
  return { core: parts.length === 1 ? parts[0]! : { kind: 'choice', parts }, optional: true };
}

function isOptional(node: RegexNode): boolean {
  return isNothing(node) || splitOptional(node).optional;
}

function isNothing(node: RegexNode): boolean {
  return node.kind === 'sequence' && node.parts.length === 0;
}

/** Whether it never consumes a character. */
function isEmptyWide(node: RegexNode): boolean {
  if (node.kind === 'set') return false;
  if (node.kind === 'assert') return true;
  if (node.kind === 'repeat') return node.max === 0 || isEmptyWide(node.part);
  return node.parts.every(isEmptyWide);
}

/** Whether it may consume no character. */
export function canBeEmpty(node: RegexNode): boolean {
  if (node.kind === 'set') return false;
  if (node.kind === 'assert') return true;
  if (node.kind === 'repeat') return node.min === 0 || canBeEmpty(node.part);
  return node.kind === 'choice' ? node.parts.some(canBeEmpty) : node.parts.every(canBeEmpty);
}
