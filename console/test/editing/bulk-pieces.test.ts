import assert from 'node:assert/strict';
import { afterEach, test } from 'vitest';
import { send, whyNotBack } from '../../src/components/bulk/bulk-pieces.ts';
import { signingIn } from '../../src/lib/data/signing-in.ts';

/** More records than the service takes at once, while it stops answering in between. */

const ids = Array.from({ length: 1_100 }, (_, n) => `b${n}`);
const body = { operation: 'patchBeacon', ids, change: { radius: 5 } } as const;
const known = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = known;
});

interface Sent {
  readonly ids: readonly string[];
}

/** Answers the requests one after the other. */
function answering(...answers: readonly ((sent: Sent) => readonly [status: number, body: object])[]) {
  let count = 0;
  globalThis.fetch = async (_url, init) => {
    const [status, answer] = answers[count++]?.(JSON.parse(String(init?.body)) as Sent) ?? [500, {}];
    return new Response(JSON.stringify(answer), { status, headers: { 'content-type': 'application/json' } });
  };
}
const allDone = ({ ids }: Sent) =>
  [
    200,
    { result: { done: ids, changed: ids.map((objectId) => ({ objectId, updatedAt: 'now' })), failed: [] } },
  ] as const;
const busy = () =>
  [503, { error: { code: 124, name: 'Timeout', error: 'The service is busy.' }, status: 503 }] as const;

test('if the service fails, what was done is reported, with the reason for the rest, and can be undone', async () => {
  answering(allDone, busy);
  const { done, changed, failed } = await send('app', { ...body, ids });
  assert.deepEqual([done.length, changed.length, failed.length], [500, 500, 600]);
  assert.equal(failed[0]?.objectId, 'b500');
  assert.match(failed[0]?.message ?? '', /busy/);
});

test('all requests of one change have one entry in the audit, from the first of which something was done', async () => {
  const addresses: string[] = [];
  const entries = [undefined, 'a1', 'a1'];
  globalThis.fetch = async (url, init) => {
    addresses.push(String(url).replace(/^[^?]*/, ''));
    const { ids } = JSON.parse(String(init?.body)) as Sent;
    const entry = entries[addresses.length - 1];
    const result = { done: entry ? ids : [], changed: [], failed: [], ...(entry ? { entry } : {}) };
    return new Response(JSON.stringify({ result }), { headers: { 'content-type': 'application/json' } });
  };
  await send('app', { ...body, ids });
  assert.deepEqual(addresses, ['', '', '?continues=a1']);
});

test('with nothing done it is an error', async () => {
  answering(busy);
  await assert.rejects(send('app', { ...body, ids }), /busy/);
});

test('an undo says of each record that stays why: changed since, or gone', () => {
  const failed = [
    { objectId: 'b1', error: 'PreconditionFailed', message: 'The record was changed.' },
    { objectId: 'b2', error: 'ObjectNotFound', message: 'There is no beacon with this objectId.' },
  ];
  const why = whyNotBack(failed, (id) => `Beacon ${id}`);
  assert.equal(
    why,
    'These stay as they are, because they were changed since: Beacon b1. Beacon b2: There is no beacon with this objectId.',
  );
});

test('where the session ends in between, it goes on after signing in again, and does nothing twice', async () => {
  const asked: string[][] = [];
  const noting = (sent: Sent) => {
    asked.push([...sent.ids]);
    return allDone(sent);
  };
  const signedOut = () =>
    [403, { error: { code: 209, name: 'InvalidSessionToken', error: 'Sign in again.' }, status: 403 }] as const;
  answering(noting, signedOut, noting, noting);
  // As the dialog does, once it is open.
  const stop = signingIn.subscribe(() => signingIn.isAsked() && queueMicrotask(() => signingIn.answer(true)));
  try {
    const { done, failed } = await send('app', { ...body, ids });
    assert.deepEqual([done.length, failed], [1_100, []]);
    assert.deepEqual(asked.flat(), ids);
  } finally {
    stop();
  }
});
