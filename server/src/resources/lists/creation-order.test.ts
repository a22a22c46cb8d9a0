import assert from 'node:assert/strict';
import { parseWhereValue } from '@pharos/query';
import fc from 'fast-check';
import { test } from 'vitest';
import { orderToSql, parseOrder } from '../../../../packages/query/src/order.ts';
import { runs } from '../../../test/support/depth.ts';
import { newObjectId } from '../../base/id.ts';
import { renderSql } from '../../base/sql.ts';
import { sqliteWhere } from '../../db/sqlite/where-sqlite.ts';
import { text, time } from '../members/members.ts';
import { memberLookup } from '../table.ts';
import { byCreation } from './creation-order.ts';
import { isIndexed } from './plan.ts';

const lookup = memberLookup(
  { objectId: text('object_id'), kind: text('kind', { nullable: true }), createdAt: time('created_at') },
  { indexed: new Map([['kind', true]]) },
);

function boundsOf(where: object): readonly [string, ...unknown[]] {
  const { bounds } = byCreation(parseWhereValue(where, lookup), parseOrder('objectId', lookup));
  return [renderSql(bounds, () => '?'), ...bounds.values];
}

const compare: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  $eq: (a, b) => a === b,
  $lt: (a, b) => a < b,
  $lte: (a, b) => a <= b,
  $gt: (a, b) => a > b,
  $gte: (a, b) => a >= b,
};

test('every record that a condition on createdAt accepts lies within the bounds of its id', () => {
  const times = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(
      times,
      fc.integer({ min: -2, max: 2 }),
      fc.constantFrom(...Object.keys(compare)),
      (at, distance, operator) => {
        const bound = Math.max(0, at + distance);
        const where = parseWhereValue({ createdAt: { [operator]: new Date(bound).toISOString() } }, lookup);
        const { bounds } = byCreation(where, parseOrder('objectId', lookup));
        const id = newObjectId(at);
        const lies = [...renderSql(bounds, () => '?').matchAll(/object_id (>=|<) \?/g)].every(([, sign], index) =>
          sign === '<' ? id < String(bounds.values[index]) : id >= String(bounds.values[index]),
        );
        // Ids know milliseconds, as dates do: the bounds are exact.
        return lies === compare[operator]?.(at, bound);
      },
    ),
    runs(100),
  );
});

test('bounds follow only from conditions that every record has to meet', () => {
  const date = '2026-01-01T00:00:00.000Z';
  assert.equal(boundsOf({ createdAt: { $gt: date } }).length, 2);
  assert.equal(boundsOf({ $and: [{ createdAt: { $gt: date } }, { createdAt: { $lt: date } }] }).length, 3);
  for (const where of [
    { $or: [{ createdAt: { $gt: date } }] },
    { $nor: [{ createdAt: { $gt: date } }] },
    { createdAt: { $ne: date } },
    { createdAt: { $in: [date] } },
    { createdAt: { $exists: true } },
    { createdAt: { $gt: 5 } },
    { createdAt: null },
    { kind: { $gt: date } },
  ]) {
    assert.deepEqual(boundsOf(where), ['(1 = 1)'], JSON.stringify(where));
  }
});

test('the order of creation becomes the order of ids, any other stays', () => {
  const orders: readonly (readonly [string, string])[] = [
    ['createdAt', 'object_id asc'],
    ['-createdAt', 'object_id desc'],
    ['-createdAt,-objectId', 'object_id desc'],
    ['-objectId', 'object_id desc'],
    ['-createdAt,objectId', 'created_at desc, object_id asc'],
    ['-createdAt,kind', 'created_at desc, kind asc nulls first, object_id asc'],
    ['kind,createdAt', 'kind asc nulls first, created_at asc, object_id asc'],
  ];
  for (const [order, expected] of orders) {
    const rewritten = byCreation(undefined, parseOrder(order, lookup)).order;
    assert.equal(
      renderSql(orderToSql(rewritten, sqliteWhere), () => '?'),
      expected,
      order,
    );
  }
});

test('a range of time alone is served by an index, one beside other conditions is left to the database', () => {
  const planned = (where: object, order: string) => {
    const query = byCreation(parseWhereValue(where, lookup), parseOrder(order, lookup));
    return isIndexed(query.rest, query.order);
  };
  const range = { createdAt: { $gte: '2026-01-01', $lt: '2026-02-01' } };
  assert.equal(planned(range, '-createdAt'), true);
  assert.equal(planned({ kind: 'x' }, '-createdAt'), true);
  assert.equal(planned({ ...range, kind: 'x' }, '-createdAt'), false);
});

test('where ids begin with another time, that one becomes a range of ids and createdAt does not', () => {
  const byOccurrence = memberLookup({
    objectId: text('object_id'),
    occurredAt: time('occurred_at'),
    createdAt: time('created_at'),
  });
  const ask = (where: object, order: string) => {
    const query = byCreation(parseWhereValue(where, byOccurrence), parseOrder(order, byOccurrence), 'occurredAt');
    return [
      renderSql(query.bounds, () => '?'),
      renderSql(orderToSql(query.order, sqliteWhere), () => '?'),
      isIndexed(query.rest, query.order),
    ];
  };
  const day = { $gte: '2026-01-01T00:00:00.000Z' };
  assert.deepEqual(ask({ occurredAt: day }, '-occurredAt'), ['(1 = 1) and object_id >= ?', 'object_id desc', true]);
  assert.deepEqual(ask({ createdAt: day }, '-createdAt'), ['(1 = 1)', 'created_at desc, object_id desc', false]);
});
