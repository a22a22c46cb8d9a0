import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { betweenFeatures, climbing, floorOf, inCircles, readImports } from '../../../server/test/support/imports.ts';

/** The structure of the console that docs/architecture.md describes. */

/** From the bottom up; a folder imports only folders listed before it. */
const floors = ['lib', 'components', 'frame', 'features', 'app', '.'];

const root = fileURLToPath(new URL('../../src', import.meta.url));
const { sources, imports } = readImports(root);

describe('the structure of the console', () => {
  test('every room has its floor', () => {
    assert.ok(sources.length > 300, `${sources.length} files`);
    assert.deepEqual([...new Set(sources.map(floorOf))].sort(), [...floors].sort());
  });

  test('no file imports from a floor above its own', () => {
    assert.deepEqual(climbing(imports, floors), []);
  });

  test('no feature imports another', () => {
    assert.deepEqual(betweenFeatures(imports, 1), []);
  });

  test('no file imports more than 25 others of the console', () => {
    const importsOf = (path: string) =>
      readFileSync(join(root, path), 'utf8').match(/^(?:import|export|\}).* from '\.|^import '\./gm)?.length ?? 0;
    assert.deepEqual(
      sources.filter((path) => importsOf(path) > 25),
      [],
    );
  });

  test('no two files import each other, directly or around', () => {
    assert.deepEqual(inCircles(imports), []);
  });
});
