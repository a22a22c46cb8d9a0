import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { halfway } from '../../../../test/support/halfway.ts';
import { HistorySite } from '../../../../test/support/history-site.ts';

for (const database of databases) {
  describe(`records of a bucket on ${database}`, () => {
    const path = '/v2/data/bucket/quiz';
    let at: HistorySite;
    let id: string;
    beforeAll(async () => {
      at = await HistorySite.open(database);
      await at.createQuiz();
      const body = { metadata: { name: 'Anna', score: 3 } };
      id = await create(at.app, '/api/v2/data/bucket/quiz', body, at.user.headers);
    });
    afterAll(() => at.close());
    const record = async () => (await at.get(`/data/bucket/quiz/${id}`)).result;

    test('keep what the console changes, and nothing of what the app writes', async () => {
      const url = `/api/v2/data/bucket/quiz/${id}`;
      await at.app.send({ method: 'PUT', url, headers: at.user.headers, body: { score: 4 } });
      assert.deepEqual(await at.versions('records', id), []);
      await at.ask(at.editor, 'PUT', `${path}/${id}`, { metadata: { name: 'Bert', score: 5 } });
      const [version] = await at.versions('records', id);
      assert.deepEqual(version.state, { name: 'Anna', score: 4 });
      await at.ask(at.editor, 'POST', `/history/records/${id}/${version.objectId}/restore`);
      assert.deepEqual((await record()).metadata, { name: 'Anna', score: 4 });
    });

    test('come back with their id, owner and times, and are found by their columns', async () => {
      const was = await record();
      await at.ask(at.editor, 'DELETE', `${path}/${id}`);
      const entry = await at.inTrash(id);
      await at.ask(at.editor, 'POST', `/trash/${entry.objectId}/restore`);
      const is = await record();
      assert.deepEqual(
        [is.metadata, is.createdAt, is.createdBy, is.objectId],
        [was.metadata, was.createdAt, was.createdBy, was.objectId],
      );
      const where = encodeURIComponent(JSON.stringify({ 'metadata.score': 4 }));
      assert.equal((await at.get(`/data/bucket/quiz?where=${where}`)).results.length, 1);
    });

    test('what would break a rule of today stays in the trash', async () => {
      const made = await create(
        at.app,
        '/api/v2/data/bucket/quiz',
        { metadata: { name: 'X', level: 'hard' } },
        at.user.headers,
      );
      await at.ask(at.editor, 'DELETE', `${path}/${made}`);
      await at.ask(at.owner, 'POST', '/v2/data/schema/quiz', { column: { level: { type: 'Number' } } });
      const { objectId } = await at.inTrash(made);
      const refused = await at.editor.send({ method: 'POST', url: `${at.appPath()}/trash/${objectId}/restore` });
      assert.deepEqual([refused.status, refused.body.error.error.includes('level')], [400, true]);
      assert.ok(await at.inTrash(made));
    });

    test('are shown and restored only by roles that see records', async () => {
      const installer = await openConsole(at.app, 'installer');
      const made = await create(at.app, '/api/v2/data/bucket/quiz', { metadata: { name: 'secret' } }, at.user.headers);
      await at.ask(at.editor, 'DELETE', `${path}/${made}`);
      const { objectId } = await at.inTrash(made);
      assert.deepEqual(
        (await at.trash(installer)).filter(({ kind }: { kind: string }) => kind === 'records'),
        [],
      );
      for (const url of [`/trash/${objectId}/restore`, `/history/records/${id}/none/restore`])
        assert.equal((await installer.send({ method: 'POST', url: at.appPath() + url })).status, 403, url);
      for (const [method, url] of [
        ['GET', `/history/records/${id}`],
        ['DELETE', `/trash/${objectId}`],
      ] as const)
        assert.equal((await installer.send({ method, url: at.appPath() + url })).status, 403, url);
      await at.ask(at.editor, 'DELETE', `/trash/${objectId}`);
      assert.equal(await at.inTrash(made), undefined);
    });

    test('keep their versions when they are put back while the sweep looks for them', async () => {
      const made = await create(at.app, '/api/v2/data/bucket/quiz', { metadata: { name: 'a' } }, at.user.headers);
      await at.ask(at.editor, 'PUT', `${path}/${made}`, { metadata: { name: 'b' } });
      await at.ask(at.editor, 'DELETE', `${path}/${made}`);
      const { objectId } = await at.inTrash(made);
      await halfway(
        at.app,
        /^select record_id from trash where app_id = \? and kind = \? and record_id in/,
        () => at.sweep(),
        () => at.ask(at.editor, 'POST', `/trash/${objectId}/restore`),
      );
      const versions = await at.versions('records', made);
      assert.deepEqual(
        versions.map(({ state }: { state: object }) => state),
        [{ name: 'a' }],
      );
    });

    test('keep their versions when they are deleted while the sweep looks for them', async () => {
      const made = await create(at.app, '/api/v2/data/bucket/quiz', { metadata: { name: 'a' } }, at.user.headers);
      await at.ask(at.editor, 'PUT', `${path}/${made}`, { metadata: { name: 'b' } });
      await halfway(
        at.app,
        /^select object_id from records where app_id = \? and bucket_id = \? and object_id in/,
        () => at.sweep(),
        () => at.ask(at.editor, 'DELETE', `${path}/${made}`),
      );
      assert.equal((await at.versions('records', made)).length, 1);
    });

    test('leave no version behind when the app deletes them, and no trash with their bucket', async () => {
      const made = await create(at.app, '/api/v2/data/bucket/quiz', { metadata: { name: 'a' } }, at.user.headers);
      await at.ask(at.editor, 'PUT', `${path}/${made}`, { metadata: { name: 'b' } });
      await at.app.send({ method: 'DELETE', url: `/api/v2/data/bucket/quiz/${made}`, headers: at.user.headers });
      await at.sweep();
      assert.deepEqual(await at.versions('records', made), []);
      assert.notDeepEqual(await at.versions('records', id), []);
      await at.ask(at.owner, 'POST', '/buckets', { name: 'gone' });
      const last = await create(at.app, '/api/v2/data/bucket/gone', { metadata: { name: 'z' } }, at.user.headers);
      await at.ask(at.editor, 'DELETE', `/v2/data/bucket/gone/${last}`);
      await at.ask(at.owner, 'DELETE', '/buckets/gone');
      const [bucket] = await at.trash();
      assert.equal(bucket.title, 'gone');
      await at.ask(at.owner, 'DELETE', `/trash/${bucket.objectId}`);
      assert.equal(await at.inTrash(last), undefined);
    });
  });
}
