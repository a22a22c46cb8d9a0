/** Runs behind all other files (`vitest.config.mjs`), whose notes it reads (`postgres-coverage.ts`); skipped where some are left out. */
import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { tables } from '../../src/app/tables.ts';
import { postgresDialect } from '../../src/db/postgres/postgres.ts';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** Of these, other processes than those of the tests run the code, or the members of `where` and `rows` say what is touched. */
const seenElsewhere =
  /^(cli|db\/(migrate|distribute|unpack-rows|nodes\/before-update)\.ts|features\/data\/buckets\/records\/allowed-record\.ts)/;

/** What there is to touch: tables, lines of the product that ask the dialect for something, and what it writes differently. */
function touchable(): readonly string[] {
  const lines = globSync('**/*.ts', { cwd: source })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !/\.test\.ts$|^db\/(postgres|sqlite)\//.test(path))
    .filter((path) => !seenElsewhere.test(path))
    .flatMap((path) =>
      readFileSync(join(source, path), 'utf8')
        .split('\n')
        .flatMap((line, place) =>
          /^(?! *(\/\/|\*|import )).*\bdialect[?!]?\.\w/.test(line) ? [`line ${path}:${place + 1}`] : [],
        ),
    );
  const { where, rows } = postgresDialect;
  return [
    ...tables.map(({ name }) => `table ${name}`),
    ...Object.keys(where).map((name) => `where ${name}`),
    ...Object.keys(rows).map((name) => `rows ${name}`),
    ...lines,
  ];
}

/** What no process whose notes are in `folder` has touched. */
function untouched(folder: string): readonly string[] {
  const all = new Set(readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n')));
  return touchable().filter((name) => !all.has(name));
}

const folder = process.env['PHAROS_TEST_TOUCHED'];

test('the tests on both databases touch each table and each difference between the databases on PostgreSQL', {
  skip: !folder,
}, () => {
  assert.deepEqual(untouched(folder ?? ''), []);
});
