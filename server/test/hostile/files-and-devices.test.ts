import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases, type SignedIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import type { Site } from '../support/site.ts';
import { idsOf, openTwoVisitors, type TwoVisitors } from '../support/sites/two-visitors.ts';

/** Files and devices belong to whoever made them. */

for (const database of databases) {
  describe(`files and devices of other people on ${database}`, () => {
    let them: TwoVisitors;
    let site: Site;
    let vera: SignedIn;
    let mallory: SignedIn;
    beforeEach(async () => {
      them = await openTwoVisitors(database);
      ({ site, vera, mallory } = them);
    });
    afterEach(() => them.close());

    test('files and devices are changed and deleted by their creators and by managers', async () => {
      const upload = (headers: Readonly<Record<string, string>>) =>
        create(site.app, '/api/v2/files/hall.txt', 'text', { ...headers, 'content-type': 'text/plain' });
      const device = { deviceName: 'Gateway', manufacture: 'Acme', topic: 'museum/1' };
      const made = async (headers: Readonly<Record<string, string>>) => [
        `/api/v2/files/${await upload(headers)}`,
        `/api/v2/device/${await create(site.app, '/api/v2/device', device, headers)}`,
      ];
      const remove = async (by: SignedIn, url: string) => (await them.as(by).send({ method: 'DELETE', url })).status;
      // Every signed-in user sees the devices; somebody else's file is not there.
      const refusalOf = (url: string) => (url.includes('/files/') ? 404 : 403);
      for (const url of await made(vera.headers)) {
        assert.equal(await remove(mallory, url), refusalOf(url), url);
        assert.equal(await remove(vera, url), 200, url);
      }
      for (const url of await made(vera.headers)) assert.equal(await remove(site.user, url), 200, url);
      const [, hers = ''] = await made(vera.headers);
      for (const method of ['PUT', 'PATCH'] as const) {
        const body = { topic: 'museum/2' };
        assert.equal((await them.as(mallory).send({ method, url: hers, body })).status, 403);
        assert.equal((await them.as(vera).send({ method, url: hers, body })).status, 200);
      }
      for (const url of await made({})) assert.equal(await remove(mallory, url), 200, 'as specified');
      const ofNobody = await made({});
      await site.app.app.apps.change(site.app.appId, { policy: { writeContent: 'manager' } });
      for (const url of ofNobody) {
        assert.equal(await remove(mallory, url), refusalOf(url), url);
        assert.equal(await remove(site.user, url), 200);
      }
      const [file = ''] = await made(vera.headers);
      assert.deepEqual((await them.as(mallory).list('files')).results, []);
      assert.equal((await them.as(mallory).send({ method: 'GET', url: file })).status, 404);
      assert.ok(idsOf(await them.as(vera).list('files')).includes(file.split('/').at(-1)));
    });
  });
}
