import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, type SignedIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { malloryOf, nothingOf, openScene, refused, type Scene } from '../support/hostile/attempts.ts';
import { pointer, type Site } from '../support/site.ts';

/** What somebody who is signed in might learn of hidden records by doing something else than reading them. */

const kept = { list: 'manager', get: 'manager' } as const;
const own = { list: 'owner', get: 'owner', create: 'user', update: 'owner', delete: 'owner' } as const;

for (const database of databases) {
  describe(`attempts by indirection, on ${database}`, () => {
    let scene: Scene;
    let site: Site;
    let mallory: SignedIn;
    const { send } = malloryOf(() => scene);

    beforeAll(async () => {
      scene = await openScene(database);
      ({ site, mallory } = scene);
    });
    afterAll(() => site.close());

    test('a rehearsal tells nothing of messages that may not be read, whether they are drafts or planned', async () => {
      const resources = { notifications: kept, storylines: kept, scenarios: kept };
      await site.app.app.apps.changeRules(site.app.appId, { resources });
      const draft = await site.notification({ description: 'Draft', isEnabled: false });
      const planned = await site.notification({ description: 'Planned' });
      const scenario = await site.scenario();
      const body = { sightings: [site.decided('ENTER', site.now + 400 * 86_400_000)] };
      const asked = (headers: SignedIn['headers']) =>
        site.app.send({ method: 'POST', url: '/api/v2/simulations', headers, body });
      const hers = await asked(mallory.headers);
      assert.deepEqual([hers.status, hers.body.result.events.length], [200, 1]);
      assert.deepEqual([hers.body.result.verdicts, hers.body.result.messages], [[], []]);
      nothingOf(hers, draft, planned, scenario, 'Welcome');
      const { verdicts, messages } = (await asked(site.user.headers)).body.result;
      const ids = verdicts.map(({ triggerId }: { triggerId: string }) => triggerId);
      for (const id of [draft, planned, scenario]) assert.ok(ids.includes(id), 'a manager is told');
      assert.ok(messages.length > 0);
      await site.app.app.apps.changeRules(site.app.appId, { resources: { ...resources, scenarios: own } });
      const { result } = (await asked(mallory.headers)).body;
      assert.deepEqual(result.verdicts, [], 'neither of a scenario of somebody else');
    });

    test('what is in the way of a deletion is not counted, and a level does not name its floor', async () => {
      const resources = {
        venues: { ...own, list: 'user', get: 'user' },
        floors: own,
        zones: own,
        beacons: own,
      } as const;
      await site.app.app.apps.changeRules(site.app.appId, { resources });
      const as = (who: SignedIn, path: string, of: object) => create(site.app, `/api/v2/${path}`, of, who.headers);
      const venue = await as(mallory, 'venues', { name: 'Hers' });
      const venueId = pointer('Venue', venue);
      const floor = await as(mallory, 'floors', { name: 'Hers', level: 0, venueId });
      await as(site.user, 'floors', { name: 'Vault', level: 1, venueId });
      for (const minor of [71, 72, 73]) await site.beacon({ minor, venueId, location: { x: 1, y: 1 } });
      for (const path of [`venues/${venue}`, `floors/${floor}`]) {
        const answer = await send('DELETE', `/api/v2/${path}`);
        refused(answer, 400);
        assert.doesNotMatch(answer.body.error.error, /\d/);
        const { body } = await site.ask({ method: 'DELETE', url: `/api/v2/${path}` });
        assert.match(body.error.error, /3 beacons/, 'a manager is told how many');
      }
      const taken = await send('PUT', `/api/v2/floors/${floor}`, { level: 1 });
      refused(taken, 409);
      nothingOf(taken, 'Vault');
    });

    test('verified places tell nothing of beacons that may be changed and not read, and find none by a hidden member', async () => {
      const at = { x: 3, y: 4, floor: 0 };
      const venueId = pointer('Venue', scene.venue);
      const beacon = await site.beacon({ minor: 81, venueId, location: at });
      const verified = { method: 'PUT', url: `/api/v2/beacons/${beacon}/placement`, body: { location: at } } as const;
      assert.equal((await site.ask(verified)).status, 200);
      const places = (query: object) => send('GET', `/api/v2/placements?${new URLSearchParams({ ...query })}`);
      const rules = { list: 'user', get: 'user', update: 'user' } as const;
      const change = (beacons: object) =>
        site.app.app.apps.changeRules(site.app.appId, { resources: { beacons: { ...rules, ...beacons } } });
      await change({});
      assert.equal((await places({ venueId: scene.venue })).body.results.length, 1);
      await change({ members: { venueId: { hidden: ['user'] } } });
      refused(await places({ venueId: scene.venue }), 400);
      assert.equal((await places({ beaconId: beacon })).body.results.length, 1);
      await change({ members: { location: { hidden: ['user'] } } });
      assert.deepEqual((await places({ beaconId: beacon })).body.results, [], 'places are what is hidden');
      await change({ get: 'manager', list: 'manager' });
      assert.deepEqual((await places({})).body.results, []);
    });
  });
}
