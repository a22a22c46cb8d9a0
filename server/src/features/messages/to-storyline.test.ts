import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../test/support/console.ts';
import { openSite, type Site, week } from '../../../test/support/site.ts';

for (const database of bothDatabases) {
  describe(`a notification that becomes a storyline on ${database}`, () => {
    let site: Site;
    let editor: Browser;
    let id = '';
    beforeAll(async () => {
      site = await openSite(database);
      editor = await openConsole(site.app, 'editor');
      id = await site.notification({
        delivery: { oncePer: 'event', caps: [{ count: 1, per: 'trigger', window: 'day' }] },
      });
    });
    afterAll(() => site?.close());

    const url = () => `/apps/${site.app.appId}/notifications/${id}/storyline`;
    const body = (change: object = {}) => ({
      title: 'Welcome',
      isEnabled: true,
      beacons: [site.hall],
      campaign: 'TEXT',
      event: 'ENTER',
      showOn: week.map((dayName) => ({ dayName, checked: true })),
      alertTitle: 'Welcome',
      delivery: { oncePer: 'event', caps: [{ count: 1, per: 'trigger', window: 'day' }] },
      ...change,
    });
    async function shown(): Promise<string[]> {
      site.app.clock.now += 60_000;
      const { messages } = await site.send([site.decided('ENTER')]);
      site.app.clock.now += 60_000;
      await site.send([site.decided('EXIT')]);
      return messages.map(({ triggerId }: { triggerId: string }) => triggerId);
    }

    test('is refused as a whole where the storyline is not valid, or somebody has changed it', async () => {
      assert.deepEqual(await shown(), [id]);
      const wrong = await editor.send({ method: 'POST', url: url(), body: body({ title: '', beacons: [] }) });
      assert.equal(wrong.status, 400);
      const nowhere = { beacons: [site.hall, '0000000000000000NONE'] };
      for (const change of [nowhere, { goal: { kind: 'visit', beaconId: '0000000000000000NONE', withinHours: 24 } }]) {
        const made = await editor.send({ method: 'POST', url: url(), body: body(change) });
        assert.equal(made.status, 404, JSON.stringify(made.body));
      }
      const old = { 'if-match': '"old"' };
      assert.equal((await editor.send({ method: 'POST', url: url(), body: body(), headers: old })).status, 412);
      assert.deepEqual(await site.list('storylines'), []);
      assert.equal((await site.get(`notifications/${id}`)).description, 'Welcome');
    });

    test('keeps its id, so that nobody is shown it twice, and is in no trash', async () => {
      const before = await site.get(`notifications/${id}`);
      const made = await editor.send({ method: 'POST', url: url(), body: body() });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      assert.deepEqual(await site.list('notifications'), []);
      const { title, isEnabled, createdBy, createdAt } = await site.get(`storylines/${id}`);
      assert.deepEqual([title, isEnabled, createdBy, createdAt], ['Welcome', true, before.createdBy, before.createdAt]);
      assert.equal((await site.get(`storylines/${id}/detail/${id}`)).alertTitle, 'Welcome');
      assert.deepEqual(await shown(), []);
      const trash = await editor.send({ method: 'GET', url: `/apps/${site.app.appId}/trash` });
      assert.deepEqual(trash.body.results, []);
      site.app.clock.now += 2 * 86_400_000;
      await site.signInAgain();
      assert.deepEqual(await shown(), [id]);
      await site.app.app.rollups.settle(site.app.appId);
      const on = new Date(site.now - 2 * 86_400_000).toISOString().slice(0, 10);
      const { messages } = await site.get(`analytics/messages?from=${on}`);
      const [{ triggerId, kind, groups }] = messages;
      assert.deepEqual([messages.length, triggerId, kind, groups[0].shown], [1, id, 'scenario', 2]);
    });
  });
}
