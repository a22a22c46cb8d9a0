import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { fail } from '../base/errors.ts';
import { Batcher, type BatcherOptions } from './batcher.ts';

interface Item {
  readonly tenant: string;
  readonly n: number;
  readonly weight?: number;
}

/** A batcher whose runs end when they are told to, and what each of them held. */
function openBatcher(
  over: Partial<Pick<BatcherOptions<Item, string>, 'slots' | 'most' | 'maxWeight' | 'subjectOf'>> = {},
) {
  const runs: string[][] = [];
  const ends: (() => void)[] = [];
  const nameOf = ({ tenant, n }: Item) => `${tenant}${n}`;
  const hold = async (items: readonly Item[]) => {
    runs.push(items.map(nameOf));
    await new Promise<void>((resolve) => ends.push(resolve));
  };
  const failures = new Map<string, Error>();
  const batcher = new Batcher<Item, string>({
    slots: 1,
    most: 4,
    maxWeight: 10,
    ...over,
    weigh: ({ weight = 1 }) => weight,
    tenantOf: ({ tenant }) => tenant,
    async run(items) {
      await hold(items);
      const failed = items.map((item) => failures.get(nameOf(item))).find((error) => error);
      if (failed) throw failed;
      return items.map((item) => (item.n < 0 ? undefined : `${nameOf(item)} together`));
    },
    async runAlone(item) {
      await hold([item]);
      const failed = failures.get(nameOf(item));
      if (failed) throw failed;
      return `${nameOf(item)} alone`;
    },
  });
  const add = (...items: Item[]) => items.map((item) => batcher.add(item));
  /** Ends what runs until nothing is left. */
  const finish = async <T>(promises: readonly Promise<T>[]) => {
    const all = Promise.allSettled(promises);
    let isDone = false;
    void all.then(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const end of ends.splice(0)) end();
    }
    return (await all).map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message));
  };
  return { add, finish, runs, failures };
}

const of = (tenant: string, ...numbers: number[]): Item[] => numbers.map((n) => ({ tenant, n }));

describe('batcher', () => {
  test('one item runs alone; what comes meanwhile runs together', async () => {
    const { add, finish, runs } = openBatcher();
    const first = add(...of('a', 1));
    await new Promise((resolve) => setImmediate(resolve));
    const rest = add(...of('a', 2, 3, 4));
    assert.deepEqual(await finish([...first, ...rest]), ['a1 alone', 'a2 together', 'a3 together', 'a4 together']);
    assert.deepEqual(runs, [['a1'], ['a2', 'a3', 'a4']]);
  });

  test('what arrives in one tick of the event loop runs together', async () => {
    const { add, finish, runs } = openBatcher();
    await finish(add(...of('a', 1, 2)));
    assert.deepEqual(runs, [['a1', 'a2']]);
  });

  test('tenants take turns', async () => {
    const { add, finish, runs } = openBatcher();
    await finish(add(...of('a', 1, 2, 3, 4, 5), ...of('b', 1), ...of('c', 1, 2)));
    assert.deepEqual(runs, [
      ['a1', 'b1', 'c1', 'a2'],
      ['c2', 'a3', 'a4', 'a5'],
    ]);
  });

  test('a run holds no more than it may, and something too heavy runs alone', async () => {
    const { add, finish, runs } = openBatcher({ most: 3 });
    const heavy = { tenant: 'a', n: 3, weight: 11 };
    await finish(add(...of('a', 1, 2), heavy, ...of('a', 4, 5, 6, 7)));
    assert.deepEqual(runs, [['a1', 'a2'], ['a3'], ['a4', 'a5', 'a6'], ['a7']]);
  });

  test('of items that work on the same one runs at a time, and the others are not held up', async () => {
    const { add, finish, runs } = openBatcher({ slots: 2, subjectOf: ({ tenant, n }) => `${tenant}${n % 10}` });
    const results = await finish(add(...of('a', 1, 11, 21, 2, 12), ...of('b', 1, 3)));
    assert.equal(new Set(results).size, 7);
    assert.deepEqual(runs, [['a1', 'b1', 'a2', 'b3'], ['a11', 'a12'], ['a21']]);
  });

  test('what waits for its turn is taken by as many runs as there may be', async () => {
    const { add, finish, runs } = openBatcher({ slots: 2, most: 2, subjectOf: ({ n }) => `${n % 2}` });
    await finish(add(...of('a', 1, 2, 3, 4)));
    assert.deepEqual(runs, [
      ['a1', 'a2'],
      ['a3', 'a4'],
    ]);
  });

  test('an item that cannot run with the others runs alone', async () => {
    const { add, finish } = openBatcher();
    assert.deepEqual(await finish(add(...of('a', 1, -2, 3))), ['a1 together', 'a-2 alone', 'a3 together']);
  });

  test('an item that fails fails alone', async () => {
    const { add, finish, failures } = openBatcher();
    failures.set('a2', new Error('bad'));
    assert.deepEqual(await finish(add(...of('a', 1, 2, 3))), ['a1 alone', 'bad', 'a3 alone']);
  });

  for (const [what, error] of [
    ['nothing answers', fail('Timeout', { message: 'gone' })],
    ['the database does not take the statement', Object.assign(new Error('gone'), { code: '0A000' })],
    ['the statement is wrong', Object.assign(new Error('gone'), { code: '42P01' })],
  ] as const)
    test(`when ${what}, nothing is tried again`, async () => {
      const { add, finish, failures, runs } = openBatcher();
      failures.set('a2', error);
      assert.deepEqual(await finish(add(...of('a', 1, 2, 3))), ['gone', 'gone', 'gone']);
      assert.equal(runs.length, 1);
    });
});
