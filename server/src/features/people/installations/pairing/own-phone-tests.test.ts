import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { create } from '../../../../../test/support/cases.ts';
import {
  type Browser,
  browserOf,
  openConsole,
  password,
  signInToConsole,
} from '../../../../../test/support/console.ts';
import { openSite, pointer, type Site } from '../../../../../test/support/site.ts';

const data = { title: 'Tonight', alert: 'Open until 22:00.' };

for (const database of databases) {
  describe(`a draft on one's own phone, on ${database}`, () => {
    let site: Site;
    let owner: Browser;
    let nora: Browser;
    let ben: Browser;
    let north: { readonly beacon: string; readonly notification: string };
    let south: typeof north;
    let phone: string;
    let theirs: string;

    beforeAll(async () => {
      site = await openSite(database);
      owner = await openConsole(site.app, 'owner');
      const venueOf = (name: string) => create(site.app, '/api/v2/venues', { name }, site.user.headers);
      const at = async (venue: string, minor: number) => {
        const beacon = await site.beacon({ name: `door ${minor}`, minor, venueId: pointer('Venue', venue) });
        return { beacon, notification: await site.notification({ beaconId: pointer('Beacon', beacon) }) };
      };
      const [northVenue, southVenue] = [await venueOf('North'), await venueOf('South')];
      [north, south] = [await at(northVenue, 31), await at(southVenue, 32)];
      // Limited to one venue, and to nothing.
      const email = 'nora@museum.example';
      const apps = [{ appId: site.app.appId, venues: [northVenue] }];
      const body = { email, name: 'Nora', role: 'editor', password, apps };
      const made = await owner.send({ method: 'POST', url: '/administrators', body });
      assert.equal(made.status, 201);
      nora = browserOf(site.app, await signInToConsole(site.app, email));
      ben = await openConsole(site.app, 'editor');
      [phone, theirs] = [await pair(nora, 'nora'), await pair(ben, 'ben')];
    });
    afterAll(() => site.close());

    async function pair(who: Browser, name: string): Promise<string> {
      const headers = { 'installation-secret': name.padEnd(43, 'x') };
      const token = `${name}-token`.padEnd(140, 'y');
      const installation = { installationId: name, deviceType: 'android', deviceModel: 'Pixel 8', deviceToken: token };
      const sent = { method: 'POST', headers } as const;
      const made = await site.app.send({ ...sent, url: '/api/v2/installations', body: installation });
      const { objectId } = made.body.result;
      const shown = await who.send({ method: 'POST', url: `/apps/${site.app.appId}/own-phones/code` });
      assert.equal(shown.status, 201, JSON.stringify(shown.body));
      const { code } = shown.body.result;
      const url = `/api/v2/installations/${objectId}/pairing`;
      assert.equal((await site.app.send({ ...sent, url, body: { code } })).status, 200);
      return objectId;
    }

    const testsOf = (id: string) => `/apps/${site.app.appId}/own-phones/phones/${id}/tests`;
    const send = (who: Browser, id: string, body: object) => who.send({ method: 'POST', url: testsOf(id), body });
    const told = (who: Browser) => who.send({ method: 'GET', url: `/apps/${site.app.appId}/own-phones` });
    const refusal = ({ status, body }: Awaited<ReturnType<typeof send>>) => [status, body.error?.name];
    /** What has gone out since the last look: to whom, and what. */
    async function gone() {
      await site.app.app.idle();
      return site.provider.calls
        .splice(0)
        .map(({ message, target }) => [target.token.slice(0, 5), message.content.title]);
    }

    test('goes only to that phone, also for an administrator limited to a venue, who sees the result', async () => {
      assert.equal((await told(nora)).body.result.phones[0].objectId, phone);
      for (const about of [{ beaconId: north.beacon }, { notificationId: north.notification }, north]) {
        const { beacon: _b, notification: _n, ...asked } = { beacon: '', notification: '', ...about };
        const body = about === north ? { beaconId: north.beacon, notificationId: north.notification } : asked;
        const answer = await send(nora, phone, { data, ...body });
        assert.equal(answer.status, 201, JSON.stringify(answer.body));
        assert.deepEqual(await gone(), [['nora-', 'Tonight']]);
        const url = `${testsOf(phone)}/${answer.body.result.pushId}`;
        assert.equal((await nora.send({ method: 'GET', url })).body.result.delivery.state, 'sent');
      }
      const [entry] = (await owner.send({ method: 'GET', url: '/audit?limit=1' })).body.results;
      assert.deepEqual([entry.action, entry.actor, entry.subject], ['ownPhone.test', nora.email, phone]);
    });

    test('of another venue is not there, and one of no place is refused', async () => {
      const others = [
        { beaconId: south.beacon },
        { notificationId: south.notification },
        { beaconId: north.beacon, notificationId: south.notification },
        { beaconId: south.beacon, notificationId: north.notification },
        { beaconId: '0000000000000000NONE' },
      ];
      for (const about of others)
        assert.deepEqual(
          refusal(await send(nora, phone, { data, ...about })),
          [404, 'ObjectNotFound'],
          JSON.stringify(about),
        );
      assert.deepEqual(refusal(await send(nora, phone, { data })), [403, 'OperationForbidden']);
      assert.deepEqual(await gone(), []);
    });

    test("somebody else's phone gets nothing and tells nothing, whoever asks", async () => {
      assert.deepEqual(refusal(await send(nora, theirs, { data, beaconId: north.beacon })), [404, 'ObjectNotFound']);
      assert.deepEqual(refusal(await send(owner, phone, { data })), [404, 'ObjectNotFound']);
      assert.deepEqual(refusal(await send(nora, site.phone, { data, beaconId: north.beacon })), [
        404,
        'ObjectNotFound',
      ]);
      const { pushId } = (await send(ben, theirs, { data })).body.result;
      await gone();
      for (const id of [theirs, phone]) {
        const { status, body } = await nora.send({ method: 'GET', url: `${testsOf(id)}/${pushId}` });
        assert.deepEqual([status, body.result?.delivery ?? null], id === phone ? [200, null] : [404, null]);
      }
      const url = `/apps/${site.app.appId}/own-phones/phones/${theirs}`;
      assert.equal((await nora.send({ method: 'DELETE', url })).status, 404);
    });

    test('a push is still no business of somebody limited to a venue, and an audience cannot be smuggled in', async () => {
      const push = { method: 'POST', url: `/apps/${site.app.appId}/v2/push/notification`, body: { data } } as const;
      assert.deepEqual(refusal(await nora.send(push)), [403, 'OperationForbidden']);
      const smuggled = await send(nora, phone, { data, beaconId: north.beacon, where: {} });
      assert.ok([201, 400].includes(smuggled.status));
      assert.ok((await gone()).every(([token]) => token === 'nora-'));
      const wordless = await send(nora, phone, { data: {}, beaconId: north.beacon });
      assert.deepEqual(refusal(wordless), [400, 'ValidationError']);
    });

    test('under pseudonyms it is shown and tested as before, and what it got names it to nobody else', async () => {
      const { app } = site;
      await app.app.apps.change(app.appId, { policy: { pseudonyms: 'daily' } });
      app.clock.now += 60_000;
      await nora.send({ method: 'POST', url: '/session/confirm', body: { password } });
      const shown = (await told(nora)).body.result.phones;
      assert.deepEqual(
        shown.map(({ objectId }: { objectId: string }) => objectId),
        [phone],
      );
      const sent = await send(nora, phone, { data, beaconId: north.beacon });
      assert.equal(sent.status, 201, JSON.stringify(sent.body));
      assert.deepEqual(await gone(), [['nora-', 'Tonight']]);
      const url = `${testsOf(phone)}/${sent.body.result.pushId}`;
      const { delivery } = (await nora.send({ method: 'GET', url })).body.result;
      assert.equal(delivery.state, 'sent');
      // Visits of the phone are as anonymous as everybody's, to whoever paired it too.
      const body = { installationId: 'nora', sightings: [{ beacon: north.beacon, event: 'ENTER' }] };
      const headers = { 'installation-secret': 'nora'.padEnd(43, 'x') };
      assert.equal((await app.send({ method: 'POST', url: '/api/v2/sightings', headers, body })).status, 200);
      for (const list of ['visits', 'events', 'deliveries']) {
        const { results } = (await site.ask({ method: 'GET', url: `/api/v2/${list}?limit=1000&order=-createdAt` }))
          .body;
        assert.ok(results.length > 0, list);
        const since = results.filter(({ createdAt }: { createdAt: string }) => Date.parse(createdAt) >= site.now);
        assert.ok(since.length > 0 && !JSON.stringify(since).includes(phone), `${list}: ${JSON.stringify(since)}`);
      }
      const visits = await nora.send({ method: 'GET', url: `/apps/${app.appId}/v2/visits?limit=1000` });
      assert.equal(visits.status, 200);
      assert.ok(visits.body.results.length > 0 && !JSON.stringify(visits.body).includes(phone));
      await app.app.apps.change(app.appId, { policy: { pseudonyms: 'none' } });
    });

    test('an analyst tests nothing', async () => {
      const analyst = await openConsole(site.app, 'analyst');
      assert.deepEqual(refusal(await send(analyst, phone, { data })), [403, 'OperationForbidden']);
    });
  });
}
