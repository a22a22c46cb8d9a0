import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../base/errors.ts';
import { Feed, streamLimits } from './feed.ts';

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
