import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The structure that docs/architecture.md describes: which folder may import which, and how many files it may hold. */

const root = fileURLToPath(new URL('../../src', import.meta.url));

/** From the bottom up. A folder imports only folders listed before it; features never import each other. */
const floors = [
  'base',
  'query',
  'db',
  'cold',
  'proximity',
  'simulation',
  'delivery',
  'blobs',
  'mail',
  'jobs',
  'config',
  'access',
  'limits',
  'http',
  'resources',
  'backup',
  'sign-in',
  'features',
  'app',
  'demo',
  'cli',
  '.',
];
const mostFiles = 20;

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const folderOf = (path: string) => dirname(path);
const floorOf = (path: string) => folderOf(path).split('/')[0] as string;
const featureOf = (path: string) => (floorOf(path) === 'features' ? folderOf(path).split('/')[1] : undefined);

function importsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, specifier]) => relative(root, join(root, folderOf(path), specifier as string)))
    .filter((target) => !target.startsWith('..'));
}

const sources = files.filter((path) => !path.includes('.test.'));
const imports = sources.flatMap((from) => importsOf(from).map((to) => ({ from, to })));

/** What is reached again by following the imports that begin at it. */
function inCircles(arrows: readonly { readonly from: string; readonly to: string }[]): string[] {
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

describe('the structure of the server', () => {
  test('every room has its floor', () => {
    assert.deepEqual([...new Set(sources.map(floorOf))].sort(), [...floors].sort());
  });

  test('no file imports from a floor above its own', () => {
    const climbing = imports.filter(({ from, to }) => floors.indexOf(floorOf(to)) > floors.indexOf(floorOf(from)));
    assert.deepEqual(climbing, []);
  });

  test('no feature imports another', () => {
    const across = imports.filter(({ from, to }) => {
      const own = featureOf(from);
      const other = featureOf(to);
      return own !== undefined && other !== undefined && own !== other;
    });
    assert.deepEqual(across, []);
  });

  test('no two folders import each other, directly or around', () => {
    const between = imports
      .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
      .filter(({ from, to }) => from !== to);
    assert.deepEqual(inCircles(between), []);
  });

  test('no two files import each other, directly or around', () => {
    assert.deepEqual(inCircles(imports), []);
  });

  test(`no folder holds more than ${mostFiles} files`, () => {
    const count = new Map<string, number>();
    for (const path of files) count.set(folderOf(path), (count.get(folderOf(path)) ?? 0) + 1);
    assert.deepEqual(
      [...count].filter(([, held]) => held > mostFiles),
      [],
    );
  });
});
