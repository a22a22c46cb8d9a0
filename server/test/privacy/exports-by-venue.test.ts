import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, type SignedIn, signIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { type Browser, browserOf, openConsole, password, signInToConsole } from '../support/console.ts';
import { openSite, pointer, type Site } from '../support/site.ts';

/** Whatever leaves the service as a whole document, or page by page until it is one, keeps to the venues of who asks. */

const bucket = '/api/v2/data/bucket/rota';
const southern = 'SOUTHERN';

for (const database of databases) {
  describe(`exports and venues on ${database}`, () => {
    let site: Site;
    let owner: Browser;
    let nora: Browser;
    let guide: SignedIn;
    let north: string;
    let south: string;
    let southPhone: string;
    const app = () => `/apps/${site.app.appId}`;

    beforeAll(async () => {
      site = await openSite(database);
      const { headers } = site.user;
      owner = await openConsole(site.app, 'owner');
      north = await create(site.app, '/api/v2/venues', { name: 'North' }, headers);
      south = await create(site.app, '/api/v2/venues', { name: `${southern} venue` }, headers);
      const at = async (venue: string, name: string, minor: number) => {
        const beacon = await site.beacon({ name: `${name} door`, minor, venueId: pointer('Venue', venue) });
        await site.notification({ description: `${name} message`, beaconId: pointer('Beacon', beacon) });
        const installationId = `${name} phone`;
        const phone = await site.installation({ installationId, deviceModel: `${name} model` });
        await site.send([{ beacon, event: 'ENTER' }], { installationId });
        return { beacon, phone };
      };
      await at(north, 'northern', 41);
      southPhone = (await at(south, southern, 42)).phone;

      guide = await signIn(site.app);
      await site.app.app.buckets.createBucket(site.app.appId, 'rota');
      const theirs = { 'metadata.venues': { $in: ['$auth.venues'] } };
      await site.app.app.apps.changeRules(site.app.appId, {
        resources: { beacons: { list: { venueId: '$auth.venues' }, get: { venueId: '$auth.venues' } } },
        buckets: { rota: { list: theirs, get: theirs, create: 'user', update: theirs, delete: 'nobody' } },
      });
      const url = `/api/v2/users/${guide.userId}/venues`;
      const given = await site.ask({ method: 'PUT', url, body: { venueIds: [north] } });
      assert.equal(given.status, 200);
      for (const [venues, title] of [
        [[north], 'northern shift'],
        [[north, south], 'shift of both'],
        [[south], `${southern} shift`],
      ])
        await create(site.app, bucket, { metadata: { title, venues } }, headers);

      const email = 'nora@museum.example';
      const apps = [{ appId: site.app.appId, venues: [north] }];
      const body = { email, name: 'Nora', role: 'manager', password, apps };
      assert.equal((await owner.send({ method: 'POST', url: '/administrators', body })).status, 201);
      nora = browserOf(site.app, await signInToConsole(site.app, email));
    });
    afterAll(() => site.close());

    test('an administrator of one venue pages through its lists, as an export does, and meets nothing of another', async () => {
      for (const path of ['beacons', 'notifications', 'visits', 'events', 'verdicts']) {
        const list = `${app()}/v2/${path}`;
        const seen = [];
        for (let skip = 0; ; skip++) {
          const query = new URLSearchParams({ limit: '1', skip: String(skip), order: 'objectId', count: '1' });
          const { status, body, raw } = await nora.send({ method: 'GET', url: `${list}?${query}` });
          assert.equal(status, 200, `${path}: ${raw}`);
          if (body.results.length === 0) {
            assert.equal(body.count, seen.length, `${path}: the count is that of the pages`);
            break;
          }
          seen.push(...body.results);
        }
        assert.ok(path === 'verdicts' || seen.length > 0, path);
        const all = (await owner.send({ method: 'GET', url: `${list}?limit=1000` })).body.results;
        assert.ok(path === 'verdicts' || all.length > seen.length, `${path}: there is more`);
        const text = JSON.stringify(seen);
        assert.ok(!text.includes(southern) && !text.includes(southPhone) && !text.includes(south), `${path}: ${text}`);
      }
    });

    test('what an app keeps of people and as a whole is refused to her, with a sentence', async () => {
      const paths = [
        `${app()}/users/${guide.userId}/export`,
        `${app()}/installations/${southPhone}/export`,
        `${app()}/v2/data/bucket/rota`,
        `${app()}/v2/logs`,
        `${app()}/v2/deliveries`,
        `${app()}/v2/users`,
        '/system/backup-plan',
      ];
      for (const url of paths) {
        const { status, body, raw } = await nora.send({ method: 'GET', url });
        assert.deepEqual([url, status, body.error?.name], [url, 403, 'OperationForbidden']);
        assert.ok(!raw.toString().includes(southern), url);
        assert.ok(body.error.error.length > 10);
        assert.notEqual((await owner.send({ method: 'GET', url })).status, 403, url);
      }
    });

    test('a user of one venue gets the shared records of it, in lists, counts and her own export', async () => {
      const ask = (url: string) => site.app.send({ method: 'GET', url, headers: guide.headers });
      const list = await ask(`${bucket}?count=1&limit=1000`);
      assert.equal(list.body.count, 2, list.raw.toString());
      assert.ok(list.raw.toString().includes('shift of both') && !list.raw.toString().includes(southern));
      assert.equal(
        (await ask(`${bucket}?count=1&limit=0&where=${encodeURIComponent('{"metadata.title":{"$regex":"SOUTH"}}')}`))
          .body.count,
        0,
      );

      const headers = guide.headers;
      const own = { metadata: { title: 'own shift', venues: [north] } };
      assert.equal((await site.app.send({ method: 'POST', url: bucket, headers, body: own })).status, 201);
      const exported = await ask('/api/v2/users/me/export');
      assert.equal(exported.status, 200);
      const text = exported.raw.toString();
      assert.ok(text.includes('own shift'), text);
      for (const other of [southern, southPhone, 'northern shift', 'shift of both'])
        assert.ok(!text.includes(other), `${other} is not hers`);
    });

    test('what was shared with a venue is gone for her as soon as she leaves it', async () => {
      const url = `/api/v2/users/${guide.userId}/venues`;
      await site.ask({ method: 'PUT', url, body: { venueIds: [] } });
      const { headers } = guide;
      assert.equal((await site.app.send({ method: 'GET', url: `${bucket}?count=1`, headers })).body.count, 0);
      const text = (await site.app.send({ method: 'GET', url: '/api/v2/users/me/export', headers })).raw.toString();
      assert.ok(text.includes('own shift') && !text.includes('northern shift'), 'her own stays in her export');
    });
  });
}
