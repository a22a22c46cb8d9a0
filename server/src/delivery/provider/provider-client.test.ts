import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type PushProvider, startPushProvider } from '../../../test/fakes/push-provider.ts';
import { patientMs } from '../../../test/support/patience.ts';
import { abortOnceOver } from '../../base/flow/late-abort.ts';
import { isAnswer } from './provider-answer.ts';
import { ProviderClient, type ProviderClientOptions } from './provider-client.ts';
import { publicLookup } from './public-address.ts';

const never = new AbortController().signal;

describe('requests to a provider', () => {
  let provider: PushProvider;
  beforeAll(async () => {
    provider = await startPushProvider({ maxConcurrentStreams: 10 });
  });
  afterAll(() => provider.close());

  function client(more: Partial<ProviderClientOptions> = {}): ProviderClient {
    const { origin, ca } = provider;
    return new ProviderClient({ origin, ca, timeoutMs: patientMs, connections: 3, ...more });
  }
  const request = (name: string) => ({ path: `/push/${name}`, headers: { ttl: 1 }, body: 'x' });

  test('more at once than the provider takes wait, on no more connections than allowed', async () => {
    const [pool, before] = [client(), provider.connections];
    const answers = await Promise.all(Array.from({ length: 500 }, () => pool.send(request('a'), never)));
    assert.ok(answers.every((answer) => isAnswer(answer) && answer.status === 400));
    assert.ok(provider.peak <= 10, `${provider.peak} at once`);
    assert.ok(provider.connections - before <= 3, `${provider.connections - before} connections`);
    await pool.close();
  });

  test('a connection that says nothing is left; the next requests take another', async () => {
    const [pool, before] = [client({ timeoutMs: 5_000, connections: 1 }), provider.connections];
    provider.tell('b', 'hang');
    const silent = await pool.send(request('b'), never);
    assert.equal('noAnswer' in silent && silent.noAnswer, 'timeout');
    assert.ok(isAnswer(await pool.send(request('b'), never)));
    assert.equal(provider.connections - before, 2);
    await pool.close();
  });

  test('requests that wait for a stream end at the time-out, too', async () => {
    const pool = client({ timeoutMs: 300, connections: 1 });
    provider.tell('c', ...Array.from({ length: 100 }, () => 'hang' as const));
    const ends = await Promise.all(Array.from({ length: 30 }, () => pool.send(request('c'), never)));
    assert.ok(
      ends.every((end) => 'noAnswer' in end && end.noAnswer === 'timeout'),
      JSON.stringify(ends),
    );
    await pool.close();
  });

  test('what waits for a stream is not sent any more once it is over, although nobody has said so yet', async () => {
    const pool = client({ connections: 1 });
    await pool.send(request('late'), never);
    const controller = new AbortController();
    const isOver = { now: false };
    abortOnceOver(controller, () => isOver.now);
    const before = provider.received.length;
    const reached = provider.reached('late');
    const all = Promise.all(Array.from({ length: 50 }, () => pool.send(request('late'), controller.signal)));
    await reached;
    isOver.now = true;
    const stopped = (await all).filter((end) => 'noAnswer' in end && end.noAnswer === 'stopped');
    assert.ok(provider.received.length - before <= 10, `${provider.received.length - before} were sent`);
    assert.ok(stopped.length >= 40, `${stopped.length} were stopped`);
    const [end] = await Promise.all([pool.send(request('late'), controller.signal)]);
    assert.equal('noAnswer' in end && end.noAnswer, 'stopped');
    await pool.close();
  });

  test('a name that resolves to this machine is not connected to', async () => {
    const [pool, before] = [client({ lookup: publicLookup }), provider.connections];
    const end = await pool.send(request('d'), never);
    assert.deepEqual('noAnswer' in end && [end.noAnswer, /not on the public internet/.test(end.text)], [
      'refused',
      true,
    ]);
    assert.equal(provider.connections, before);
    await pool.close();
  });

  test('a provider that lacks the required HTTP/2 is reported', async () => {
    const old = await startPushProvider({ http1: true });
    const pool = client({ origin: old.origin, ca: old.ca });
    const end = await pool.send(request('e'), never);
    assert.equal('noAnswer' in end && end.noAnswer, 'unreachable');
    await pool.close();
    await old.close();
  });

  test('an answer without end is not read to its end', async () => {
    const old = await startPushProvider({ http1: true });
    for (const [{ origin, ca, tell }, http1] of [
      [provider, false],
      [old, true],
    ] as const) {
      const pool = client({ origin, ca, http1 });
      tell('h', { status: 400, body: 'x'.repeat(10_000_000) });
      const end = await pool.send(request('h'), never);
      assert.match('noAnswer' in end ? end.text : 'it was read', /the answer is too long/);
      assert.ok(isAnswer(await pool.send(request('h'), never)));
      await pool.close();
    }
    await old.close();
  });

  test('the reason with which a provider closes a connection reaches the waiting requests', async () => {
    const [pool, before] = [client({ connections: 1 }), provider.connections];
    provider.tell('i', 'goaway');
    const end = await pool.send(request('i'), never);
    assert.match('noAnswer' in end ? end.text : '', /closed the connection \(GOAWAY 0\) \{"reason":"Shutdown"\}/);
    assert.ok(isAnswer(await pool.send(request('i'), never)));
    assert.equal(provider.connections - before, 2);
    await pool.close();
  });

  test('a header that HTTP does not allow ends its own request only', async () => {
    const pool = client();
    assert.ok(isAnswer(await pool.send(request('f'), never)));
    const before = provider.connections;
    for (const value of ['a\r\nb: c', 'a\u0000', '⛵']) {
      const end = await pool.send({ path: '/push/f', headers: { ttl: value }, body: '' }, never);
      assert.ok('noAnswer' in end || end.status >= 400, JSON.stringify(end));
      assert.ok(isAnswer(await pool.send(request('f'), never)));
    }
    assert.equal(provider.connections, before);
    await pool.close();
  });

  test('closing waits for the answers to calls that were made before', async () => {
    const pool = client({ connections: 1 });
    const calls = Array.from({ length: 30 }, () => pool.send(request('g'), never));
    let answered = 0;
    for (const call of calls) void call.then((end) => (answered += isAnswer(end) ? 1 : 0));
    await pool.close();
    assert.equal(answered, 30);
    assert.deepEqual(await pool.send(request('g'), never), { noAnswer: 'stopped', text: 'the service is stopping' });
  });

  test('closing an unused client ends at once', async () => {
    let isClosed = false;
    const closing = client()
      .close()
      .then(() => {
        isClosed = true;
      });
    // Nothing has to be awaited, so a few ticks of the event loop are enough.
    for (let turn = 0; turn < 10 && !isClosed; turn++) await setImmediate();
    assert.ok(isClosed);
    await closing;
  });
});
