import assert from 'node:assert/strict';
import { Type } from 'typebox';
import { describe, test } from 'vitest';
import { Failure } from '../base/errors.ts';
import { defineShape } from './shape.ts';

const shape = defineShape(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 3 }),
    floor: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
    place: Type.Optional(Type.Object({ 'a/b': Type.Number() })),
    tags: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 60 })),
    colour: Type.Optional(Type.Enum(['red', 'blue'])),
    code: Type.Optional(Type.String({ minLength: 2, pattern: '^[a-z]+$' })),
  }),
);

function refused(body: unknown): Failure {
  try {
    shape.readCreate(body);
  } catch (error) {
    assert.ok(error instanceof Failure);
    return error;
  }
  return assert.fail(`${JSON.stringify(body)} was taken`);
}

describe('what a body breaks', () => {
  const name = 'a';
  for (const [body, field, problem] of [
    [[], '', 'must be a JSON object'],
    ['text', '', 'must be a JSON object'],
    [{}, 'name', 'is required'],
    [{ name: null }, 'name', 'must be a string'],
    [{ name: '' }, 'name', 'must have at least 1 character'],
    [{ name: 'four' }, 'name', 'must have at most 3 characters'],
    [{ name, floor: 1.5 }, 'floor', 'must be an integer'],
    [{ name, floor: -1 }, 'floor', 'must be at least 0'],
    [{ name, floor: 10 }, 'floor', 'must be at most 9'],
    [{ name, place: 7 }, 'place', 'must be a JSON object'],
    [{ name, place: {} }, 'place.a/b', 'is required'],
    [{ name, place: { 'a/b': 'x' } }, 'place.a/b', 'must be a number'],
    [{ name, tags: 'x' }, 'tags', 'must be an array'],
    [{ name, tags: [] }, 'tags', 'must not be empty'],
    [{ name, tags: Array(61).fill('x') }, 'tags', 'must have at most 60 elements'],
    [{ name, tags: ['x', 7] }, 'tags.1', 'must be a string'],
    [{ name, colour: 'green' }, 'colour', 'must be one of red, blue'],
    [{ name, code: 'a' }, 'code', 'must have at least 2 characters'],
    [{ name, code: 'AB' }, 'code', 'has an unexpected form'],
  ] as const)
    test(`${JSON.stringify(body).slice(0, 40)}: ${field} ${problem}`, () =>
      assert.deepEqual(refused(body).details, [{ field, problem }]));

  test('is reported all at once, with five problems in the message', () => {
    const error = refused({ floor: 10, place: 7, tags: [], colour: 'green', code: 'AB' });
    assert.equal(error.details.length, 6);
    assert.match(error.message, /^name is required; floor must be at most 9; .*colour must be one of red, blue/);
    assert.match(error.message, / \(and 1 more\)\.$/);
  });

  test('is reported up to a limit', () => assert.equal(refused({ name, tags: Array(60).fill(7) }).details.length, 8));
});
