import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, signInManager, type TestApp } from '../../server/test/support/build-app.ts';
import { operations, PharosClient, type PharosError, subscribe } from '../src/index.ts';

interface Entry {
  readonly text: string;
  readonly stars: number;
}

describe('lists that are followed, against the service', () => {
  let app: TestApp;
  let client: PharosClient<{ guestbook: Entry }>;
  /** Cuts the newest connection. */
  let cut = () => {};
  beforeAll(async () => {
    app = await buildApp();
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    await app.app.buckets.createBucket(app.appId, 'guestbook');
    client = new PharosClient({
      baseUrl: `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`,
      appId: app.appId,
      appKey: app.appKey,
      token: (await signInManager(app)).token,
      async fetch(url, request) {
        const ending = new AbortController();
        if (String(url).includes('/stream')) cut = () => ending.abort();
        const signal = request?.signal ? AbortSignal.any([request.signal, ending.signal]) : ending.signal;
        return fetch(url, { ...request, signal });
      },
    });
  });
  afterAll(() => {
    // One that fetch has opened for a request that was cut off before it was sent would be waited for.
    app.app.server.server.closeAllConnections();
    return app.close();
  });

  /** What was told, and a wait for something that it says. */
  function told() {
    const said: string[] = [];
    let wake = () => {};
    const say = (what: string) => {
      said.push(what);
      wake();
    };
    const until = async (what: string) => {
      while (!said.includes(what))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return said.splice(0);
    };
    return { say, until };
  }

  test('a bucket tells its records, what enters, changes and leaves, and after a break what is different by then', async () => {
    const guestbook = client.bucket('guestbook');
    const { say, until } = told();
    const { objectId } = await guestbook.create({ text: 'a', stars: 1 });
    const stream = subscribe(
      client,
      operations.listRecords,
      {
        params: { bucketName: 'guestbook' },
        query: { where: { 'metadata.stars': { $gt: 0 } }, order: '-metadata.stars', limit: 2 },
      },
      {
        onRecords: (records) => say(records.map(({ metadata }) => metadata.text).join()),
        onEntered: ({ metadata: { text } }) => say(`+${text}`),
        onChanged: ({ metadata }, { metadata: before }) => say(`${before.stars}>${metadata.stars}`),
        onLeft: ({ metadata }) => say(`-${metadata.text}`),
        onState: say,
        onRefused: (error: PharosError) => say(`refused ${error.status}`),
      },
    );
    assert.deepEqual(await until('a'), ['open', '+a', 'a']);
    await guestbook.create({ text: 'b', stars: 3 });
    assert.deepEqual(await until('b,a'), ['+b', 'b,a']);
    const c = await guestbook.create({ text: 'c', stars: 2 });
    assert.deepEqual(await until('b,c'), ['-a', '+c', 'b,c']);
    cut();
    await until('waiting');
    await guestbook.update(objectId, { stars: 5 });
    assert.deepEqual(await until('a,b'), ['open', '-c', '+a', 'a,b']);
    await guestbook.delete(c.objectId);
    await guestbook.update(objectId, { stars: 4 });
    assert.deepEqual(await until('a,b'), ['5>4', 'a,b']);
    cut();
    assert.deepEqual(await until('open'), ['waiting', 'open'], 'nothing is told again');
    stream.close();
    await until('closed');
  });

  test('other lists, those of any operation, and a refusal', async () => {
    const { say, until } = told();
    const beacons = subscribe(client, operations.listBeacons, {}, { onEntered: ({ name }) => say(name) });
    const users = subscribe(client, operations.listUsers, {}, { onRecords: ({ length }) => say(`${length} users`) });
    await until('1 users');
    await client.beacons.create({ name: 'Hall', uuid: 'u', major: 1, minor: 1 });
    await until('Hall');
    for (const stream of [beacons, users]) stream.close();
    const refused = subscribe(
      client,
      operations.listBeacons,
      { query: { order: 'nothing' } },
      { onRefused: ({ code }) => say(`refused ${code}`), onState: say },
    );
    assert.deepEqual(await until('refused 102'), ['closed', 'refused 102']);
    refused.close();
  });

  test('an editor knows the buckets and their members', () => {
    const typed = () => {
      // @ts-expect-error there is no such bucket
      subscribe(client, operations.listRecords, { params: { bucketName: 'guestbok' } }, {});
      subscribe(
        client,
        operations.listRecords,
        { params: { bucketName: 'guestbook' } },
        // @ts-expect-error there is no such member
        { onEntered: ({ metadata }) => metadata.star },
      );
      const any: PharosClient = client as never;
      subscribe(
        any,
        operations.listRecords,
        { params: { bucketName: 'x' } },
        { onEntered: ({ metadata }) => metadata.star },
      );
    };
    assert.equal(typeof typed, 'function');
  });
});
