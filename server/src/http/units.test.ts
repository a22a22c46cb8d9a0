import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { runs } from '../../test/support/depth.ts';
import { newObjectId } from '../base/id.ts';
import { clientNetwork, RateLimiter } from '../limits/rate-limit.ts';
import { mergePatch } from '../resources/merge-patch.ts';
import { parseJsonBody } from './server/json-body.ts';

describe('a JSON body', () => {
  const parse = (text: string) => parseJsonBody(Buffer.from(text));
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  test('is taken up to each limit and refused beyond it', () => {
    parse(nested(64));
    assert.throws(() => parse(nested(65)), { name: 'InvalidJSON', message: /64 levels/ });
    parse(`[${Array(99_999).fill('0').join(',')}]`);
    assert.throws(() => parse(`[${Array(100_001).fill('0').join(',')}]`), {
      name: 'InvalidJSON',
      message: /100000 members/,
    });
    parse('1.7976931348623157e308');
    assert.throws(() => parse('[1e309]'), { name: 'InvalidJSON', message: /too large/ });
  });

  test('may hold any well-formed text, and nothing that a database cannot keep', () => {
    assert.deepEqual(parse('{"\\ud83d\\ude00":"\\u00e9"}'), { '😀': 'é' });
    for (const text of ['"\\ud800"', '"\\u0000"', '{"\\ud800":1}', '{"a":["\\udc00"]}']) {
      assert.throws(() => parse(text), { name: 'InvalidJSON' }, text);
    }
    assert.throws(() => parseJsonBody(Buffer.from([0x22, 0xc3, 0x28, 0x22])), {
      name: 'InvalidJSON',
      message: /UTF-8/,
    });
  });

  test('comes back as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('\\u0000') || !text.isWellFormed()) return;
        assert.deepEqual(parse(text), JSON.parse(text));
      }),
      runs(100),
    );
  });

  test('is never repeated in the message', () => {
    assert.throws(
      () => parse('{"password":"secret", oops'),
      (error: Error) => !/secret|password|oops/.test(error.message),
    );
  });
});

describe('a merge patch', () => {
  // The table of appendix A of RFC 7396.
  const cases: [unknown, unknown, unknown][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];

  test('does what RFC 7396 shows', () => {
    for (const [target, patch, result] of cases) assert.deepEqual(mergePatch(target, patch), result);
  });

  test('treats __proto__ as a member and reaches no prototype', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}')) as object;
    assert.ok(Object.hasOwn(merged, '__proto__'));
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });
});

describe('the rate limit', () => {
  const rule = { perSecond: 2, burst: 4 };

  test('lets a burst through, then the steady pace, and says when to come back', () => {
    const limiter = new RateLimiter();
    for (let n = 0; n < 4; n++) limiter.take('k', rule, 1000);
    assert.throws(() => limiter.take('k', rule, 1000), { name: 'APICallLimit', retryAfter: 1 });
    limiter.take('k', rule, 1500);
    assert.throws(() => limiter.take('k', rule, 1500), { name: 'APICallLimit' });
    limiter.take('other', rule, 1500);
  });

  test('never lets more than the burst and the pace through, whatever the times', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2000), { maxLength: 200 }), (steps) => {
        const limiter = new RateLimiter();
        let now = 0;
        let taken = 0;
        for (const step of steps) {
          now += step;
          try {
            limiter.take('k', rule, now);
            taken++;
          } catch {}
        }
        assert.ok(taken <= rule.burst + (now / 1000) * rule.perSecond);
      }),
      runs(100),
    );
  });

  test('does not take tokens away when the clock is set back', () => {
    const limiter = new RateLimiter();
    limiter.take('k', rule, 10_000);
    for (let n = 0; n < 3; n++) limiter.take('k', rule, 1);
  });

  test('forgets the oldest keys instead of growing', () => {
    const limiter = new RateLimiter(10);
    const takeAll = (key: string) => {
      for (let n = 0; n < rule.burst; n++) limiter.take(key, rule, 10_000);
    };
    takeAll('old');
    assert.throws(() => limiter.take('old', rule, 10_000), { name: 'APICallLimit' });
    for (let n = 0; n < 9; n++) limiter.take(`key ${n}`, rule, 10_000);
    assert.throws(() => limiter.take('old', rule, 10_000), { name: 'APICallLimit' }, 'there is room for ten');
    limiter.take('one too many', rule, 10_000);
    takeAll('old');
  });

  test('counts an IPv6 subscriber as one, and IPv4 in IPv6 as IPv4', () => {
    assert.equal(clientNetwork('2001:db8:1:2:3:4:5:6'), clientNetwork('2001:db8:1:2::9'));
    assert.notEqual(clientNetwork('2001:db8:1:2::9'), clientNetwork('2001:db8:1:3::9'));
    assert.equal(clientNetwork('::ffff:192.0.2.7'), '192.0.2.7');
    assert.notEqual(clientNetwork('::1'), clientNetwork('2001:db8::1'));
  });
});

describe('an objectId', () => {
  test('has 20 letters and digits and sorts by the time it was made', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31), fc.nat(2 ** 31), (a, b) => {
        const [first, second] = [newObjectId(a * 100), newObjectId(b * 100)];
        assert.match(first, /^[0-9A-Za-z]{20}$/);
        if (a !== b) assert.equal(first < second, a < b);
      }),
      runs(100),
    );
  });

  test('sorts by creation within a millisecond too, also while others are made of other times', () => {
    const times = [7, 5, 7, 6, 7, 5, 6];
    const made = Array.from({ length: 20_000 }, (_, n) => ({ time: times[n % 7] ?? 0, id: '' }));
    for (const one of made) one.id = newObjectId(one.time);
    for (const time of [5, 6, 7]) {
      const ids = made.filter((one) => one.time === time).map(({ id }) => id);
      assert.deepEqual(ids, ids.toSorted());
    }
  });

  test('does not tell the next one: steps differ and are large', () => {
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const numberOf = (id: string) =>
      [...id].reduce((value, digit) => value * 62n + BigInt(alphabet.indexOf(digit)), 0n);
    const values = Array.from({ length: 1_000 }, () => numberOf(newObjectId(99)));
    const steps = values.slice(1).map((value, index) => value - (values[index] ?? 0n));
    assert.equal(new Set(steps).size, steps.length);
    // A step has 53 bits: that one of a thousand is this small happens once in ten thousand runs.
    assert.ok(steps.every((step) => step > 2n ** 30n));
  });

  test('is not made twice', () => {
    assert.equal(new Set(Array.from({ length: 20_000 }, () => newObjectId(1))).size, 20_000);
  });
});
