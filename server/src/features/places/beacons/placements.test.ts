import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  bothDatabases,
  buildApp,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { type Browser, browserOf, openConsole, password, signInToConsole } from '../../../../test/support/console.ts';
import { png } from '../../../../test/support/png.ts';

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
const hall = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
const location = { x: 4.2, y: 7.5, floor: 1 };
const picture = png(20, 10, () => [255, 255, 255]);

for (const database of bothDatabases) {
  describe(`where beacons are, as somebody has verified, on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let owner: Browser;
    let installer: Browser;
    let venueId: string;
    let beaconId: string;

    beforeAll(async () => {
      app = await buildApp({ database });
      manager = await signInManager(app);
      owner = await openConsole(app, 'owner');
      installer = await openConsole(app, 'installer');
      venueId = await create(app, '/api/v2/venues', { name: 'Tower' }, manager.headers);
      beaconId = await makeBeacon(venueId);
    });
    afterAll(() => app.close());

    const makeBeacon = (venue: string) =>
      create(app, '/api/v2/beacons', { ...hall, location, venueId: pointer('Venue', venue) }, manager.headers);
    const url = (path: string) => `/apps/${app.appId}/v2/${path}`;
    const verify = (who: Browser, body: object, id = beaconId) =>
      who.send({ method: 'PUT', url: url(`beacons/${id}/placement`), body });
    const photograph = (who: Browser, body = picture, type = 'image/png', id = beaconId) =>
      who.send({ method: 'POST', url: url(`beacons/${id}/photo`), headers: { 'content-type': type }, body });
    const list = async (who: Browser, query = `venueId=${venueId}`) =>
      (await who.send({ method: 'GET', url: url(`placements?${query}`) })).body.results;
    /** A new administrator who may do this in one venue only. */
    async function limitedTo(venue: string): Promise<Browser> {
      const email = `of-${venue}@museum.example`;
      const apps = [{ appId: app.appId, venues: [venue] }];
      const body = { email, name: 'Lim', role: 'installer', password, apps };
      assert.equal((await owner.send({ method: 'POST', url: '/administrators', body })).status, 201);
      return browserOf(app, await signInToConsole(app, email));
    }

    test('an installer verifies it with a photograph; it is known by whom and when, and when the beacon was moved', async () => {
      assert.deepEqual(await list(installer), []);
      const photo = await photograph(installer);
      assert.equal(photo.status, 201, JSON.stringify(photo.body));
      const verified = await verify(installer, { location, photoId: photo.body.objectId });
      assert.equal(verified.status, 200, JSON.stringify(verified.body));
      const [placement] = await list(owner);
      assert.match(placement.verifiedBy, /^installer/);
      assert.deepEqual(placement, {
        beaconId: pointer('Beacon', beaconId),
        location,
        isMoved: false,
        verifiedAt: new Date(app.clock.now).toISOString(),
        verifiedBy: placement.verifiedBy,
        photoId: photo.body.objectId,
      });
      assert.deepEqual(await list(owner, `beaconId=${beaconId}`), [placement]);
      const move = (to: object) =>
        app.send({
          method: 'PUT',
          url: `/api/v2/beacons/${beaconId}`,
          headers: manager.headers,
          body: { location: to },
        });
      await move({ ...location, x: 5 });
      assert.equal((await list(owner))[0].isMoved, true);
      const late = await verify(installer, { location });
      assert.deepEqual([late.status, late.body.error.name], [412, 'PreconditionFailed']);
      await move({ ...location, floor: '1', note: 'behind the door' });
      assert.equal((await list(owner))[0].isMoved, false, 'the same place, said otherwise');
      const { body } = await owner.send({ method: 'GET', url: '/audit?limit=3' });
      assert.ok(body.results.some(({ action }: { action: string }) => action === 'data.verifyPlacement'));
    });

    test('what was done without a network is sent later with its time; times that cannot be are refused', async () => {
      const at = (ms: number) => new Date(app.clock.now + ms).toISOString();
      const hour = 3_600_000;
      await verify(installer, { location, verifiedAt: at(-5 * hour) });
      assert.equal((await list(owner))[0].verifiedAt, at(-5 * hour));
      await verify(installer, { location, verifiedAt: at(hour) });
      assert.equal((await list(owner))[0].verifiedAt, at(0), 'a clock that is ahead');
      for (const verifiedAt of [at(25 * hour), at(-31 * 24 * hour), 'yesterday']) {
        const { status, body } = await verify(installer, { location, verifiedAt });
        assert.deepEqual([status, body.error.details[0].field], [400, 'verifiedAt'], verifiedAt);
      }
    });

    test('a photograph is a picture that is there, of a bearable size', async () => {
      const statusOf = async (answer: ReturnType<typeof photograph>) => (await answer).status;
      assert.equal(await statusOf(photograph(installer, picture, 'text/html')), 415);
      assert.equal(await statusOf(photograph(installer, Buffer.alloc(8 * 1024 * 1024 + 1), 'image/jpeg')), 413);
      assert.equal(await statusOf(photograph(installer, picture, 'image/png', 'none')), 404);
      const text = await owner.send({
        method: 'POST',
        url: url('files/note.txt'),
        headers: { 'content-type': 'text/plain' },
        body: 'no picture',
      });
      assert.equal((await verify(installer, { location, photoId: text.body.objectId })).status, 400);
      assert.equal((await verify(installer, { location, photoId: 'none' })).status, 404);
    });

    test('it is for those who may change the beacon, and for others there is nothing', async () => {
      const elsewhere = await create(app, '/api/v2/venues', { name: 'Garden' }, manager.headers);
      const [here, there] = [await limitedTo(venueId), await limitedTo(elsewhere)];
      assert.equal((await verify(here, { location })).status, 200);
      assert.equal((await list(here)).length, 1);
      assert.equal((await photograph(here)).status, 201);
      assert.deepEqual(await list(there), []);
      assert.equal((await verify(there, { location })).status, 404);
      assert.equal((await photograph(there)).status, 404);
      const editor = await openConsole(app, 'editor');
      assert.equal((await verify(editor, { location })).status, 403);
      assert.equal((await list(editor)).length, 1, 'editors see the beacons, too');
      const visitor = await signIn(app);
      const asked = await app.send({
        method: 'GET',
        url: `/api/v2/placements?venueId=${venueId}`,
        headers: visitor.headers,
      });
      assert.equal(asked.body.results.length, 1, 'with the first rules of an app, users may change beacons');
      assert.doesNotMatch(JSON.stringify(asked.body), /@/, 'addresses of administrators are not for visitors');
    });

    test('a manager of the app is named as a user; it is taken back, and goes with the beacon', async () => {
      const sent = await app.send({
        method: 'PUT',
        url: `/api/v2/beacons/${beaconId}/placement`,
        headers: manager.headers,
        body: { location },
      });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      const [{ verifiedBy, createdBy }] = await list(owner);
      assert.deepEqual([verifiedBy, createdBy.objectId], [undefined, manager.userId]);
      const withdraw = () => installer.send({ method: 'DELETE', url: url(`beacons/${beaconId}/placement`) });
      assert.equal((await withdraw()).status, 200);
      assert.deepEqual(await list(owner), []);
      assert.equal((await withdraw()).status, 404);
      await verify(installer, { location });
      await app.send({ method: 'DELETE', url: `/api/v2/beacons/${beaconId}`, headers: manager.headers });
      assert.deepEqual(await list(owner, `beaconId=${beaconId}`), []);
    });
  });
}
