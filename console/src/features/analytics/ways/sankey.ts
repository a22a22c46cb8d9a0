import { t } from '../../../lib/words/words.ts';
/** What a Sankey diagram shows of ways: from where visitors come to one place, and where they go from there. */

export interface NamedMove {
  readonly from: string;
  readonly to: string;
  readonly tours: number;
}

/** More on a side could not be told apart. */
const maxBeside = 8;

/** The place that most tours came to. */
export function busiestOf(moves: readonly NamedMove[], except: readonly string[]): string | undefined {
  const sums = new Map<string, number>();
  for (const { to, tours } of moves) if (!except.includes(to)) sums.set(to, (sums.get(to) ?? 0) + tours);
  return [...sums].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** A name is on both sides if visitors go there and back: a space behind it makes it another node. */
export const plainName = (node: string) => node.trimEnd();

/** Where the name of a node has room. */
export const sideOf = (node: string) => (node.endsWith('  ') ? 'top' : node.endsWith(' ') ? 'right' : 'left');

/** How wide the names on a side are at most, in pixels of a diagram of this width. */
export const roomForNames = (nodes: readonly string[], side: ReturnType<typeof sideOf>, width: number) =>
  Math.min(0.3 * width, 12 + 6.5 * Math.max(...nodes.map((name) => (sideOf(name) === side ? name.length : 0))));

export function linksAround(moves: readonly NamedMove[], middle: string) {
  const before = sumsOf(
    moves.filter(({ to }) => to === middle),
    'from',
  );
  const after = sumsOf(
    moves.filter(({ from }) => from === middle),
    'to',
  );
  const links = [
    ...before.map(([name, value]) => ({ source: name, target: `${middle}  `, value })),
    ...after.map(([name, value]) => ({ source: `${middle}  `, target: `${name} `, value })),
  ];
  return { nodes: [...new Set(links.flatMap(({ source, target }) => [source, target]))], links };
}

/** The commonest by name, and the others together. */
function sumsOf(moves: readonly NamedMove[], end: 'from' | 'to'): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const move of moves) if (move.tours > 0) sums.set(move[end], (sums.get(move[end]) ?? 0) + move.tours);
  const sorted = [...sums].sort(([, a], [, b]) => b - a);
  const rest = sorted.slice(maxBeside).reduce((sum, [, value]) => sum + value, 0);
  return [...sorted.slice(0, maxBeside), ...(rest > 0 ? [[t('Others'), rest] as const] : [])];
}
