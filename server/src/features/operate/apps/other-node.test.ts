import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../test/support/build-app.ts';
import { type Node, openNode, openSite, type Site } from '../../../../test/support/site.ts';
import { appTables } from '../../../app/tables.ts';
import { raw, sql } from '../../../base/sql.ts';

/** What was made elsewhere must work at once; what was taken back, a node may know a moment later. */

for (const database of bothDatabases) {
  describe(`an app that another node changes on ${database}`, () => {
    let site: Site;
    let node: Node;
    beforeAll(async () => {
      site = await openSite(database);
      node = await openNode(site);
    });
    afterAll(async () => {
      await node.close();
      await site.close();
    });

    const statusWith = async (appKey: string) => {
      const headers = { ...site.user.headers, ...site.app.credentials, 'x-service-appkey': appKey };
      return (await site.app.send({ method: 'GET', url: '/api/v2/beacons', headers })).status;
    };

    test('its new key is right from the first moment', async () => {
      for (let round = 0; round < 5; round++) {
        const { appKey } = await node.app.apps.keys.rotate(site.app.appId);
        assert.equal(await statusWith(appKey), 200);
      }
    });

    test('many who come with a new key at once are all let in, and those with a wrong one are not', async () => {
      const { appKey } = await node.app.apps.keys.rotate(site.app.appId);
      const keys = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? appKey : `wrong-${n}`));
      assert.deepEqual(
        await Promise.all(keys.map(statusWith)),
        keys.map((key) => (key === appKey ? 200 : 404)),
      );
    });

    test('nothing stays of it that is sent here while it is being deleted there', async () => {
      const { appId, appKey } = await site.app.app.apps.create('Short-lived');
      const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey };
      let n = 0;
      const register = async () => {
        const body = { installationId: `phone-${++n}`, deviceType: 'ios' };
        return (await site.app.send({ method: 'POST', url: '/api/v2/installations', headers, body })).status;
      };
      assert.equal(await register(), 201);
      await node.app.apps.remove(appId);
      while ((await register()) === 201);
      site.app.clock.now += 3_600_000;
      await site.app.app.idle();
      await node.app.idle();
      const left: string[] = [];
      for (const { name } of appTables)
        if (await site.app.storage.db.one(sql`select 1 as found from ${raw(name)} where app_id = ${appId} limit 1`))
          left.push(name);
      assert.deepEqual(left, []);
    });

    test('it is open as soon as it is switched on again', async () => {
      const { appKey } = await node.app.apps.keys.rotate(site.app.appId);
      await node.app.apps.change(site.app.appId, { disabled: true });
      while ((await statusWith(appKey)) !== 404);
      await node.app.apps.change(site.app.appId, { disabled: false });
      assert.equal(await statusWith(appKey), 200);
    });
  });

  describe(`a creation that two nodes get on ${database}`, () => {
    let site: Site;
    let node: Node;
    beforeAll(async () => {
      site = await openSite(database);
      node = await openNode(site);
      await site.app.app.buckets.createBucket(site.app.appId, 'Stamps');
    });
    afterAll(async () => {
      await node.close();
      await site.close();
    });

    const url = '/api/v2/data/bucket/Stamps';
    const count = async () =>
      (await site.app.send({ method: 'GET', url: `${url}?limit=0&count=1`, headers: site.user.headers })).body.count;
    const post = async ({ server }: Node['app'], key: string) => {
      const headers = { ...site.app.credentials, ...site.user.headers, 'idempotency-key': key };
      const answer = await server.inject({ method: 'POST', url, headers, payload: { metadata: { page: 1 } } });
      return { status: answer.statusCode, objectId: answer.json().result?.objectId };
    };

    test('at once under one key is done once, and both answer the same', async () => {
      for (let round = 0; round < 5; round++) {
        const nodes = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? site.app.app : node.app));
        const answers = await Promise.all(nodes.map((each) => post(each, `from-a-phone-${round}`)));
        assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
        assert.equal(new Set(answers.map(({ objectId }) => objectId)).size, 1);
        assert.equal(await count(), round + 1);
      }
    });
  });
}
