import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { HistorySite } from '../../../../test/support/history-site.ts';

for (const database of bothDatabases) {
  describe(`many records at once on ${database}`, () => {
    let at: HistorySite;
    beforeAll(async () => {
      at = await HistorySite.open(database);
      await at.createQuiz();
    });
    afterAll(() => at.close());

    test('many are changed and deleted at once, with one entry in the audit, and refusals are reported', async () => {
      const ids: string[] = [];
      for (const description of ['a', 'b', 'c'])
        ids.push(await create(at.app, '/api/v2/notifications', { ...at.welcome(), description }, at.user.headers));
      const draft = { ...at.welcome(), isEnabled: false, message: { alertTitle: '', alertMessage: '' } };
      const wordless = await create(at.app, '/api/v2/notifications', draft, at.user.headers);
      at.tick();
      const off = { operation: 'patchNotification', ids: [...ids, 'NONE', ids[0]], change: { isEnabled: false } };
      const { result } = (await at.bulk(off)).body;
      assert.deepEqual(
        [result.done, result.failed.map(({ objectId }: { objectId: string }) => objectId)],
        [ids, ['NONE']],
      );
      assert.equal((await at.get(`/notifications/${ids[1]}`)).result.isEnabled, false);
      at.tick();
      const on = await at.bulk({ ...off, ids: [...ids, wordless], change: { isEnabled: true } });
      assert.match(on.body.result.failed[0].message, /needs a title or a text/);
      assert.equal((await at.get(`/notifications/${wordless}`)).result.isEnabled, false);
      assert.deepEqual((await at.bulk({ operation: 'deleteNotification', ids })).body.result.done, ids);
      for (const id of ids) assert.equal((await at.inTrash(id)).deletedBy.name, at.editor.email);
      const audit = (await at.owner.send({ method: 'GET', url: `/audit?appId=${at.app.appId}&limit=3` })).body.results;
      assert.deepEqual(
        audit.map((one: { action: string; subject: string }) => [one.action, one.subject]),
        [
          ['many.delete', '3 of Notifications'],
          ['many.change', '3 of Notifications'],
          ['many.change', '3 of Notifications'],
        ],
      );
      const analyst = await openConsole(at.app, 'analyst');
      assert.equal((await at.bulk({ ...off, ids: [wordless] }, analyst)).status, 403);
      assert.equal((await at.bulk({ operation: 'deleteUser', ids: ['x'] })).status, 400);
    });

    test('many are put back at once with one entry, as they were deleted last; what is not in the trash is named', async () => {
      const made = (description: string) =>
        create(at.app, '/api/v2/notifications', { ...at.welcome(), description }, at.user.headers);
      const ids = [await made('x'), await made('y'), await made('z')];
      const records: string[] = [];
      for (const name of ['one', 'two'])
        records.push(await create(at.app, '/api/v2/data/bucket/quiz', { metadata: { name } }, at.user.headers));
      const entries = async () =>
        (await at.owner.send({ method: 'GET', url: `/audit?appId=${at.app.appId}&limit=2` })).body.results.map(
          ({ action, subject, after }: { action: string; subject: string; after: unknown }) => [action, subject, after],
        );
      at.tick();
      await at.bulk({ operation: 'deleteNotification', ids });
      // Entries of one millisecond have no particular order.
      at.tick();
      await at.bulk({ operation: 'deleteRecord', bucketName: 'quiz', ids: records });
      const deletions = (await entries()).map(([action, subject]: unknown[]) => [action, subject]);
      at.tick();
      const back = { operation: 'restoreDeleted', kind: 'notifications', ids };
      const analyst = await openConsole(at.app, 'analyst');
      assert.equal((await at.bulk(back, analyst)).status, 403);
      assert.equal((await at.bulk({ ...back, kind: 'users' })).status, 404);
      assert.equal((await at.get(`/notifications/${ids[0]}`)).code, 101);
      const first = await at.bulk({ ...back, ids: ids.slice(0, 2) });
      const query = `?continues=${first.body.result.entry}`;
      const url = `${at.appPath()}/bulk${query}`;
      const { result } = (
        await at.editor.send({ method: 'POST', url, body: { ...back, ids: [ids[2], 'NONE', ids[0]] } })
      ).body;
      assert.deepEqual(
        [result.done, result.failed.map(({ objectId, error }: Record<string, string>) => [objectId, error])],
        [
          [ids[2]],
          [
            ['NONE', 'ObjectNotFound'],
            [ids[0], 'ObjectNotFound'],
          ],
        ],
      );
      assert.deepEqual(
        await Promise.all(ids.map(async (id) => (await at.get(`/notifications/${id}`)).result.description)),
        ['x', 'y', 'z'],
      );
      const ofRecords = { ...back, kind: 'records', ids: records };
      assert.equal((await at.bulk({ ...ofRecords, bucketName: 'none' })).status, 404);
      at.tick();
      assert.deepEqual((await at.bulk({ ...ofRecords, bucketName: 'quiz' })).body.result.done, records);
      assert.equal((await at.get(`/data/bucket/quiz/${records[1]}`)).result.metadata.name, 'two');
      assert.deepEqual(deletions, [
        ['many.delete', '2 of quiz'],
        ['many.delete', '3 of Notifications'],
      ]);
      assert.deepEqual(await entries(), [
        ['many.restore', '2 of quiz', { count: 2, ids: records, bucketName: 'quiz' }],
        ['many.restore', '3 of Notifications', { count: 3, ids }],
      ]);
      for (const id of ids) assert.equal(await at.inTrash(id), undefined);
    });
  });
}
