import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, openStorage, type TestStorage } from '../../../test/support/build-app.ts';
import { createServices } from '../../app/services.ts';
import { readConfig } from '../../config/config.ts';
import { assertDemoOrEmpty } from '../../demo/make.ts';
import { saveDemoMark } from '../../features/operate/apps/demo-mark.ts';
import { prepareDemo } from './demo-service.ts';

for (const database of databases) {
  describe(`a folder or database without a demo on ${database}`, () => {
    let storage: TestStorage;
    beforeAll(async () => {
      storage = await openStorage(database);
    });
    afterAll(() => storage.close());

    test('a demo that was not finished is created again, a database with an app is refused', async () => {
      const { db, settings } = storage;
      await assertDemoOrEmpty(db);
      const { apps } = createServices({ db, now: Date.now });
      await apps.create('Half a museum');
      await assert.rejects(assertDemoOrEmpty(db), /data that is not the demo.*Choose an empty folder with --data/);
      const nothing = { seed: 'a', madeAt: 0, appId: '', userId: '', adminId: '', passwordHash: '', step: 0, rows: 0 };
      await saveDemoMark(db, { state: 'building', ...nothing });
      await assertDemoOrEmpty(db);
      const config = readConfig({ PHAROS_SECRET_KEY: 'ab'.repeat(32), ...settings });
      const made = await prepareDemo(config, db);
      assert.deepEqual(
        (await apps.list()).map(({ appId }) => appId),
        [made.mark.appId],
      );
      assert.equal((await prepareDemo(config, db)).secrets, undefined, 'the second time it is found');
    });
  });
}
