import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { matchesRecord } from '../src/match.ts';
import { parseOrder } from '../src/order.ts';
import { parsePage } from '../src/page.ts';
import { parseWhere, parseWhereValue } from '../src/parse.ts';
import { type Problem, QueryError } from '../src/problems.ts';
import { testFields } from './support/fields.ts';

const fields = testFields(false);
const parse = (where: unknown) => parseWhere(typeof where === 'string' ? where : JSON.stringify(where), fields);

function refusal(act: () => unknown): readonly Problem[] {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof QueryError, String(error));
    assert.ok(error.details.length > 0);
    return error.details;
  }
  assert.fail('It was not refused.');
}

const nest = (levels: number): unknown => (levels === 1 ? { title: 'a' } : { $or: [nest(levels - 1)] });
const nestArray = (levels: number): unknown => (levels === 0 ? 1 : [nestArray(levels - 1)]);
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`metadata.m${i}`, 1]));

describe('a where', () => {
  it('is no condition when it is absent or empty', () => {
    assert.equal(parseWhere(undefined, fields), undefined);
    assert.equal(parseWhereValue(undefined, fields), undefined);
    assert.equal(parse('{}'), undefined);
    assert.ok(matchesRecord(undefined, {}));
  });

  it('is frozen', () => {
    const where = parse({ $or: [{ title: { $in: ['a', null] } }], 'metadata.n': { $gt: 1 } });
    assert.ok(where?.kind === 'all' && Object.isFrozen(where) && Object.isFrozen(where.parts));
    const [either, above] = where.parts;
    assert.ok(either?.kind === 'any' && Object.isFrozen(either.parts));
    assert.ok(above?.kind === 'condition' && Object.isFrozen(above) && Object.isFrozen(above.operand));
  });

  const refused: Readonly<Record<string, unknown>> = {
    'the empty text': '',
    'text that is not JSON': '{title:1}',
    'a list': '[]',
    null: 'null',
    'an unknown field': { nickname: 1 },
    'a hidden column': { app_id: 'x' },
    'an unknown operator': { title: { $like: 'a' } },
    'an operator without a field': { $gt: 1 },
    $not: { title: { $not: { $gt: 'a' } } },
    'operators mixed with members': { 'metadata.n': { $gt: 1, x: 2 } },
    'an operator inside of a value': { 'metadata.a': { b: { $gt: 1 } } },
    '$or that is no array': { $or: { title: 'a' } },
    'an empty $or': { $or: [] },
    '33 alternatives': { $or: Array(33).fill({ title: 'a' }) },
    'an alternative that is no object': { $or: ['a'] },
    '$in without an array': { title: { $in: 'a' } },
    '257 values in a list': { whole: { $in: Array(257).fill(1) } },
    '$gt with null': { title: { $gt: null } },
    '$lt with a boolean': { flag: { $lt: true } },
    '$gte with an object': { place: { $gte: { x: 1 } } },
    '$exists with 1': { title: { $exists: 1 } },
    'an empty $all': { title: { $all: [] } },
    '$all with an object': { title: { $all: [{}] } },
    '$options alone': { title: { $options: 'i' } },
    'unknown $options': { title: { $regex: 'a', $options: 'x' } },
    '$regex with a number': { title: { $regex: 1 } },
    'a pattern of 257 characters': { title: { $regex: '😀'.repeat(257) } },
    'a date that is none': { createdAt: 'yesterday' },
    'a day that is none': { 'metadata.seen': { $in: ['2023-02-29'] } },
    'a Date object that is none': { title: { __type: 'Date', iso: 'x' } },
    '17 levels': nest(17),
    'a value of 17 levels': { 'metadata.a': nestArray(17) },
    '257 conditions': many(257),
    'more than 8 KiB': { title: 'a'.repeat(8192) },
    'a lone surrogate': '{"title":"\\ud800"}',
    'a lone surrogate in a name': '{"metadata.a":{"\\ud800":1}}',
    'U+0000': '{"title":"\\u0000"}',
    'a number that a double cannot hold': '{"size":1e400}',
    'a quote in a path': { 'metadata.a"b': 1 },
    'SQL in a path': { "metadata.a'; drop table records; --": 1 },
    'SQL as a field': { "1=1) or ('": 1 },
    'an empty segment': { 'metadata..a': 1 },
    'a path that begins with a digit': { 'metadata.0': 1 },
    'a segment of 65 characters': { [`metadata.${'a'.repeat(65)}`]: 1 },
    'a path of 9 segments': { 'metadata.a.b.c.d.e.f.g.h.i': 1 },
    'a path into a text column': { 'title.a': 1 },
    '__proto__ as a field': '{"__proto__":1}',
    'constructor as a field': { constructor: 1 },
  };
  for (const [what, where] of Object.entries(refused)) {
    it(`is refused with ${what}`, () => void refusal(() => parse(where)));
  }

  it('is refused in words where an operator is alone that belongs to another, or is none', () => {
    const words = (where: object) =>
      refusal(() => parse(where))
        .map(({ problem }) => problem)
        .join();
    assert.match(words({ title: { $options: 'i' } }), /has \$options without \$regex/);
    assert.match(words({ title: { $gt: 'a', $foo: 1 } }), /has the unknown operator "\$foo"; allowed are \$eq, /);
    assert.match(words({ title: { $gt: 'a', foo: 1 } }), /mixes operators with the member "foo"/);
  });

  it('is accepted at its limits', () => {
    const accepted: readonly unknown[] = [
      nest(16),
      many(256),
      { 'metadata.a': nestArray(16) },
      { whole: { $in: Array(256).fill(1) } },
      { $or: Array(32).fill({ title: 'a' }) },
      { title: { $regex: '😀'.repeat(256) } },
      { 'metadata.a.b.c.d.e.f.g.h': 1 },
      { [`metadata.${'a'.repeat(64)}`]: 1 },
      { title: 'a'.repeat(8192 - '{"title":""}'.length) },
    ];
    for (const where of accepted) assert.ok(parse(where));
  });

  // Each of these patterns is accepted alone; together they would keep every other request waiting.
  const heavy: Readonly<Record<string, (n: number) => string>> = {
    'classes that differ': (n) => `(?i)${n}[\\pL\\PN${String.fromCodePoint(0x4000 + n)}]{2}`,
    'ranges whose case is ignored': (n) => `(?i)[${String.fromCodePoint(0x100 + n)}-\\x{1ffff}]`,
    'one class many times': (n) => `${n}${'\\pL'.repeat(60)}`,
    'letters whose case is ignored': (n) =>
      `(?i)${Array.from({ length: 60 }, (_, index) => String.fromCodePoint(0x10a0 + n * 60 + index)).join('')}`,
    repetitions: (n) => `${n}(?:ab|cd){200}`,
  };
  for (const [what, pattern] of Object.entries(heavy)) {
    it(`is refused with too many patterns of ${what}, which are taken alone`, () => {
      const patterns = Array.from({ length: 100 }, (_, n) => pattern(n));
      for (const $regex of patterns) assert.ok(parse({ title: { $regex } }), $regex);
      const together = [];
      for (const $regex of patterns) {
        if (Buffer.byteLength(JSON.stringify([...together, { title: { $regex } }])) > 8_000) break;
        together.push({ title: { $regex } });
      }
      const where = { $or: [{ $or: together.slice(0, 32) }, { $or: [...together.slice(32, 64), { title: 'a' }] }] };
      const [problem] = refusal(() => parse(where));
      assert.match(problem?.problem ?? '', /too complex together/);
    });
  }

  it('takes the patterns of a search in many fields', () => {
    const where = (n: number) => ({ title: { $regex: `(?i)^[\\p{L}\\p{M}' -]+ ${n} gefäß.*(straße|str\\.)$` } });
    assert.ok(parse({ $or: Array.from({ length: 20 }, (_, n) => where(n)) }));
  });

  it('counts bytes and not characters', () => {
    refusal(() => parse({ title: 'é'.repeat(4096) }));
    refusal(() => parseWhereValue({ title: 'é'.repeat(4096) }, fields));
  });

  it('is refused quickly when it is hostile', () => {
    const started = process.cpuUsage();
    refusal(() => parse(`{"whole":{"$in":[${'1,'.repeat(40_000)}1]}}`));
    refusal(() => parseWhereValue({ whole: { $in: Array(40_000).fill(1) } }, fields));
    refusal(() => parse('['.repeat(8192)));
    refusal(() => parse(`${'{"$or":['.repeat(800)}${']}'.repeat(800)}`));
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    refusal(() => parseWhereValue({ 'metadata.a': deep }, fields));
    // In processor time, which other work on the machine does not change; work that grows with the square takes minutes.
    assert.ok(process.cpuUsage(started).user < 2_000_000);
  });

  it('lists every problem by field and says what is allowed', () => {
    const details = refusal(() => parse({ nickname: 1, title: { $like: 'a' }, createdAt: 'x', $not: 1 }));
    assert.deepEqual(
      details.map(({ field }) => field),
      ['nickname', 'title', 'createdAt', '$not'],
    );
    assert.match(details[1]?.problem ?? '', /\$regex/);
    assert.match(details[3]?.problem ?? '', /\$or/);
  });

  it('counts the last of duplicate keys', () => {
    const where = parse('{"$or":[{"title":"a"}],"$or":[{"title":"b"}]}');
    assert.deepEqual([matchesRecord(where, { title: 'a' }), matchesRecord(where, { title: 'b' })], [false, true]);
  });

  it('never touches prototypes', () => {
    const record = JSON.parse('{"metadata":{"__proto__":{"admin":true}}}');
    const where = parseWhere('{"metadata.admin":true}', fields);
    assert.equal(matchesRecord(where, record), false);
    assert.equal(matchesRecord(parse('{"metadata.__proto__":{"admin":true}}'), record), true);
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });

  it('must be given once', () => void refusal(() => parseWhere(['{}', '{}'], fields)));
});

describe('an order', () => {
  it('ends with the id, in the direction of the last field', () => {
    const read = (text: string | undefined) =>
      parseOrder(text, fields).map(({ name, descending }) => (descending ? '-' : '') + name);
    assert.deepEqual(read(undefined), ['objectId']);
    assert.deepEqual(read('title,-metadata.a.b'), ['title', '-metadata.a.b', '-objectId']);
    assert.deepEqual(read('-objectId,title'), ['-objectId']);
    assert.equal(parseOrder('a,b', () => fields('title'), 'x').length, 3);
  });

  for (const text of [
    '',
    'nickname',
    'title,',
    '--title',
    '+title',
    'title desc',
    'title,title,title,title,title',
    'title;',
  ]) {
    it(`is refused as ${JSON.stringify(text)}`, () => void refusal(() => parseOrder(text, fields)));
  }
});

describe('a page', () => {
  it('has defaults and bounds', () => {
    assert.deepEqual(parsePage({}), { limit: 100, skip: 0, count: false });
    assert.deepEqual(parsePage({}, 1000), { limit: 1000, skip: 0, count: false });
    assert.deepEqual(parsePage({ limit: '0', skip: '100000', count: '1' }), { limit: 0, skip: 100_000, count: true });
    assert.equal(parsePage({ limit: '9'.repeat(400) }).limit, 1000);
  });

  for (const value of ['', '-1', '1.5', '1e3', ' 1', '0x10', 'ten', 'NaN', ['1', '2'], 7]) {
    for (const name of ['limit', 'skip', 'count']) {
      it(`refuses ${name}=${JSON.stringify(value)}`, () => {
        assert.deepEqual(refusal(() => parsePage({ [name]: value }))[0]?.field, name);
      });
    }
  }
  it('refuses what is out of range', () => {
    assert.equal(refusal(() => parsePage({ skip: '100001', count: '2' })).length, 2);
  });
});
