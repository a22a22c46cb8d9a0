/** Runs behind all other files (`vitest.config.mjs`), whose notes it reads (`postgres-coverage.ts`); skipped where some are left out. */
import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { tables } from '../../src/app/tables.ts';
import { postgresDialect } from '../../src/db/postgres/postgres.ts';
import { createMigratedPostgres } from '../support/migrated.ts';
import { onDatabase } from '../support/postgres-url.ts';

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

const folder = process.env['PHAROS_TEST_TOUCHED'] ?? '';

const notes = () =>
  new Set(readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n')));

test('the tests on both databases touch each table and each difference between the databases on PostgreSQL', {
  skip: !folder,
}, () => {
  const touched = notes();
  assert.deepEqual(
    touchable().filter((name) => !touched.has(name)),
    [],
  );
});

/** What is written differently for PostgreSQL, which the test above has seen there, and what a test has both refuse. */
const ofSqlite =
  /\b(nonsense|rowid|indexed by|insert or fail|json_(type|extract|each)|(pharos|sqlite)_\w+)\b|\(values \(/;
const noSuchTable = '42P01';

test('PostgreSQL takes every statement that the tests have sent to SQLite', { skip: !folder }, async () => {
  const texts = [...notes()].flatMap(
    (note) => /^text ((?:select|with|insert|update|delete)\b.*)/.exec(note)?.[1] ?? [],
  );
  const refused: string[] = [];
  const { url, drop } = await createMigratedPostgres();
  await onDatabase(url, async (client) => {
    for (const text of texts.filter((one) => !ofSqlite.test(one)))
      await client.query(`prepare sent as ${text}; deallocate sent`).catch(({ code, message }) => {
        // A test has made the table.
        if (code !== noSuchTable) refused.push(`${message}: ${text}`);
      });
  });
  await drop();
  assert.deepEqual(refused, []);
});
