import assert from 'node:assert/strict';
import { beforeEach, test, vi } from 'vitest';
import { FairQueue } from '../../../../base/fair-queue.ts';
import { followGroup, type Listener, ListGroup } from './group.ts';
import type { Page } from './steps.ts';

const pageOf = (...texts: string[]): Page => ({
  results: texts.map((text, n) => ({ objectId: `record-${n}`, text })),
});

/** The list's answer, who is answered the same, which records are of it, and how often it was read. */
let answer: { page: Page; sharedAs: string | undefined; of: readonly string[]; reads: number };
let group: ListGroup;
beforeEach(() => {
  answer = { page: pageOf('a'), sharedAs: 'everybody', of: ['record-0'], reads: 0 };
  group = new ListGroup('app', { table: 'records', sharedAs: 'everybody' }, new FairQueue(1, 60_000));
});

function listener(sharedAs = () => answer.sharedAs): Listener & { readonly over: AbortController } {
  const over = new AbortController();
  const ask = async () => {
    const shared = sharedAs();
    return {
      table: 'records',
      ...(shared === undefined ? {} : { sharedAs: shared }),
      mayHave: async (ids: readonly string[]) => ids.some((id) => answer.of.includes(id)),
      read: async () => {
        answer.reads++;
        return answer.page;
      },
    };
  };
  const one = { list: { query: {}, check: async () => undefined, ask }, end: () => over.abort(), over };
  group.join(one);
  return one;
}

async function change(page: Page): Promise<void> {
  answer.page = page;
  group.note(['record-0']);
  await group.now();
}

test('one who is far behind is sent the list as it is, and what is kept for others is bounded', async () => {
  const { over } = listener();
  const events = followGroup(group, undefined, { signal: over.signal, heartbeatMs: 60_000 });
  const next = async () => String((await events.next()).value);
  assert.match(await next(), /event: list\ndata: \{"results":\[\{"objectId":"record-0","text":"a"\}\]\}/);
  await change(pageOf('b'));
  await change(pageOf('b', 'c'));
  assert.match(await next(), /event: changed\n.*"b".*event: entered\n.*"c"/s);
  const behind = (await group.now()).state.name;
  for (let n = 0; n < 6; n++) await change(pageOf('x'.repeat(50_000) + n));
  assert.equal(group.since(behind), undefined);
  assert.match(await next(), /event: list\ndata: \{"results":\[\{"objectId":"record-0","text":"x+5"\}\]\}/);
  const last = (await group.now()).state.name;
  await change(pageOf('x'.repeat(600_000)));
  assert.equal(group.since(last), undefined, 'a step that is longer than all that is kept');
  assert.match(await next(), /event: list/);
});

test('no comment comes within a minute of an event', async () => {
  const clock = { now: 0 };
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => clock.now);
  try {
    const { over } = listener();
    const events = followGroup(group, undefined, { signal: over.signal, heartbeatMs: 60_000 });
    const next = async () => String((await events.next()).value);
    await next();
    await change(pageOf('b'));
    assert.match(await next(), /event: changed/);
    // Once nothing is being read: a list whose reading took a minute is left alone for a while.
    await new Promise(setImmediate);
    clock.now = 60_000;
    const third = next();
    await change(pageOf('c'));
    assert.match(await third, /event: changed/);
  } finally {
    spy.mockRestore();
  }
});

test('records of others are not read, and one reading is for all', async () => {
  listener();
  listener();
  await Promise.all(Array.from({ length: 9 }, () => group.now()));
  assert.equal(answer.reads, 2, 'one for the first, and one for all who came while it ran');
  group.note(['another']);
  await group.turns.run('app', async () => undefined);
  assert.equal(answer.reads, 2);
  await change(pageOf('b'));
  assert.equal(answer.reads, 3);
});

test('a listener who is no longer answered the same leaves, and the list is asked as another', async () => {
  let shared: string | undefined = 'everybody';
  const [one, other] = [listener(() => shared), listener()];
  await group.now();
  for (const answered of ['somebody', undefined]) {
    shared = answered;
    group.join(one);
    await change(pageOf(`b ${answered}`));
    assert.deepEqual([one.over.signal.aborted, other.over.signal.aborted], [true, false]);
  }
  answer.sharedAs = undefined;
  await assert.rejects(change(pageOf('c')));
  assert.deepEqual([other.over.signal.aborted, group.isEmpty], [true, true]);
  await assert.rejects(group.now(), 'and nobody waits for it');
});
