import assert from 'node:assert/strict';
import { test } from 'vitest';
import { knownMigrations } from '../../src/db/migrate.ts';

/** Before this one nodes were not updated one after the other. */
const firstUnderTheRule = 48;

/** Statements with which a node of the version before can live, while it still uses the database. */
const harmless: readonly RegExp[] = [
  /^create table /,
  /^create index /,
  // A node that does not know the column writes rows without it.
  /^alter table \w+ add column (?!.*\bnot null\b(?!.*\bdefault\b))/,
  /^insert into /,
  /^drop index /,
];

/** A node of the version before must not write to this table any more; that nothing else is kept from it, `unpacking.test.ts` shows. */
const closing = new Set(['alter table cold_chunks add column closed bigint not null']);

function problems(statements: readonly string[]): string[] {
  const created = new Set<string>();
  const added = new Set<string>();
  return statements.filter((statement) => {
    const text = statement.toLowerCase().replaceAll(/\s+/g, ' ').trim();
    const [, table = ''] = /^create table (?:if not exists )?(\w+)/.exec(text) ?? [];
    if (table !== '') created.add(table);
    // Nothing that is there can break a rule of a table that is new.
    const [, altered = '', column = ''] = /^alter table (\w+) add column (\w+)/.exec(text) ?? [];
    if (column !== '') added.add(`${altered}.${column}`);
    // A column that is new means nothing to such a node yet.
    const [, updated = '', changed = ''] = /^update (\w+) set (\w+) = [^,]+$/.exec(text) ?? [];
    if (added.has(`${updated}.${changed}`)) return false;
    const [, indexed = ''] = /^create unique index \w+ on (\w+)/.exec(text) ?? [];
    return !created.has(indexed) && !closing.has(text) && !harmless.some((form) => form.test(text));
  });
}

test('a node of the version before can go on while the database is migrated: migrations only add', () => {
  for (const { id, name, statements } of knownMigrations().filter(({ id }) => id >= firstUnderTheRule))
    assert.deepEqual(problems(statements), [], `${id} ${name}`);
});

test('what would break such a node is recognised', () => {
  const harmful = [
    'drop table visits',
    'alter table visits drop column beacon_id',
    'alter table visits rename column beacon_id to place',
    'alter table visits add column place text not null',
    'create unique index one_visit on visits (app_id)',
    'update visits set beacon_id = null',
  ];
  assert.deepEqual(problems(harmful), harmful);
  const added = [
    'create table stays (app_id text primary key)',
    'create unique index one_stay on stays (app_id)',
    'alter table visits add column place text',
    'update visits set place = beacon_id',
    "alter table visits add column kind text not null default 'seen'",
  ];
  assert.deepEqual(problems(added), []);
});
