/**
 * What the product touches on PostgreSQL while tests run: the tables that it writes and reads, and the lines that ask the dialect
 * for something. `npm test` runs only some files on both databases, and looks here at its end for what none of them has touched; and
 * whether PostgreSQL would take what it has sent to SQLite alone.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderSql } from '../../../src/base/sql.ts';
import type { Database } from '../../../src/db/db.ts';
import { placeholder } from '../../../src/db/postgres/prepared-names.ts';
import { onStatements, plainText } from '../statements.ts';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));
/** Each process of the tests has a file in it. */
const folder = process.env['PHAROS_TEST_TOUCHED'];
const file = `${randomBytes(6).toString('hex')}.txt`;
const touched = new Set<string>();
const seen = new Set<unknown>();
const seenTexts = new Set<readonly string[]>();
let written = 0;

const tableNames = /\b(?:into|update|from|join)\s+(?:only\s+)?([a-z_]+)/g;

/** Notes what goes through a database and its transactions. */
export function recordTouched(db: Database): void {
  if (!folder) return;
  touched.add('database');
  onStatements(db, (statement) => {
    const isLiteral = Object.isFrozen(statement.strings);
    if (isLiteral && seen.has(statement.strings)) return;
    const text = plainText(statement);
    if (!seen.has(text) && productPlace(12)) {
      seen.add(text);
      for (const [, table] of text.matchAll(tableNames)) touched.add(`table ${table}`);
    }
    if (isLiteral) seen.add(statement.strings);
  });
  watchDialect(db);
}

/** Notes the statements that the product sends to SQLite, with PostgreSQL's placeholders. */
export function recordTexts(db: Database): void {
  if (!folder) return;
  onStatements(db, (statement) => {
    if (seenTexts.has(statement.strings)) return;
    if (Object.isFrozen(statement.strings)) seenTexts.add(statement.strings);
    const text = `text ${renderSql(statement, placeholder).replace(/\s+/g, ' ').trim()}`;
    if (!touched.has(text) && productPlace(12)) touched.add(text);
  });
}

function watchDialect(db: Database): void {
  const where = watched(db.dialect.where, 'where');
  const rows = watched(db.dialect.rows, 'rows');
  // A copy, since a proxy must answer what a frozen object has.
  const dialect = new Proxy(
    { ...db.dialect, where, rows },
    {
      get(target, name) {
        const place = productPlace(3);
        if (place) touched.add(`line ${place}`);
        return Reflect.get(target, name);
      },
    },
  );
  const transaction = db.transaction.bind(db);
  const put = (own: object) => Object.defineProperty(own, 'dialect', { value: dialect, configurable: true });
  put(db);
  Object.defineProperty(db, 'transaction', {
    configurable: true,
    writable: true,
    value: (work: (inner: object) => Promise<unknown>) => transaction((inner) => work(put(inner)) as never),
  });
}

function watched<T extends object>(members: T, kind: string): T {
  return new Proxy(members, {
    get(target, name) {
      touched.add(`${kind} ${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}

/** The first file and line of the product among the last `frames` calls; undefined if there are only tests. */
function productPlace(frames: number): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = frames;
  Error.prepareStackTrace = (_error, sites) => sites;
  const sites = new Error().stack as unknown as readonly NodeJS.CallSite[];
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  for (const site of sites) {
    const url = site.getFileName();
    if (!url?.startsWith('file:')) continue;
    const path = relative(source, fileURLToPath(url));
    if (!path.startsWith('..') && !path.endsWith('.test.ts')) return `${path}:${site.getLineNumber()}`;
  }
  return undefined;
}

/** A process that is ended at the end of a run does not get to it. */
export function writeTouched(): void {
  if (!folder || touched.size === written) return;
  writeFileSync(join(folder, file), [...touched].join('\n'));
  written = touched.size;
}
