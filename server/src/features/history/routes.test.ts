import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildApp, databases, type SignedIn, signIn, type TestApp } from '../../../test/support/build-app.ts';
import { create } from '../../../test/support/cases.ts';
import { type Browser, openConsole } from '../../../test/support/console.ts';
import { sql } from '../../base/sql.ts';
import { bounds } from './past.ts';

const hall = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
const pointer = (objectId: string) => ({ __type: 'Pointer', className: 'Beacon', objectId });

for (const database of databases) {
  describe(`versions and the trash on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let editor: Browser;
    let owner: Browser;
    let beaconId: string;
    before(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
      editor = await openConsole(app, 'editor');
      owner = await openConsole(app, 'owner');
      beaconId = await create(app, '/api/v2/beacons', hall, user.headers);
    });
    after(() => app.close());

    const tick = (ms = 1_000) => {
      app.clock.now += ms;
    };
    const sweep = () => {
      app.app.sweep();
      return app.app.idle();
    };
    const appPath = () => `/apps/${app.appId}`;
    /** A request of the console that has to succeed. */
    async function ask(browser: Browser, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
      tick();
      const answer = await browser.send({ method, url: appPath() + path, ...(body === undefined ? {} : { body }) });
      assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    }
    const versions = async (kind: string, id: string) => (await ask(owner, 'GET', `/history/${kind}/${id}`)).results;
    const trash = async (browser = owner) => (await ask(browser, 'GET', '/trash')).results;
    const inTrash = async (recordId: string) =>
      (await trash()).find((one: { recordId: string }) => one.recordId === recordId);
    const welcome = () => ({
      description: 'Welcome',
      beaconId: pointer(beaconId),
      event: 'ENTER',
      type: 'TEXT',
      message: { alertTitle: 'Hi', alertMessage: 'One' },
      isEnabled: true,
    });
    const get = async (path: string) =>
      (await app.send({ method: 'GET', url: `/api/v2${path}`, headers: user.headers })).body;

    test('a notification keeps what it was, whoever changed it, and goes back with one call', async () => {
      const id = await create(app, '/api/v2/notifications', welcome(), user.headers);
      const first = (await get(`/notifications/${id}`)).result;
      assert.deepEqual(await versions('notifications', id), []);
      await ask(editor, 'PUT', `/v2/notifications/${id}`, { description: 'Two', delivery: { oncePerDay: true } });
      tick();
      const url = `/api/v2/notifications/${id}`;
      await app.send({ method: 'PATCH', url, headers: user.headers, body: { description: 'Three' } });
      // Nothing is changed by this one.
      await ask(editor, 'PUT', `/v2/notifications/${id}`, { description: 'Three' });

      const kept = await versions('notifications', id);
      assert.deepEqual(
        kept.map(({ state, replacedBy }: never) => [(state as { description: string }).description, replacedBy]),
        [
          ['Two', { name: null, userId: user.userId }],
          ['Welcome', { name: editor.email, userId: null }],
        ],
      );
      const { objectId: _id, createdBy: _by, createdAt: _at, updatedAt, ...members } = first;
      assert.deepEqual(kept[1].state, members);
      assert.equal(kept[1].updatedAt, updatedAt);

      await ask(editor, 'POST', `/history/notifications/${id}/${kept[1].objectId}/restore`);
      const { createdAt, updatedAt: _now, ...now } = (await get(`/notifications/${id}`)).result;
      const { createdAt: firstCreated, updatedAt: _then, ...then } = first;
      assert.deepEqual([now, createdAt], [then, firstCreated]);
      assert.equal((await versions('notifications', id)).length, 3);
      const audit = (await owner.send({ method: 'GET', url: `/audit?appId=${app.appId}` })).body.results;
      const entry = audit.find(({ action }: { action: string }) => action === 'version.restore');
      assert.deepEqual([entry.actor, entry.subject, entry.after.description], [editor.email, id, 'Welcome']);
    });

    test('an earlier state that is not valid any more is refused, and nothing changes', async () => {
      const other = await create(app, '/api/v2/beacons', { ...hall, minor: 7 }, user.headers);
      const id = await create(app, '/api/v2/notifications', { ...welcome(), beaconId: pointer(other) }, user.headers);
      await ask(editor, 'PUT', `/v2/notifications/${id}`, { beaconId: pointer(beaconId) });
      await app.send({ method: 'DELETE', url: `/api/v2/beacons/${other}`, headers: user.headers });
      const [version] = await versions('notifications', id);
      const url = `${appPath()}/history/notifications/${id}/${version.objectId}/restore`;
      const refused = await editor.send({ method: 'POST', url });
      assert.deepEqual([refused.status, refused.body.error.error.includes(other)], [404, true]);
      assert.equal((await get(`/notifications/${id}`)).result.beaconId.objectId, beaconId);
    });

    test('only the last versions of a record are kept', async () => {
      const id = await create(app, '/api/v2/storylines', { title: 'v0', isEnabled: true }, user.headers);
      for (let n = 1; n <= bounds.versionsOfRecord + 3; n++) {
        tick();
        const url = `/api/v2/storylines/${id}`;
        await app.send({ method: 'PUT', url, headers: user.headers, body: { title: `v${n}` } });
      }
      const titles = (await versions('storylines', id)).map((one: { state: { title: string } }) => one.state.title);
      assert.deepEqual([titles.length, titles[0], titles.at(-1)], [30, 'v32', 'v3']);
    });

    test('a deleted storyline is nowhere but in the trash, and comes back with its scenarios', async () => {
      const id = await create(app, '/api/v2/storylines', { title: 'Tour', isEnabled: true }, user.headers);
      const scenario = { beacons: [beaconId], campaign: 'TEXT', event: 'ENTER', showOn: [], alertTitle: 'Hi' };
      const detailId = await create(app, `/api/v2/storylines/${id}/detail`, scenario, user.headers);
      const [header, detail] = [await get(`/storylines/${id}`), await get(`/storylines/${id}/detail/${detailId}`)];
      tick();
      await app.send({ method: 'DELETE', url: `/api/v2/storylines/${id}`, headers: user.headers });
      const listed = (await get('/storylines')).results.map(({ objectId }: { objectId: string }) => objectId);
      assert.ok(!listed.includes(id));
      const entry = await inTrash(id);
      assert.deepEqual([entry.kind, entry.title, entry.deletedBy.userId], ['storylines', 'Tour', user.userId]);
      assert.equal(Date.parse(entry.goesAt) - Date.parse(entry.deletedAt), 30 * 86_400_000);

      const restored = await ask(editor, 'POST', `/trash/${entry.objectId}/restore`);
      assert.equal(restored.result.objectId, id);
      const strip = ({ result: { updatedAt: _, ...rest } }: { result: { updatedAt: string } }) => rest;
      assert.deepEqual(strip(await get(`/storylines/${id}`)), strip(header));
      assert.deepEqual(strip(await get(`/storylines/${id}/detail/${detailId}`)), strip(detail));
      const where = encodeURIComponent(JSON.stringify({ beacons: beaconId, event: 'ENTER' }));
      const found = (await get(`/storylines/details?where=${where}`)).results;
      assert.ok(found.some(({ objectId }: { objectId: string }) => objectId === detailId));
      assert.equal(await inTrash(id), undefined);
      // A second click finds nothing to restore.
      const again = await editor.send({ method: 'POST', url: `${appPath()}/trash/${entry.objectId}/restore` });
      assert.equal(again.status, 404);
    });

    test('the trash is listed by kind, and goes on where a page has ended', async () => {
      const titles = ['One', 'Two'];
      for (const title of titles) {
        const id = await create(app, '/api/v2/storylines', { title, isEnabled: true }, user.headers);
        await ask(editor, 'DELETE', `/v2/storylines/${id}`);
      }
      const message = await create(app, '/api/v2/notifications', welcome(), user.headers);
      await ask(editor, 'DELETE', `/v2/notifications/${message}`);
      const list = async (query: string) => (await ask(owner, 'GET', `/trash?${query}`)).results;
      const [last, ...others] = await trash();
      assert.deepEqual([last.recordId, last.kind], [message, 'notifications']);
      assert.deepEqual(await list(`before=${last.objectId}`), others);
      const storylines = await list('kind=storylines');
      assert.deepEqual(
        storylines.slice(0, 2).map(({ title }: { title: string }) => title),
        ['Two', 'One'],
      );
      assert.deepEqual(new Set(storylines.map(({ kind }: { kind: string }) => kind)), new Set(['storylines']));
      assert.deepEqual(await list(`kind=storylines&before=${storylines[0].objectId}`), storylines.slice(1));
    });

    test('a scenario whose storyline is gone too says what to restore first', async () => {
      const id = await create(app, '/api/v2/storylines', { title: 'Short', isEnabled: true }, user.headers);
      const scenario = { beacons: [beaconId], campaign: 'TEXT', event: 'ENTER', showOn: [] };
      const detailId = await create(app, `/api/v2/storylines/${id}/detail`, scenario, user.headers);
      await ask(editor, 'DELETE', `/v2/storylines/${id}/detail/${detailId}`);
      await ask(editor, 'DELETE', `/v2/storylines/${id}`);
      const { objectId } = await inTrash(detailId);
      const refused = await editor.send({ method: 'POST', url: `${appPath()}/trash/${objectId}/restore` });
      assert.deepEqual([refused.status, refused.body.code], [400, 142]);
      assert.ok((await inTrash(detailId)) !== undefined);
      await ask(editor, 'POST', `/trash/${(await inTrash(id)).objectId}/restore`);
      await ask(editor, 'POST', `/trash/${objectId}/restore`);
      assert.equal((await get(`/storylines/${id}/detail/${detailId}`)).result.objectId, detailId);
    });

    describe('records of a bucket', () => {
      const path = '/v2/data/bucket/quiz';
      let id: string;
      before(async () => {
        await ask(owner, 'POST', '/buckets', { name: 'quiz' });
        const column = { score: { type: 'Number' } };
        await ask(owner, 'POST', '/v2/data/schema/quiz', { column });
        const body = { metadata: { name: 'Anna', score: 3 } };
        id = await create(app, '/api/v2/data/bucket/quiz', body, user.headers);
      });
      const record = async () => (await get(`/data/bucket/quiz/${id}`)).result;

      test('keep what the console changes, and nothing of what the app writes', async () => {
        const url = `/api/v2/data/bucket/quiz/${id}`;
        await app.send({ method: 'PUT', url, headers: user.headers, body: { score: 4 } });
        assert.deepEqual(await versions('records', id), []);
        await ask(editor, 'PUT', `${path}/${id}`, { metadata: { name: 'Bert', score: 5 } });
        const [version] = await versions('records', id);
        assert.deepEqual(version.state, { name: 'Anna', score: 4 });
        await ask(editor, 'POST', `/history/records/${id}/${version.objectId}/restore`);
        assert.deepEqual((await record()).metadata, { name: 'Anna', score: 4 });
      });

      test('come back with their id, owner and times, and are found by their columns', async () => {
        const was = await record();
        await ask(editor, 'DELETE', `${path}/${id}`);
        const entry = await inTrash(id);
        await ask(editor, 'POST', `/trash/${entry.objectId}/restore`);
        const is = await record();
        assert.deepEqual(
          [is.metadata, is.createdAt, is.createdBy, is.objectId],
          [was.metadata, was.createdAt, was.createdBy, was.objectId],
        );
        const where = encodeURIComponent(JSON.stringify({ 'metadata.score': 4 }));
        assert.equal((await get(`/data/bucket/quiz?where=${where}`)).results.length, 1);
      });

      test('what would break a rule of today stays in the trash', async () => {
        const made = await create(
          app,
          '/api/v2/data/bucket/quiz',
          { metadata: { name: 'X', level: 'hard' } },
          user.headers,
        );
        await ask(editor, 'DELETE', `${path}/${made}`);
        await ask(owner, 'POST', '/v2/data/schema/quiz', { column: { level: { type: 'Number' } } });
        const { objectId } = await inTrash(made);
        const refused = await editor.send({ method: 'POST', url: `${appPath()}/trash/${objectId}/restore` });
        assert.deepEqual([refused.status, refused.body.error.error.includes('level')], [400, true]);
        assert.ok(await inTrash(made));
      });

      test('are shown and restored only by roles that see records', async () => {
        const installer = await openConsole(app, 'installer');
        const made = await create(app, '/api/v2/data/bucket/quiz', { metadata: { name: 'secret' } }, user.headers);
        await ask(editor, 'DELETE', `${path}/${made}`);
        const { objectId } = await inTrash(made);
        assert.deepEqual(
          (await trash(installer)).filter(({ kind }: { kind: string }) => kind === 'records'),
          [],
        );
        for (const url of [`/trash/${objectId}/restore`, `/history/records/${id}/none/restore`])
          assert.equal((await installer.send({ method: 'POST', url: appPath() + url })).status, 403, url);
        for (const [method, url] of [
          ['GET', `/history/records/${id}`],
          ['DELETE', `/trash/${objectId}`],
        ] as const)
          assert.equal((await installer.send({ method, url: appPath() + url })).status, 403, url);
        await ask(editor, 'DELETE', `/trash/${objectId}`);
        assert.equal(await inTrash(made), undefined);
      });

      test('leave no version behind when the app deletes them, and no trash with their bucket', async () => {
        const made = await create(app, '/api/v2/data/bucket/quiz', { metadata: { name: 'a' } }, user.headers);
        await ask(editor, 'PUT', `${path}/${made}`, { metadata: { name: 'b' } });
        await app.send({ method: 'DELETE', url: `/api/v2/data/bucket/quiz/${made}`, headers: user.headers });
        await sweep();
        assert.deepEqual(await versions('records', made), []);
        assert.notDeepEqual(await versions('records', id), []);
        await ask(owner, 'POST', '/buckets', { name: 'gone' });
        const last = await create(app, '/api/v2/data/bucket/gone', { metadata: { name: 'z' } }, user.headers);
        await ask(editor, 'DELETE', `/v2/data/bucket/gone/${last}`);
        await ask(owner, 'DELETE', '/buckets/gone');
        const [bucket] = await trash();
        assert.equal(bucket.title, 'gone');
        await ask(owner, 'DELETE', `/trash/${bucket.objectId}`);
        assert.equal(await inTrash(last), undefined);
      });
    });

    test('many are changed and deleted at once, with one entry in the audit, and refusals are reported', async () => {
      const ids: string[] = [];
      for (const description of ['a', 'b', 'c'])
        ids.push(await create(app, '/api/v2/notifications', { ...welcome(), description }, user.headers));
      const draft = { ...welcome(), isEnabled: false, message: { alertTitle: '', alertMessage: '' } };
      const wordless = await create(app, '/api/v2/notifications', draft, user.headers);
      const bulk = (body: object, browser = editor) => browser.send({ method: 'POST', url: `${appPath()}/bulk`, body });
      tick();
      const off = { operation: 'patchNotification', ids: [...ids, 'NONE', ids[0]], change: { isEnabled: false } };
      const { result } = (await bulk(off)).body;
      assert.deepEqual(
        [result.done, result.failed.map(({ objectId }: { objectId: string }) => objectId)],
        [ids, ['NONE']],
      );
      assert.equal((await get(`/notifications/${ids[1]}`)).result.isEnabled, false);
      tick();
      const on = await bulk({ ...off, ids: [...ids, wordless], change: { isEnabled: true } });
      assert.match(on.body.result.failed[0].message, /needs a title or a text/);
      assert.equal((await get(`/notifications/${wordless}`)).result.isEnabled, false);
      assert.deepEqual((await bulk({ operation: 'deleteNotification', ids })).body.result.done, ids);
      for (const id of ids) assert.equal((await inTrash(id)).deletedBy.name, editor.email);
      const audit = (await owner.send({ method: 'GET', url: `/audit?appId=${app.appId}&limit=3` })).body.results;
      assert.deepEqual(
        audit.map((one: { action: string; subject: string }) => [one.action, one.subject]),
        [
          ['many.delete', '3 of Notifications'],
          ['many.change', '3 of Notifications'],
          ['many.change', '3 of Notifications'],
        ],
      );
      const analyst = await openConsole(app, 'analyst');
      assert.equal((await bulk({ ...off, ids: [wordless] }, analyst)).status, 403);
      assert.equal((await bulk({ operation: 'deleteUser', ids: ['x'] })).status, 400);
    });

    test('many are put back at once with one entry, as they were deleted last; what is not in the trash is named', async () => {
      const made = (description: string) =>
        create(app, '/api/v2/notifications', { ...welcome(), description }, user.headers);
      const ids = [await made('x'), await made('y'), await made('z')];
      const records: string[] = [];
      for (const name of ['one', 'two'])
        records.push(await create(app, '/api/v2/data/bucket/quiz', { metadata: { name } }, user.headers));
      const bulk = (body: object, browser = editor) => browser.send({ method: 'POST', url: `${appPath()}/bulk`, body });
      const entries = async () =>
        (await owner.send({ method: 'GET', url: `/audit?appId=${app.appId}&limit=2` })).body.results.map(
          ({ action, subject, after }: { action: string; subject: string; after: unknown }) => [action, subject, after],
        );
      tick();
      await bulk({ operation: 'deleteNotification', ids });
      await bulk({ operation: 'deleteRecord', bucketName: 'quiz', ids: records });
      const deletions = (await entries()).map(([action, subject]: unknown[]) => [action, subject]);
      tick();
      const back = { operation: 'restoreDeleted', kind: 'notifications', ids };
      const analyst = await openConsole(app, 'analyst');
      assert.equal((await bulk(back, analyst)).status, 403);
      assert.equal((await bulk({ ...back, kind: 'users' })).status, 404);
      assert.equal((await get(`/notifications/${ids[0]}`)).code, 101);
      const first = await bulk({ ...back, ids: ids.slice(0, 2) });
      const query = `?continues=${first.body.result.entry}`;
      const url = `${appPath()}/bulk${query}`;
      const { result } = (await editor.send({ method: 'POST', url, body: { ...back, ids: [ids[2], 'NONE', ids[0]] } }))
        .body;
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
        await Promise.all(ids.map(async (id) => (await get(`/notifications/${id}`)).result.description)),
        ['x', 'y', 'z'],
      );
      const ofRecords = { ...back, kind: 'records', ids: records };
      assert.equal((await bulk({ ...ofRecords, bucketName: 'none' })).status, 404);
      assert.deepEqual((await bulk({ ...ofRecords, bucketName: 'quiz' })).body.result.done, records);
      assert.equal((await get(`/data/bucket/quiz/${records[1]}`)).result.metadata.name, 'two');
      assert.deepEqual(deletions, [
        ['many.delete', '2 of quiz'],
        ['many.delete', '3 of Notifications'],
      ]);
      assert.deepEqual(await entries(), [
        ['many.restore', '2 of quiz', { count: 2, ids: records, bucketName: 'quiz' }],
        ['many.restore', '3 of Notifications', { count: 3, ids }],
      ]);
      for (const id of ids) assert.equal(await inTrash(id), undefined);
    });

    test('the settings of the app go back, and whether it is on stays', async () => {
      const before = (await ask(owner, 'GET', '')).result;
      await ask(owner, 'PUT', '', { policy: { timeZone: 'Europe/Vienna' } });
      await ask(owner, 'PUT', '', { disabled: true });
      const kept = await versions('settings', app.appId);
      assert.deepEqual([kept.length, kept[0].replacedBy.name], [1, owner.email]);
      const back = `${appPath()}/history/settings/${app.appId}/${kept[0].objectId}/restore`;
      const late = await owner.send({ method: 'POST', url: back, headers: { 'if-match': '"before"' } });
      assert.equal(late.status, 412, 'somebody else has changed them meanwhile');
      await ask(owner, 'POST', `/history/settings/${app.appId}/${kept[0].objectId}/restore`);
      const after = (await ask(owner, 'GET', '')).result;
      assert.deepEqual([after.policy, after.disabled], [before.policy, true]);
      await ask(owner, 'PUT', '', { disabled: false });
      assert.equal((await editor.send({ method: 'POST', url: back })).status, 403);
    });

    test('a person who is erased is in no version and in no trash', async () => {
      const anna = await signIn(app);
      const mine = await create(app, '/api/v2/data/bucket/quiz', { metadata: { name: 'of Anna' } }, anna.headers);
      const other = await create(app, '/api/v2/data/bucket/quiz', { metadata: { name: 'still there' } }, anna.headers);
      await ask(editor, 'DELETE', `/v2/data/bucket/quiz/${mine}`);
      await ask(editor, 'PUT', `/v2/data/bucket/quiz/${other}`, { metadata: { name: 'changed' } });
      // What belongs to others can be put back, also where she has deleted or changed it.
      const house = await create(app, '/api/v2/notifications', welcome(), user.headers);
      const url = `/api/v2/notifications/${house}`;
      tick();
      await app.send({ method: 'PUT', url, headers: anna.headers, body: { description: 'Hers' } });
      tick();
      assert.equal((await app.send({ method: 'DELETE', url, headers: anna.headers })).status, 200);
      const exported = await app.send({ method: 'GET', url: '/api/v2/users/me/export', headers: anna.headers });
      assert.ok(JSON.stringify(exported.body).includes('of Anna'));
      assert.ok(!JSON.stringify(exported.body).includes(editor.email), 'an export names nobody else');
      await ask(owner, 'DELETE', `/users/${anna.userId}`);
      await app.app.idle();
      const { db } = app.storage;
      const left = await db.all(sql`select title from trash where record_id = ${mine}`);
      const states = await db.all(sql`select state from versions where record_id = ${other}`);
      assert.deepEqual([left, states], [[], []]);
      assert.equal(await inTrash(mine), undefined);
      const by = { name: null, userId: null };
      assert.deepEqual((await inTrash(house)).deletedBy, by);
      assert.deepEqual(
        (await versions('notifications', house)).map(({ replacedBy }: { replacedBy: object }) => replacedBy),
        [by],
      );
    });

    test('after thirty days nothing is left of what was deleted', async () => {
      const id = await create(app, '/api/v2/notifications', welcome(), user.headers);
      await ask(editor, 'PUT', `/v2/notifications/${id}`, { description: 'Changed' });
      await ask(editor, 'DELETE', `/v2/notifications/${id}`);
      await sweep();
      assert.ok(await inTrash(id));
      assert.equal((await versions('notifications', id)).length, 1);
      tick(31 * 86_400_000);
      owner = await openConsole(app, 'owner');
      await sweep();
      assert.equal(await inTrash(id), undefined);
      assert.deepEqual(await versions('notifications', id), []);
    });
  });
}
