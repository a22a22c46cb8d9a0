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

const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';

for (const database of databases) {
  describe(`what an installer's own phone hears, on ${database}`, () => {
    let site: Site;
    let installer: Browser;
    let phone: string;
    const beacons: Record<string, string> = {};
    let north: string;
    beforeAll(async () => {
      site = await openSite(database);
      north = await create(site.app, '/api/v2/venues', { name: 'North' }, site.user.headers);
      for (const [index, name] of ['near', 'far', 'elsewhere'].entries())
        beacons[name] = await site.beacon({
          name,
          minor: 51 + index,
          ...(name === 'elsewhere' ? {} : { venueId: pointer('Venue', north) }),
        });
      installer = await openConsole(site.app, 'installer');
      phone = await pair(installer, 'ladder');
      await pair(await openConsole(site.app, 'editor'), 'visitor');
    });
    afterAll(() => site.close());

    async function pair(who: Browser, name: string): Promise<string> {
      const headers = { 'installation-secret': name.padEnd(43, 'x') };
      const sent = { method: 'POST', headers } as const;
      const body = { installationId: name, deviceType: 'android' };
      const { objectId } = (await site.app.send({ ...sent, url: '/api/v2/installations', body })).body.result;
      const shown = await who.send({ method: 'POST', url: `/apps/${site.app.appId}/own-phones/code` });
      assert.equal(shown.status, 201, JSON.stringify(shown.body));
      const url = `/api/v2/installations/${objectId}/pairing`;
      assert.equal((await site.app.send({ ...sent, url, body: shown.body.result })).status, 200);
      return objectId;
    }

    /** Three readings of each beacon within the last second. */
    async function hear(installationId: string, rssis: Readonly<Record<number, number>>) {
      const sightings = Object.entries(rssis).flatMap(([minor, rssi]) =>
        [-1, 0, 30].map((off, index) => ({
          uuid,
          major: 1,
          minor: Number(minor),
          rssi: rssi + off,
          occurredAt: site.now - 900 + 300 * index,
        })),
      );
      const headers = { 'installation-secret': installationId.padEnd(43, 'x') };
      const body = { installationId, sightings };
      const answer = await site.app.send({ method: 'POST', url: '/api/v2/sightings', body, headers });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
    const ask = async (who: Browser) => {
      const { status, body } = await who.send({ method: 'GET', url: `/apps/${site.app.appId}/own-phones/heard` });
      assert.equal(status, 200, JSON.stringify(body));
      return body.result.beacons as { beaconId: string; rssi: number; samples: number; lastHeardAt: string }[];
    };
    const namesOf = (heard: Awaited<ReturnType<typeof ask>>) =>
      heard.map(({ beaconId }) => Object.keys(beacons).find((name) => beacons[name] === beaconId));

    test('lists beacons by the median of some seconds, loudest first, and only those of that phone', async () => {
      assert.deepEqual(await ask(installer), []);
      await hear('visitor', { 53: -41 });
      assert.deepEqual(await ask(installer), [], 'the phone of somebody else');
      await hear('ladder', { 51: -50, 52: -70, 53: -80 });
      const heard = await ask(installer);
      assert.deepEqual(namesOf(heard), ['near', 'far', 'elsewhere']);
      assert.deepEqual(heard[0], {
        beaconId: beacons['near'],
        rssi: -50,
        samples: 3,
        lastHeardAt: new Date(site.now - 300).toISOString(),
      });
      const samplesFor = (who: Browser, since: number) =>
        who.send({
          method: 'GET',
          url: `/apps/${site.app.appId}/own-phones/phones/${phone}/samples?since=${new Date(since).toISOString()}`,
        });
      const { result } = (await samplesFor(installer, site.now - 500)).body;
      const at = new Date(site.now - 300).toISOString();
      const last = ['near', 'far', 'elsewhere'].map((name, index) => ({
        ...{ beacon: beacons[name], rssi: [-20, -40, -50][index], occurredAt: at },
      }));
      assert.equal(result.now, new Date(site.now).toISOString());
      assert.deepEqual(new Set(result.samples.slice(-3)), new Set(last));
      assert.equal((await samplesFor(installer, site.now - 601_000)).status, 400);
      assert.equal(
        (await samplesFor(await openConsole(site.app, 'manager'), site.now)).status,
        404,
        'of somebody else',
      );
      site.app.clock.now += 10_000;
      assert.deepEqual(await ask(installer), [], 'some seconds later it is elsewhere');
      await hear('ladder', { 51: -75, 52: -55 });
      assert.deepEqual(namesOf(await ask(installer)), ['far', 'near']);
    });

    test('covers only their venues for administrators who are limited to some', async () => {
      const owner = await openConsole(site.app, 'owner');
      const email = 'nils@museum.example';
      const apps = [{ appId: site.app.appId, venues: [north] }];
      const body = { email, name: 'Nils', role: 'installer', password, apps };
      assert.equal((await owner.send({ method: 'POST', url: '/administrators', body })).status, 201);
      const nils = browserOf(site.app, await signInToConsole(site.app, email));
      await pair(nils, 'steps');
      await hear('steps', { 51: -60, 53: -40 });
      assert.deepEqual(namesOf(await ask(nils)), ['near']);
    });

    test('is of no phone that was paired once', async () => {
      await hear('ladder', { 51: -50 });
      assert.equal((await ask(installer)).length > 0, true);
      const url = `/apps/${site.app.appId}/own-phones/phones/${phone}`;
      assert.equal((await installer.send({ method: 'DELETE', url })).status, 200);
      assert.deepEqual(await ask(installer), []);
    });
  });
}
