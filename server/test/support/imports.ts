import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Which file of a package imports which; paths are relative to its `src`. */

export interface Arrow {
  readonly from: string;
  readonly to: string;
}

export const folderOf = (path: string) => dirname(path);
/** The folder at the top of `src`; `.` for what stands there itself. */
export const floorOf = (path: string) => folderOf(path).split('/')[0] as string;
/** @param depth how many folders lead from `features` to a feature */
const featureOf = (path: string, depth: number) => {
  const [floor, ...folders] = folderOf(path).split('/');
  return floor === 'features' && folders.length >= depth ? folders.slice(0, depth).join('/') : undefined;
};

export function readImports(root: string): { sources: string[]; imports: Arrow[] } {
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !path.includes('.test.'),
  );
  const importsOf = (path: string) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
      .map(([, specifier]) => relative(root, join(root, folderOf(path), specifier as string)))
      .filter((target) => !target.startsWith('..'));
  return { sources, imports: sources.flatMap((from) => importsOf(from).map((to) => ({ from, to }))) };
}

/** What is reached again by following the imports that begin at it. */
export function inCircles(arrows: readonly Arrow[]): string[] {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const after = (name: string) => (next.get(name) ?? []).map(({ to }) => to);
  return [...next.keys()].filter((start) => {
    const seen = new Set<string>();
    const open = after(start);
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (name === start) return true;
      if (seen.has(name)) continue;
      seen.add(name);
      open.push(...after(name));
    }
    return false;
  });
}

/** @param floors from the bottom up */
export const climbing = (imports: readonly Arrow[], floors: readonly string[]): Arrow[] =>
  imports.filter(({ from, to }) => floors.indexOf(floorOf(to)) > floors.indexOf(floorOf(from)));

/** Imports from one feature into another. @param depth 1 if features stand side by side, 2 if they stand in families */
export const betweenFeatures = (imports: readonly Arrow[], depth: number): Arrow[] =>
  imports.filter(({ from, to }) => {
    const [own, other] = [featureOf(from, depth), featureOf(to, depth)];
    return own !== undefined && other !== undefined && own !== other;
  });
