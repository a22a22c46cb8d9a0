import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { PharosClient, type PharosError, SightingQueue } from '../src/index.ts';

const body = { installationId: 'hung-phone', deviceType: 'ios' } as const;
const turns = async () => {
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
};

describe('a keychain that does not answer', () => {
  let answers: ((text: string | null) => void)[];
  let saved: string[];
  let sent: (string | null)[];
  let phone: PharosClient;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    [answers, saved, sent] = [[], [], []];
    phone = new PharosClient({
      baseUrl: 'https://pharos.example.org',
      appId: 'app',
      appKey: 'key',
      retry: false,
      secretStorage: {
        load: () => new Promise<string | null>((resolve) => void answers.push(resolve)),
        save: (text) => void saved.push(text),
      },
      fetch: async (_url, request) => {
        sent.push(new Headers(request?.headers).get('Installation-Secret'));
        return Response.json({ result: { objectId: 'o', createdAt: '2026-01-01T00:00:00.000Z' } }, { status: 201 });
      },
    });
  });
  afterEach(async () => {
    // What still waits for it ends.
    mock.timers.tick(10_000);
    await turns();
    mock.timers.reset();
  });

  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('nothing was refused'),
      (error: PharosError) => error,
    );

  test('does not keep a call that is given up', async () => {
    const ending = new AbortController();
    const given = errorOf(phone.installations.register(body, { signal: ending.signal }));
    await turns();
    ending.abort(new Error('left'));
    assert.equal((await given).message, 'left');
  });

  test('ends the call after a while, and holds up no sightings', async () => {
    const refused = errorOf(phone.installations.register(body));
    const queue = new SightingQueue(phone, {
      installationId: 'hung-phone',
      storage: { load: () => null, save: () => undefined },
    });
    const added = queue.add({ beacon: 'b' });
    await turns();
    mock.timers.tick(10_000);
    const { name, retriable } = await refused;
    assert.deepEqual([name, retriable, sent], ['StorageFailed', true, []]);
    await added;
    assert.equal(queue.size, 1);
  });

  test('and answers after all does not replace the secret that the service knows', async () => {
    const refused = errorOf(phone.installations.register(body));
    await turns();
    mock.timers.tick(10_000);
    await refused;
    const registered = phone.installations.register(body);
    await turns();
    answers[1]?.(null);
    assert.equal((await registered).objectId, 'o');
    answers[0]?.(null);
    await turns();
    assert.deepEqual(saved, sent);
  });
});
