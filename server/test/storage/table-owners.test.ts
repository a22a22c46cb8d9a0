import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { tables } from '../../src/app/tables.ts';

/**
 * A table is named in SQL by the feature that owns it; another one asks its owner's functions. So a change of a table is a
 * change of one folder.
 */

const root = fileURLToPath(new URL('../../src', import.meta.url));

/** Who names tables of somebody else, and why. A line that is no longer needed fails the test. */
const exceptions: readonly { readonly why: string; readonly of: Readonly<Record<string, readonly string[]>> }[] = [
  {
    why: 'a copy of the database knows no features',
    of: { 'backup/write.ts': ['files'] },
  },
  {
    why: 'counts what all of an app is made of, and lies below the features',
    of: { 'limits/usage.ts': ['apps', 'buckets', 'files', 'records', 'trash'] },
  },
  {
    why: 'whether bytes are still of a file is asked of both tables at once, so that none is missed that moves from one to the other',
    of: { 'features/data/files/store.ts': ['trash'] },
  },
  {
    why: 'what happened at a beacon belongs to the venue of that beacon, which only a join can tell of a long list',
    of: { 'access/venue-limit.ts': ['beacons'] },
  },
  {
    why: 'what belongs to an app that is switched off is shut out by the statement that finds it',
    of: { 'features/places/devices/credential-store.ts': ['apps'], 'features/data/files/store.ts': ['apps'] },
  },
  {
    why: 'recipients and their deliveries are joined in the database: there may be a million',
    of: {
      'features/messages/push/delivery-store.ts': ['installations'],
      'features/messages/push/store.ts': ['installations'],
      'features/messages/push/wake.ts': ['installations'],
    },
  },
  {
    why: 'the engine reads what it needs of a place with every batch; it only reads',
    of: {
      'features/presence/sightings/site/radio.ts': ['beacons'],
      'features/presence/sightings/site/site.ts': ['beacons', 'installations', 'venues'],
      'features/presence/sightings/site/triggers.ts': [
        'notifications',
        'scenario_beacons',
        'storyline_details',
        'storylines',
      ],
    },
  },
  {
    why: 'locks the installation whose track it writes, and counts what all installations of a person were shown',
    of: {
      'features/presence/sightings/lock/lock.ts': ['installations'],
      'features/presence/sightings/decide/past.ts': ['installations'],
    },
  },
];

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
);

const owners = new Map(tables.map(({ name, owner }) => [name, owner]));
const naming = new RegExp(`\\b(?:from|into|update|join)\\s+(${[...owners.keys()].join('|')})\\b(?=[\\s\`'),]|$)`, 'g');

/** Features stand in families: `features/places/beacons` and what is below it; or a room such as `jobs`. */
const folderOf = (path: string) => path.split('/')[path.startsWith('features/') ? 2 : 0] as string;

const named = files.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8')
    .replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, '')
    .replaceAll(/^import .*$/gm, '');
  return [...new Set([...text.matchAll(naming)].map(([, table = '']) => table))]
    .filter((table) => owners.get(table) !== folderOf(path))
    .map((table) => ({ path, table }));
});

describe('the tables', () => {
  test('are named in SQL by their owners alone', () => {
    const excused = exceptions.flatMap(({ of }) =>
      Object.entries(of).flatMap(([path, others]) => others.map((table) => `${path} ${table}`)),
    );
    assert.deepEqual(named.map(({ path, table }) => `${path} ${table}`).sort(), excused.sort());
  });

  test('are owned by a folder that is there', () => {
    const folders = new Set(files.map(folderOf));
    for (const { name, owner } of tables) assert.ok(folders.has(owner), `${name} is owned by ${owner}`);
  });
});
