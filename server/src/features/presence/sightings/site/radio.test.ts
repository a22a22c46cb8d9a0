import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { openConsole } from '../../../../../test/support/console.ts';
import { openSite, type Site } from '../../../../../test/support/site.ts';
import { passVisitors } from '../../../../../test/support/sites/teach-signal.ts';
import { CacheVersion } from '../../../../db/nodes/cache-version.ts';
import { RadioLearning } from './radio.ts';
import { findBeaconsById } from './site.ts';

for (const database of databases) {
  describe(`what traffic teaches about a beacon on ${database}`, () => {
    let site: Site;
    let radio: RadioLearning;
    beforeEach(async () => {
      site = await openSite(database);
      radio = new RadioLearning(site.app.storage.db, new CacheVersion(site.app.storage.db, 'site'));
    });
    afterEach(() => site.close());

    const pass = (quieter: number, next = quieter) => passVisitors(radio, site.app.appId, site.hall, [quieter, next]);
    const learned = async () =>
      (await findBeaconsById(site.app.storage.db, site.app.appId, [site.hall]))[0]?.settings.learned;

    test('is applied, looked into, and forgotten on request', async () => {
      pass(6);
      assert.equal(await learned(), undefined, 'nothing is written yet');
      await radio.flush(site.now);
      const found = await learned();
      assert.ok(found && Math.abs(found.loss + 5 * found.exponent - 6) < 1.5, JSON.stringify(found));
      const console = await openConsole(site.app, 'owner');
      const url = `/apps/${site.app.appId}/radio`;
      const { body } = await console.send({ method: 'GET', url });
      assert.equal(body.result[0].beaconId, site.hall);
      assert.equal(body.result[0].seconds, 480);
      assert.deepEqual(body.result[0].learned, found);
      const ofOthers = await console.send({ method: 'GET', url: `${url}?beaconId=${site.phone}` });
      assert.deepEqual(ofOthers.body.result, []);
      assert.equal((await console.send({ method: 'DELETE', url: `${url}/${site.hall}` })).status, 200);
      assert.equal(await learned(), undefined);
      pass(6);
      await radio.reset(site.app.appId, site.hall);
      await radio.flush(site.now);
      assert.equal(await learned(), undefined, 'what was not written yet is forgotten too');
    });

    test('is not applied where visitors disagree, and ends with a new calibration', async () => {
      pass(3, -3);
      await radio.flush(site.now);
      assert.equal(await learned(), undefined);
      pass(6);
      pass(6);
      await radio.flush(site.now);
      assert.ok(await learned());
      await site.ask({ method: 'PUT', url: `/api/v2/beacons/${site.hall}`, body: { measuredPower: -65 } });
      assert.equal(await learned(), undefined, 'it was learned under another measured power');
    });
  });
}
