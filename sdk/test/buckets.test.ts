import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { test } from 'vitest';
import { buildApp, signInManager } from '../../server/test/support/build-app.ts';
import { shellOf } from '../../server/test/support/command-line.ts';
import { PharosClient } from '../src/index.ts';
import type { Buckets } from './schema-of-buckets.ts';

test('pharos types writes what the client knows of the buckets of an app', async () => {
  const app = await buildApp();
  try {
    await app.app.apps.change(app.appId, { name: 'Guide */ of the museum' });
    for (const name of ['guestbook', 'Empty']) await app.app.buckets.createBucket(app.appId, name);
    const { headers, token } = await signInManager(app);
    const column = { stars: 'Number', note: 'String', 'is-public': 'Boolean', at: 'Date' };
    const typed = Object.fromEntries(Object.entries(column).map(([member, type]) => [member, { type }]));
    const body = { column: typed };
    const made = await app.send({ method: 'POST', url: '/api/v2/data/schema/guestbook', headers, body });
    assert.equal(made.status, 201);
    const { run } = shellOf(app.storage.folder, { PHAROS_DATA: app.storage.folder });
    const { out, err } = await run(`types --app ${app.appId}`);
    const written = readFileSync(new URL('./schema-of-buckets.ts', import.meta.url), 'utf8');
    assert.equal(`${out}\n`, written, err);
    assert.equal((await run('types --app nobody')).code, 1);

    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.app.server.server.address() as AddressInfo;
    const connection = { baseUrl: `http://127.0.0.1:${port}`, appId: app.appId, appKey: app.appKey, token };
    const client = new PharosClient<Buckets>(connection);
    const guestbook = client.bucket('guestbook');
    const { objectId } = await guestbook.create({ stars: 5, note: 'Lovely', more: [1] });
    await guestbook.update(objectId, { note: null });
    const { metadata } = await guestbook.get(objectId);
    const stars: number = metadata.stars ?? 0;
    assert.deepEqual([stars, metadata.note ?? null], [5, null]);
    const [first] = (await guestbook.list()).results;
    assert.equal(first?.metadata.stars, 5);

    // @ts-expect-error there is no such bucket
    client.bucket('guestbok');
    // @ts-expect-error stars are a number; the service says so, too
    await assert.rejects(guestbook.create({ stars: 'five' }), { name: 'InvalidSchema' });
    const anything = new PharosClient(connection).bucket('guestbook');
    await anything.create({ whatever: true });
  } finally {
    await app.close();
    rmSync(app.storage.folder, { recursive: true, force: true });
  }
});
