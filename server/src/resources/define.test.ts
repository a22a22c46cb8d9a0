import assert from 'node:assert/strict';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, openStorage, type TestStorage } from '../../test/support/build-app.ts';
import { raw } from '../base/sql.ts';
import { bulkInsert } from '../db/bulk.ts';
import { bigint, nullable, text as textColumn } from '../db/table.ts';
import { objectIdSchema, pointerSchema, recordStamps } from '../http/answers.ts';
import { defineShape } from '../http/shape.ts';
import { defineResource } from './define.ts';
import { json, number, pointer, text, time } from './members/members.ts';
import { resourceEndpoints } from './resource.ts';

/** A declaration that says the same of its shape and of its columns, and what follows from it. */

const said = {
  owner: 'pavilions',
  table: 'pavilions',
  noun: ['pavilion', 'pavilions'],
  title: ['Pavilion', 'Pavilions'],
  tag: { name: 'Pavilions', description: 'Houses.', place: 1 },
  path: '/pavilions',
  rules: 'beacons',
  defaultLimit: 10,
} as const;

const members = {
  objectId: text('object_id'),
  name: text('name'),
  floors: number('floors', { optional: true }),
  closedAt: time('closed_at', { nullable: true }),
  beaconId: pointer('beacon_id', 'Beacon'),
  notes: json('notes', { empty: '{}' }),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
};

const sent = { name: Type.String(), floors: Type.Optional(Type.Integer()), beaconId: pointerSchema('Beacon') };
const schema = Type.Object({
  objectId: objectIdSchema,
  ...sent,
  closedAt: Type.Union([Type.String(), Type.Null()]),
  notes: Type.Object({}),
  ...recordStamps,
});
const record = { schema, example: {} };
const body = { shape: defineShape(Type.Object(sent)), example: {} } as const;

const pavilions = defineResource({
  ...said,
  record,
  body,
  members,
  internal: { name_key: nullable(textColumn), visits: bigint },
  indexes: {
    pavilions_name: { on: ['app_id', 'name', 'object_id'] },
    pavilions_beacon: { on: ['app_id', 'beacon_id', 'floors', 'object_id'] },
    pavilions_key: { on: ['app_id', 'name_key'], isUnique: true },
    pavilions_closed: { on: ['app_id', 'closed_at', 'object_id'], isPartial: true },
  },
});

/** Never called: each line with an expectation is one that does not compile. */
export function mistakes(db: TestStorage['db']) {
  const { name: _name, ...lacking } = members;
  // @ts-expect-error a member of the schema without a column
  defineResource({ ...said, record, members: lacking });
  // @ts-expect-error a column that the schema does not show, and that is not hidden
  defineResource({ ...said, record, members: { ...members, colour: text('colour') } });
  defineResource({ ...said, record, members: { ...members, colour: text('colour', { hidden: true }) } });
  // @ts-expect-error a text in a column of numbers
  defineResource({ ...said, record, members: { ...members, name: number('name') } });
  // @ts-expect-error null in a column that is never null
  defineResource({ ...said, record, members: { ...members, closedAt: time('closed_at') } });
  const unkept = { ...body, shape: defineShape(Type.Object({ ...sent, colour: Type.String() })) };
  // @ts-expect-error a body with a member that is kept nowhere
  defineResource({ ...said, record, members, body: unkept });
  const unread = { ...body, shape: defineShape(Type.Object({ ...sent, closedAt: Type.String() })) };
  // @ts-expect-error a client's text in a column of times
  defineResource({ ...said, record, members, body: unread });
  // @ts-expect-error an index on a column that there is not
  defineResource({ ...said, record, members, indexes: { pavilions_x: { on: ['app_id', 'colour'] } } });
  resourceEndpoints(pavilions, {
    db,
    verify: async (_db, _app, { name }, stored) => {
      name?.trim();
      stored?.closedAt?.trim();
      // @ts-expect-error a record has no such member
      stored?.colour;
    },
    derive: ({ name, floors }) => ({ name_key: name?.trim() ?? null, visits: floors ?? 0 }),
    // @ts-expect-error a body has no such member
    onWrite: async (_db, _key, { colour }) => colour,
  });
  // @ts-expect-error a derived column that there is not
  resourceEndpoints(pavilions, { db, derive: ({ name }) => ({ key_of_name: name ?? null }) });
  // @ts-expect-error rows without all of their cells
  bulkInsert(pavilions.table).each(db.dialect, [{ app_id: 'a', object_id: 'b' }]);
}

for (const database of databases) {
  describe(`a declared resource on ${database}`, () => {
    let storage: TestStorage;
    beforeAll(async () => {
      storage = await openStorage(database);
      await storage.db.run(
        raw(`create table pavilions (app_id text, object_id text, name text, floors bigint, closed_at bigint, beacon_id text,
          notes text, created_at bigint, updated_at bigint, name_key text, visits bigint)`),
      );
    });
    afterAll(() => storage.close());

    test('keeps and shows what it is given', async () => {
      const { db } = storage;
      const key = { app_id: 'app', object_id: 'one' };
      const values = { name: 'House', beaconId: { objectId: 'beacon' }, notes: null, createdAt: 0, updatedAt: 0 };
      await pavilions.records.insert(db, { ...key, visits: 0 }, values);
      await pavilions.records.update(db, key, { floors: 2, updatedAt: 5 }, { name_key: 'house' });
      const row = await pavilions.records.find(db, key);
      const shown = {
        objectId: 'one',
        name: 'House',
        floors: 2,
        closedAt: null,
        beaconId: { __type: 'Pointer', className: 'Beacon', objectId: 'beacon' },
        notes: {},
        createdAt: '1970-01-01T00:00:00.000Z',
        updatedAt: '1970-01-01T00:00:00.005Z',
      };
      assert.deepEqual(row && pavilions.records.decode(row), shown);
      assert.deepEqual(row && pavilions.records.show(row), shown);
      assert.deepEqual(pavilions.records.show({ name: 'House', floors: null, closed_at: null }), {
        name: 'House',
        closedAt: null,
      });
    });

    test('refuses a member or a column that it does not know, instead of losing it', async () => {
      const { db } = storage;
      const key = { app_id: 'app', object_id: 'two' };
      const stray = { name: 'House', colour: 'red', updatedAt: 0 };
      await assert.rejects(pavilions.records.insert(db, key, stray), /pavilions .*colour/);
      await assert.rejects(pavilions.records.update(db, key, stray), /pavilions .*colour/);
      const cells = { ...key, key_of_name: 'house' };
      await assert.rejects(pavilions.records.insert(db, cells, { name: 'House' }), /pavilions .*key_of_name/);
      assert.equal(await pavilions.records.find(db, key), undefined);
    });
  });
}

test('lists count on the indexes that end with objectId, and on no others', () => {
  const indexed = (name: string) => {
    const field = pavilions.records.lookup(name);
    return field?.from === 'column' ? field.indexed : undefined;
  };
  const names = ['name', 'beaconId', 'closedAt', 'floors', 'objectId'];
  assert.deepEqual(names.map(indexed), [true, undefined, undefined, undefined, 'unique']);
  assert.deepEqual(pavilions.records.pairs, { beacon_id: 'floors' });
});
