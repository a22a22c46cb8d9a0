import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, signIn } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { HistorySite, hall, pointer } from '../../../../test/support/history-site.ts';
import { sql } from '../../../base/sql.ts';
import { bounds } from './past.ts';

for (const database of databases) {
  describe(`versions and the trash on ${database}`, () => {
    let at: HistorySite;
    beforeAll(async () => {
      at = await HistorySite.open(database);
    });
    afterAll(() => at.close());

    test('a notification keeps what it was, whoever changed it, and goes back with one call', async () => {
      const id = await create(at.app, '/api/v2/notifications', at.welcome(), at.user.headers);
      const first = (await at.get(`/notifications/${id}`)).result;
      assert.deepEqual(await at.versions('notifications', id), []);
      await at.ask(at.editor, 'PUT', `/v2/notifications/${id}`, { description: 'Two', delivery: { oncePerDay: true } });
      at.tick();
      const url = `/api/v2/notifications/${id}`;
      await at.app.send({ method: 'PATCH', url, headers: at.user.headers, body: { description: 'Three' } });
      // Nothing is changed by this one.
      await at.ask(at.editor, 'PUT', `/v2/notifications/${id}`, { description: 'Three' });

      const kept = await at.versions('notifications', id);
      assert.deepEqual(
        kept.map(({ state, replacedBy }: never) => [(state as { description: string }).description, replacedBy]),
        [
          ['Two', { name: null, userId: at.user.userId }],
          ['Welcome', { name: at.editor.email, userId: null }],
        ],
      );
      const { objectId: _id, createdBy: _by, createdAt: _at, updatedAt, ...members } = first;
      assert.deepEqual(kept[1].state, members);
      assert.equal(kept[1].updatedAt, updatedAt);

      await at.ask(at.editor, 'POST', `/history/notifications/${id}/${kept[1].objectId}/restore`);
      const { createdAt, updatedAt: _now, ...now } = (await at.get(`/notifications/${id}`)).result;
      const { createdAt: firstCreated, updatedAt: _then, ...then } = first;
      assert.deepEqual([now, createdAt], [then, firstCreated]);
      assert.equal((await at.versions('notifications', id)).length, 3);
      const audit = (await at.owner.send({ method: 'GET', url: `/audit?appId=${at.app.appId}` })).body.results;
      const entry = audit.find(({ action }: { action: string }) => action === 'version.restore');
      assert.deepEqual([entry.actor, entry.subject, entry.after.description], [at.editor.email, id, 'Welcome']);
    });

    test('an earlier state that is not valid any more is refused, and nothing changes', async () => {
      const other = await create(at.app, '/api/v2/beacons', { ...hall, minor: 7 }, at.user.headers);
      const id = await create(
        at.app,
        '/api/v2/notifications',
        { ...at.welcome(), beaconId: pointer(other) },
        at.user.headers,
      );
      await at.ask(at.editor, 'PUT', `/v2/notifications/${id}`, { beaconId: pointer(at.beaconId) });
      await at.app.send({ method: 'DELETE', url: `/api/v2/beacons/${other}`, headers: at.user.headers });
      const [version] = await at.versions('notifications', id);
      const url = `${at.appPath()}/history/notifications/${id}/${version.objectId}/restore`;
      const refused = await at.editor.send({ method: 'POST', url });
      assert.deepEqual([refused.status, refused.body.error.error.includes(other)], [404, true]);
      assert.equal((await at.get(`/notifications/${id}`)).result.beaconId.objectId, at.beaconId);
    });

    test('only the last versions of a record are kept', async () => {
      const id = await create(at.app, '/api/v2/storylines', { title: 'v0', isEnabled: true }, at.user.headers);
      for (let n = 1; n <= bounds.versionsOfRecord + 3; n++) {
        at.tick();
        const url = `/api/v2/storylines/${id}`;
        await at.app.send({ method: 'PUT', url, headers: at.user.headers, body: { title: `v${n}` } });
      }
      const titles = (await at.versions('storylines', id)).map((one: { state: { title: string } }) => one.state.title);
      assert.deepEqual([titles.length, titles[0], titles.at(-1)], [30, 'v32', 'v3']);
    });

    test('a deleted storyline is nowhere but in the trash, and comes back with its scenarios', async () => {
      const id = await create(at.app, '/api/v2/storylines', { title: 'Tour', isEnabled: true }, at.user.headers);
      const scenario = { beacons: [at.beaconId], campaign: 'TEXT', event: 'ENTER', showOn: [], alertTitle: 'Hi' };
      const detailId = await create(at.app, `/api/v2/storylines/${id}/detail`, scenario, at.user.headers);
      const [header, detail] = [
        await at.get(`/storylines/${id}`),
        await at.get(`/storylines/${id}/detail/${detailId}`),
      ];
      at.tick();
      await at.app.send({ method: 'DELETE', url: `/api/v2/storylines/${id}`, headers: at.user.headers });
      const listed = (await at.get('/storylines')).results.map(({ objectId }: { objectId: string }) => objectId);
      assert.ok(!listed.includes(id));
      const entry = await at.inTrash(id);
      assert.deepEqual([entry.kind, entry.title, entry.deletedBy.userId], ['storylines', 'Tour', at.user.userId]);
      assert.equal(Date.parse(entry.goesAt) - Date.parse(entry.deletedAt), 30 * 86_400_000);

      const restored = await at.ask(at.editor, 'POST', `/trash/${entry.objectId}/restore`);
      assert.equal(restored.result.objectId, id);
      const strip = ({ result: { updatedAt: _, ...rest } }: { result: { updatedAt: string } }) => rest;
      assert.deepEqual(strip(await at.get(`/storylines/${id}`)), strip(header));
      assert.deepEqual(strip(await at.get(`/storylines/${id}/detail/${detailId}`)), strip(detail));
      const where = encodeURIComponent(JSON.stringify({ beacons: at.beaconId, event: 'ENTER' }));
      const found = (await at.get(`/storylines/details?where=${where}`)).results;
      assert.ok(found.some(({ objectId }: { objectId: string }) => objectId === detailId));
      assert.equal(await at.inTrash(id), undefined);
      // A second click finds nothing to restore.
      const again = await at.editor.send({ method: 'POST', url: `${at.appPath()}/trash/${entry.objectId}/restore` });
      assert.equal(again.status, 404);
    });

    test('the trash is listed by kind, and goes on where a page has ended', async () => {
      const titles = ['One', 'Two'];
      for (const title of titles) {
        const id = await create(at.app, '/api/v2/storylines', { title, isEnabled: true }, at.user.headers);
        await at.ask(at.editor, 'DELETE', `/v2/storylines/${id}`);
      }
      const message = await create(at.app, '/api/v2/notifications', at.welcome(), at.user.headers);
      await at.ask(at.editor, 'DELETE', `/v2/notifications/${message}`);
      const list = async (query: string) => (await at.ask(at.owner, 'GET', `/trash?${query}`)).results;
      const [last, ...others] = await at.trash();
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
      const id = await create(at.app, '/api/v2/storylines', { title: 'Short', isEnabled: true }, at.user.headers);
      const scenario = { beacons: [at.beaconId], campaign: 'TEXT', event: 'ENTER', showOn: [] };
      const detailId = await create(at.app, `/api/v2/storylines/${id}/detail`, scenario, at.user.headers);
      await at.ask(at.editor, 'DELETE', `/v2/storylines/${id}/detail/${detailId}`);
      await at.ask(at.editor, 'DELETE', `/v2/storylines/${id}`);
      const { objectId } = await at.inTrash(detailId);
      const refused = await at.editor.send({ method: 'POST', url: `${at.appPath()}/trash/${objectId}/restore` });
      assert.deepEqual([refused.status, refused.body.code], [400, 142]);
      assert.ok((await at.inTrash(detailId)) !== undefined);
      await at.ask(at.editor, 'POST', `/trash/${(await at.inTrash(id)).objectId}/restore`);
      await at.ask(at.editor, 'POST', `/trash/${objectId}/restore`);
      assert.equal((await at.get(`/storylines/${id}/detail/${detailId}`)).result.objectId, detailId);
    });

    test('the settings of the app go back, and whether it is on stays', async () => {
      const before = (await at.ask(at.owner, 'GET', '')).result;
      await at.ask(at.owner, 'PUT', '', { policy: { timeZone: 'Europe/Vienna' } });
      await at.ask(at.owner, 'PUT', '', { disabled: true });
      const kept = await at.versions('settings', at.app.appId);
      assert.deepEqual([kept.length, kept[0].replacedBy.name], [1, at.owner.email]);
      const back = `${at.appPath()}/history/settings/${at.app.appId}/${kept[0].objectId}/restore`;
      const late = await at.owner.send({ method: 'POST', url: back, headers: { 'if-match': '"before"' } });
      assert.equal(late.status, 412, 'somebody else has changed them meanwhile');
      await at.ask(at.owner, 'POST', `/history/settings/${at.app.appId}/${kept[0].objectId}/restore`);
      const after = (await at.ask(at.owner, 'GET', '')).result;
      assert.deepEqual([after.policy, after.disabled], [before.policy, true]);
      await at.ask(at.owner, 'PUT', '', { disabled: false });
      assert.equal((await at.editor.send({ method: 'POST', url: back })).status, 403);
    });

    test('a person who is erased is in no version and in no trash', async () => {
      await at.createQuiz();
      const anna = await signIn(at.app);
      const mine = await create(at.app, '/api/v2/data/bucket/quiz', { metadata: { name: 'of Anna' } }, anna.headers);
      const other = await create(
        at.app,
        '/api/v2/data/bucket/quiz',
        { metadata: { name: 'still there' } },
        anna.headers,
      );
      await at.ask(at.editor, 'DELETE', `/v2/data/bucket/quiz/${mine}`);
      await at.ask(at.editor, 'PUT', `/v2/data/bucket/quiz/${other}`, { metadata: { name: 'changed' } });
      // What belongs to others can be put back, also where she has deleted or changed it.
      const house = await create(at.app, '/api/v2/notifications', at.welcome(), at.user.headers);
      const url = `/api/v2/notifications/${house}`;
      at.tick();
      await at.app.send({ method: 'PUT', url, headers: anna.headers, body: { description: 'Hers' } });
      at.tick();
      assert.equal((await at.app.send({ method: 'DELETE', url, headers: anna.headers })).status, 200);
      const exported = await at.app.send({ method: 'GET', url: '/api/v2/users/me/export', headers: anna.headers });
      assert.ok(JSON.stringify(exported.body).includes('of Anna'));
      assert.ok(!JSON.stringify(exported.body).includes(at.editor.email), 'an export names nobody else');
      await at.ask(at.owner, 'DELETE', `/users/${anna.userId}`);
      await at.app.app.idle();
      const { db } = at.app.storage;
      const left = await db.all(sql`select title from trash where record_id = ${mine}`);
      const states = await db.all(sql`select state from versions where record_id = ${other}`);
      assert.deepEqual([left, states], [[], []]);
      assert.equal(await at.inTrash(mine), undefined);
      const by = { name: null, userId: null };
      assert.deepEqual((await at.inTrash(house)).deletedBy, by);
      assert.deepEqual(
        (await at.versions('notifications', house)).map(({ replacedBy }: { replacedBy: object }) => replacedBy),
        [by],
      );
    });

    test('after thirty days nothing is left of what was deleted', async () => {
      const id = await create(at.app, '/api/v2/notifications', at.welcome(), at.user.headers);
      await at.ask(at.editor, 'PUT', `/v2/notifications/${id}`, { description: 'Changed' });
      await at.ask(at.editor, 'DELETE', `/v2/notifications/${id}`);
      await at.sweep();
      assert.ok(await at.inTrash(id));
      assert.equal((await at.versions('notifications', id)).length, 1);
      at.tick(31 * 86_400_000);
      at.owner = await openConsole(at.app, 'owner');
      await at.sweep();
      assert.equal(await at.inTrash(id), undefined);
      assert.deepEqual(await at.versions('notifications', id), []);
    });
  });
}
