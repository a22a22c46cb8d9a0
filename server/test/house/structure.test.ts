import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { betweenFeatures, climbing, floorOf, folderOf, inCircles, readImports } from '../support/imports.ts';

/** The structure that docs/architecture.md describes: which folder may import which, and how many files it may hold. */

const root = fileURLToPath(new URL('../../src', import.meta.url));

/** Libraries without Node and without the rest of the project, which the server builds on. */
const packages = ['engine', 'gateways', 'query'];

/** From the bottom up. A folder imports only folders listed before it; features never import each other. */
const floors = [
  'base',
  'db',
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
const maxFiles = 20;
const maxImports = 25;
/** A feature's `feature.ts` stands above its folders. */
const roomOf = (path: string) => (path.endsWith('/feature.ts') ? path : folderOf(path));

const project = join(root, '../..');
const { sources, imports } = readImports(root);

describe('the structure of the server', () => {
  test('every room has its floor', () => {
    assert.deepEqual([...new Set(sources.map(floorOf))].sort(), [...floors].sort());
  });

  test('no file imports from a floor above its own', () => {
    assert.deepEqual(climbing(imports, floors), []);
  });

  test('no feature imports another', () => {
    assert.deepEqual(betweenFeatures(imports, 2), []);
  });

  test('no feature imports what lists its family', () => {
    const isFeature = (path: string) => /^features\/[^/]+\/[^/]+\//.test(path);
    const isFamily = (path: string) => /^features\/[^/]+\/[^/]+$/.test(path);
    assert.deepEqual(
      imports.filter(({ from, to }) => isFeature(from) && isFamily(to)),
      [],
    );
  });

  test(`no file imports more than ${maxImports} others`, () => {
    const importsOf = (path: string) =>
      readFileSync(join(root, path), 'utf8').match(/^(?:import|export|\}).* from '|^import '/gm)?.length ?? 0;
    assert.deepEqual(
      sources.filter((path) => importsOf(path) > maxImports),
      [],
    );
  });

  test('no two folders import each other, directly or around', () => {
    const between = imports
      .map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))
      .filter(({ from, to }) => from !== to);
    assert.deepEqual(inCircles(between), []);
  });

  test('no two files import each other, directly or around', () => {
    assert.deepEqual(inCircles(imports), []);
  });

  for (const name of packages)
    test(`@pharos/${name} imports only its own files, without circles, and what its package.json names`, () => {
      const source = join(project, 'packages', name, 'src');
      const { dependencies = {} } = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8'));
      const { sources: files, imports: own } = readImports(source);
      const others = files.flatMap((path) =>
        [...readFileSync(join(source, path), 'utf8').matchAll(/^(?:import|export|\}).* from '([^']+)';$/gm)]
          .map(([, specifier = '']) => specifier)
          .filter((specifier) =>
            specifier.startsWith('.')
              ? relative(source, join(source, path, '..', specifier)).startsWith('..')
              : !Object.keys(dependencies).some((name) => specifier === name || specifier.startsWith(`${name}/`)),
          ),
      );
      assert.deepEqual(others, []);
      assert.deepEqual(inCircles(own), []);
      assert.ok(files.length > 10, `${files.length} files`);
    });

  test(`no folder holds more than ${maxFiles} files`, () => {
    const count = new Map<string, number>();
    for (const part of [
      'packages',
      'server/src',
      'server/test',
      'console/src',
      'console/test',
      'sdk/src',
      'sdk/test',
      'bench',
      'scripts',
    ])
      for (const entry of readdirSync(join(project, part), { recursive: true, withFileTypes: true })) {
        const folder = relative(project, entry.parentPath);
        // Installed packages, and what the benchmarks write.
        if (!entry.isFile() || /^bench\/(peers|profiles)\b|\bnode_modules\b/.test(folder)) continue;
        count.set(folder, (count.get(folder) ?? 0) + 1);
      }
    assert.ok(count.size > 200, `${count.size} folders`);
    assert.deepEqual(
      [...count].filter(([, held]) => held > maxFiles),
      [],
    );
  });
});
