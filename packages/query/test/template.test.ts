import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { matchesRecord } from '../src/match.ts';
import { parseTemplate } from '../src/parse.ts';
import { QueryError } from '../src/problems.ts';
import { bindTemplate, isAlways, isNever, type VariableValues } from '../src/template/template.ts';
import { testFields } from './support/fields.ts';

const variables: ReadonlySet<string> = new Set(['$auth.userId', '$auth.role', '$auth.installationId']);
const fields = testFields(false);
const anna: VariableValues = { '$auth.userId': 'anna', '$auth.role': 'user', '$auth.installationId': ['i1', 'i2'] };
const nobody: VariableValues = {};

const bound = (where: unknown, values: VariableValues) => bindTemplate(parseTemplate(where, fields, variables), values);
const matches = (where: unknown, values: VariableValues, record: object) => matchesRecord(bound(where, values), record);

const owner = (objectId: string) => ({ owner: { __type: 'Pointer', className: '_User', objectId } });

describe('a where with variables', () => {
  test('compares a pointer, a text and a list with the value of the request', () => {
    assert.equal(matches({ owner: '$auth.userId' }, anna, owner('anna')), true);
    assert.equal(matches({ owner: '$auth.userId' }, anna, owner('ben')), false);
    const shared = { 'metadata.sharedWith': { $in: ['$auth.userId', '$auth.role'] } };
    assert.equal(matches(shared, anna, { metadata: { sharedWith: ['ben', 'anna'] } }), true);
    assert.equal(matches(shared, anna, { metadata: { sharedWith: ['user'] } }), true);
    assert.equal(matches(shared, anna, { metadata: { sharedWith: ['ben'] } }), false);
    assert.equal(matches({ title: { $nin: ['$auth.userId', 'x'] } }, anna, { title: 'ben' }), true);
    assert.equal(matches({ title: { $ne: '$auth.userId' } }, anna, { title: 'anna' }), false);
    assert.equal(matches({ title: '$auth.installationId' }, anna, { title: 'i2' }), true);
    assert.equal(matches({ title: { $ne: '$auth.installationId' } }, anna, { title: 'i2' }), false);
  });

  test('compares with more values than a list may have, if a variable has them', () => {
    const all = Array.from({ length: 600 }, (_, n) => `i${n}`);
    const many: VariableValues = { '$auth.installationId': all };
    for (const [title, isHers] of [
      ['i0', true],
      ['i599', true],
      ['other', false],
    ] as const) {
      assert.equal(matches({ title: '$auth.installationId' }, many, { title }), isHers);
      assert.equal(matches({ title: { $nin: ['$auth.installationId', 'x'] } }, many, { title }), !isHers);
      assert.equal(matches({ $nor: [{ title: { $in: ['$auth.installationId'] } }] }, many, { title }), !isHers);
    }
    // Authors of rules have the same limit as everybody.
    assert.throws(() => bound({ title: { $in: ['$auth.userId', ...all] } }, anna), /at most 256 values/);
  });

  test('asks the caller herself, before any record', () => {
    assert.ok(isAlways(bound({ '$auth.role': 'user' }, anna)));
    assert.ok(isNever(bound({ '$auth.role': 'manager' }, anna)));
    assert.ok(isNever(bound({ '$auth.role': 'manager', title: 'x' }, anna)));
    assert.ok(isAlways(bound({ $or: [{ '$auth.userId': { $exists: true } }, { title: 'x' }] }, anna)));
    assert.ok(isNever(bound({ '$auth.userId': { $exists: true } }, nobody)));
    assert.ok(isAlways(bound({ '$auth.userId': { $exists: false } }, nobody)));
  });

  test('never matches by an unknown value of the caller, not even when it is negated', () => {
    const records = [{}, { title: null, owner: null }, { title: 'anna', ...owner('anna') }, { title: 'x' }];
    const unknown = [
      { owner: '$auth.userId' },
      { owner: { $ne: '$auth.userId' } },
      { title: { $in: ['$auth.userId'] } },
      { title: { $nin: ['$auth.userId', 'y'] } },
      { $nor: [{ title: '$auth.userId' }] },
      { $nor: [{ title: { $ne: '$auth.userId' } }] },
      { $nor: [{ title: { $in: ['$auth.userId', 'y'] } }] },
      { $nor: [{ $nor: [{ title: { $ne: '$auth.userId' } }] }] },
      { '$auth.userId': null },
      { '$auth.userId': { $ne: 'anna' } },
      { $nor: [{ '$auth.userId': 'anna' }] },
      { $nor: [{ '$auth.role': { $ne: 'user' } }] },
    ];
    for (const where of unknown)
      for (const record of records)
        assert.equal(matches(where, nobody, record), false, `${JSON.stringify(where)} ${JSON.stringify(record)}`);
  });

  test('still matches by what is known beside it', () => {
    assert.equal(matches({ $or: [{ owner: '$auth.userId' }, { title: 'x' }] }, nobody, { title: 'x' }), true);
    assert.equal(matches({ title: { $in: ['$auth.userId', 'all'] } }, nobody, { title: 'all' }), true);
    assert.equal(matches({ $nor: [{ title: { $nin: ['$auth.userId', 'all'] } }] }, nobody, { title: 'all' }), true);
    // Whoever asks, the title is not x.
    assert.equal(matches({ $nor: [{ owner: '$auth.userId', title: 'x' }] }, nobody, { title: 'y' }), true);
  });

  test('refuses variables where they mean nothing, and misspelt ones', () => {
    const wrong: readonly [where: unknown, problem: RegExp][] = [
      [{ title: '$auth.user' }, /\$auth\.userId/],
      [{ '$auth.name': 'x' }, /is not known here/],
      [{ title: { $gt: '$auth.userId' } }, /\$gt does not take variables/],
      [{ 'metadata.a': { b: '$auth.userId' } }, /each as a value of its own/],
      [{ title: { $in: [['$auth.userId']] } }, /each as a value of its own/],
      [{ '$auth.role': '$auth.userId' }, /cannot be compared with another variable/],
      [{ nosuch: '$auth.userId' }, /is not a field that can be asked for/],
    ];
    for (const [where, problem] of wrong)
      assert.throws(
        () => parseTemplate(where, fields, variables),
        (error) => error instanceof QueryError && problem.test(error.message),
        JSON.stringify(where),
      );
  });
});
