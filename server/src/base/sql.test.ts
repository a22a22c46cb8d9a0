import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { raw, Shapes, sql } from './sql.ts';

describe('statements of few shapes', () => {
  const within = (shapes: Shapes, app: string, limit: number) =>
    shapes.template('within an app')`select ${raw('name')} from beacons where ${sql`app_id = ${app}`} limit ${limit}`;

  test('have one text, and the values of each call in the order of the text', () => {
    const shapes = new Shapes();
    const [first, second] = [within(shapes, 'a', 10), within(shapes, 'b', 20)];
    assert.equal(first.strings.join('?'), 'select name from beacons where app_id = ? limit ?');
    assert.equal(second.strings, first.strings, 'joined once');
    assert.deepEqual(
      [first.values, second.values],
      [
        ['a', 10],
        ['b', 20],
      ],
    );
  });

  test('are refused if the values do not follow the text', () => {
    const make = () => sql`select * from beacons where app_id = ${'a'} limit ${10}`;
    const swapped = () => new Shapes().of('some', [10, 'a'], make);
    assert.throws(
      swapped,
      /values of a statement do not follow its text: select \* from beacons where app_id = \? limit \?/,
    );
    assert.throws(() => new Shapes().of('some', ['a'], make), /do not follow/);
    assert.deepEqual(new Shapes().of('some', ['a', 10], make).values, ['a', 10]);
  });
});
