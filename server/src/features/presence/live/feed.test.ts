import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { test } from 'vitest';
import { Failure } from '../../../base/errors.ts';
import type { Sql } from '../../../base/sql.ts';
import type { Database } from '../../../db/db.ts';
import { Feed, streamLimits } from './feed.ts';
import type { LiveEvent } from './store.ts';

/** No stream here goes as far as the database. */
const feed = () =>
  new Feed({ db: undefined as never, cacheVersion: undefined as never, now: Date.now, onError: assert.fail });
const refusedFor = (words: string) => (error: unknown) =>
  error instanceof Failure && error.entry.name === 'APICallLimit' && error.message.includes(words);

/** Opens a stream; the result hangs up. */
function open(of: Feed, appId: string, address: string): () => Promise<void> {
  const events = of.open({ appId, address, after: undefined });
  return async () => {
    for await (const _ of events(AbortSignal.abort()));
  };
}

test('the streams of an address are bounded, those of others are not, and who hangs up makes room', async () => {
  const live = feed();
  const listeners = Array.from({ length: streamLimits.perAddress }, () => open(live, 'app', '192.0.2.1'));
  for (let round = 0; round < 2; round++) {
    assert.throws(() => open(live, 'app', '192.0.2.1'), refusedFor('20 streams of one address'));
    await open(live, 'app', '192.0.2.2')();
    await open(live, 'other', '192.0.2.1')();
    await listeners.pop()?.();
    listeners.push(open(live, 'app', '192.0.2.1'));
  }
  for (const hangUp of listeners) await hangUp();
  for (const _ of listeners) open(live, 'app', '192.0.2.1');
});

test('the streams of an app are bounded, those of another are not, and who hangs up makes room', async () => {
  const live = feed();
  const listeners = Array.from({ length: streamLimits.perApp }, (_, index) => open(live, 'app', `192.0.2.${index}`));
  for (let round = 0; round < 2; round++) {
    assert.throws(() => open(live, 'app', '198.51.100.1'), refusedFor('100 streams of this app'));
    await open(live, 'other', '198.51.100.1')();
    await listeners.pop()?.();
    listeners.push(open(live, 'app', '198.51.100.1'));
  }
});

test('a listener gets a comment 15 s after what it was sent last, whatever happens that it is not shown', async (t) => {
  t.onTestFinished(() => mock.reset());
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let clock = 0;
  mock.method(performance, 'now', () => clock);
  const soon = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const wait = async (ms: number) => {
    clock += ms;
    mock.timers.tick(ms);
    await soon();
  };
  // As much of a database as a stream needs: what is new, once.
  let news: LiveEvent[] = [];
  const app = { app_id: 'app', seq: 1, floor_seq: 1, wanted_until: Infinity, positions_until: Infinity };
  const db = {
    readsAreLocal: true,
    one: async ({ strings }: Sql) => (strings.join('').includes('live_apps') ? app : undefined),
    all: async () => news.splice(0),
  } as unknown as Database;
  const live = new Feed({
    db,
    cacheVersion: { change: async () => undefined as never },
    now: () => 1,
    onError: assert.fail,
  });
  const hidden = async (seq: number) => {
    news = [{ seq, event: 'presence.enter', data: '{}' }];
    live.poll('app');
    await soon();
  };
  const hangUp = new AbortController();
  const heard: string[] = [];
  const listening = (async () => {
    const told = live.open({ appId: 'app', address: '192.0.2.1', after: undefined, show: async () => [] });
    for await (const text of told(hangUp.signal)) heard.push(text);
  })();
  await soon();
  assert.equal(heard.splice(0).length, 2, 'how long to wait, and ready');
  for (const first of [2, 4]) {
    await wait(9_000);
    await hidden(first);
    await wait(5_900);
    await hidden(first + 1);
    assert.deepEqual(heard, []);
    await wait(100);
    assert.deepEqual(heard.splice(0), [': \n\n']);
  }
  hangUp.abort();
  await listening;
  live.stop();
});
