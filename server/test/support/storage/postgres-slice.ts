/**
 * What the tests of `npm test` have to touch on PostgreSQL. Prints what none of them has, whose notes are in the given folder
 * (`postgres-coverage.ts`), and then exits with 1.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tables } from '../../../src/app/tables.ts';
import { postgresDialect } from '../../../src/db/postgres/postgres.ts';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));

/** What there is to touch: tables, lines of the product that ask the dialect for something, and what it writes differently. */
function touchable(): readonly string[] {
  const lines = globSync('**/*.ts', { cwd: source })
    .filter((path) => !/\.test\.ts$|^db[/\\](postgres|sqlite)[/\\]/.test(path))
    .flatMap((path) =>
      readFileSync(join(source, path), 'utf8')
        .split('\n')
        .flatMap((line, place) =>
          /^(?! *(\/\/|\*)).*\bdialect[?!]?\.\w/.test(line) ? [`line ${path.split(sep).join('/')}:${place + 1}`] : [],
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

const missing = untouched(process.argv[2] ?? '');
for (const name of missing) process.stdout.write(`${name}\n`);
process.exitCode = missing.length > 0 ? 1 : 0;
