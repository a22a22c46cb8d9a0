import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, otherApp } from '../../test/support/build-app.ts';
import { openConsole } from '../../test/support/console.ts';
import { type FileSite, openFileSite, png } from '../../test/support/sites/file-site.ts';
import { raw, sql } from '../base/sql.ts';

/** An upload whose answer was lost: the client cannot know whether the file is stored. */
for (const database of databases) {
  describe(`a file that is sent again, on ${database}`, () => {
    let site: FileSite;
    beforeAll(async () => {
      site = await openFileSite(database);
      await site.uploaded('first.png');
    });
    afterAll(() => site.close());

    let keys = 0;
    const newKey = () => `71b8e3d0-${++keys}`;
    const send = (key: string, body: string | Buffer = png, headers: Record<string, string | undefined> = {}) =>
      site.upload('hall.png', body, { 'content-type': 'image/png', 'idempotency-key': key, ...headers });
    const stored = async () => {
      const { body } = await site.app.send({
        method: 'GET',
        url: '/api/v2/files?limit=0&count=1',
        headers: site.user.headers,
      });
      return [body.count as number, site.blobsOnDisk()];
    };
    const oneMore = ([files = 0, blobs = 0]: readonly number[]) => [files + 1, blobs + 1];
    /** As if the service had ended before it noted that the request was done. */
    const forgetEnd = () => site.app.storage.db.run(raw('update idempotency_keys set is_done = 0, noted = null'));
    const isReplayed = (answer: Awaited<ReturnType<typeof send>>) => answer.headers['idempotency-replayed'] === 'true';

    test('with its key is there once, under the address of the first time', async () => {
      const [before, key] = [await stored(), newKey()];
      const first = await send(key);
      assert.deepEqual([first.status, isReplayed(first)], [201, false]);
      site.app.clock.now += 60_000;
      const again = await send(key);
      assert.deepEqual([again.status, isReplayed(again), again.body], [201, true, first.body]);
      assert.deepEqual(await stored(), oneMore(before));
      await forgetEnd();
      const afterCrash = await send(key);
      assert.deepEqual([afterCrash.status, isReplayed(afterCrash), afterCrash.body], [201, true, first.body]);
      assert.deepEqual(await stored(), oneMore(before), 'its second copy is removed');
      assert.ok((await site.fetchFile(first.body.url)).raw.equals(png));
    });

    test('many times at once is there once', async () => {
      const [before, key] = [await stored(), newKey()];
      const answers = await Promise.all(Array.from({ length: 8 }, () => send(key)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(answers.map(({ body }) => body.url)).size, 1);
      assert.deepEqual(await stored(), oneMore(before));
    });

    test('with other bytes or another type under the same key is refused, and nothing of it is kept', async () => {
      const [before, key] = [await stored(), newKey()];
      await send(key);
      const other = Buffer.concat([png, png]);
      for (const forget of [async () => undefined, forgetEnd]) {
        await forget();
        for (const refused of [await send(key, other), await send(key, png, { 'content-type': 'image/webp' })])
          assert.deepEqual([refused.status, refused.body.error.code], [409, 137]);
      }
      assert.deepEqual(await stored(), oneMore(before));
    });

    test('is not made again if it was deleted in the meantime', async () => {
      const [before, key] = [await stored(), newKey()];
      const first = await send(key);
      const url = `/api/v2/files/${first.body.objectId}`;
      await site.app.send({ method: 'DELETE', url, headers: site.user.headers });
      assert.deepEqual((await send(key)).body, first.body);
      assert.deepEqual(await stored(), before);
    });

    test('belongs to whoever sent it, and to its name', async () => {
      const [before, key] = [await stored(), newKey()];
      const first = await send(key);
      const byUser = await send(key, png, site.user.headers);
      const otherName = await site.upload('wall.png', png, { 'content-type': 'image/png', 'idempotency-key': key });
      const inOtherApp = await send(key, png, { ...(await otherApp(site.app)) });
      const all = [first, byUser, otherName, inOtherApp];
      assert.ok(all.every((answer) => answer.status === 201 && !isReplayed(answer)));
      assert.equal(new Set(all.map(({ body }) => body.url)).size, 4);
      assert.deepEqual((await stored())[0], (before[0] ?? 0) + 3);
    });

    test('is not refused because it was the last for which there was room', async () => {
      const { apps } = site.app.app;
      const { policy } = await apps.get(site.app.appId);
      const key = newKey();
      const [files = 0] = await stored();
      await apps.change(site.app.appId, { policy: { quotas: { ...policy.quotas, files: files + 1 } } });
      try {
        const first = await send(key);
        assert.equal(first.status, 201);
        assert.equal((await send(newKey())).status, 403);
        assert.deepEqual((await send(key)).body, first.body);
      } finally {
        await apps.change(site.app.appId, { policy: { quotas: policy.quotas } });
      }
    });

    test('by an administrator is recorded once', async () => {
      const console = await openConsole(site.app, 'manager');
      const recorded = async () =>
        (await site.app.storage.db.all(sql`select 1 as is_there from audit where action = 'data.uploadFile'`)).length;
      const before = await recorded();
      const request = { method: 'POST', url: `/apps/${site.app.appId}/v2/files/plan.png`, body: png } as const;
      const headers = { 'content-type': 'image/png', 'idempotency-key': newKey() };
      const [first, again] = [await console.send({ ...request, headers }), await console.send({ ...request, headers })];
      assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body]);
      assert.equal(await recorded(), before + 1);
    });

    test('needs a key of visible characters', async () => {
      const refused = await send('a b');
      assert.deepEqual([refused.status, refused.body.error.code], [400, 142]);
    });
  });
}
