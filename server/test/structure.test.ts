import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The structure that docs/architecture.md describes: which folder may import which, and how many files it may hold. */

const root = fileURLToPath(new URL('../src', import.meta.url));

/** From the bottom up. A folder imports only folders listed before it; features never import each other. */
const floors = [
  'base',
  'query',
  'db',
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
    const next = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      if (folderOf(from) === folderOf(to)) continue;
      next.set(folderOf(from), (next.get(folderOf(from)) ?? new Set()).add(folderOf(to)));
    }
    const circles = [...next.keys()].filter((start) => {
      const seen = new Set<string>();
      const open = [...(next.get(start) ?? [])];
      for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
        if (folder === start) return true;
        if (seen.has(folder)) continue;
        seen.add(folder);
        open.push(...(next.get(folder) ?? []));
      }
      return false;
    });
    assert.deepEqual(circles, []);
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
