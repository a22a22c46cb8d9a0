import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { databases, signIn } from '../support/build-app.ts';
import { type Node, openNode, openSite, type Site } from '../support/site.ts';

for (const database of databases) {
  describe(`a person who is erased at another node on ${database}`, () => {
    let site: Site;
    let node: Node;
    beforeAll(async () => {
      site = await openSite(database);
      node = await openNode(site);
      const { app, appId } = site.app;
      await app.buckets.createBucket(appId, 'Stamps');
      await app.apps.change(appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
    });
    afterAll(async () => {
      await node.close();
      await site.close();
    });

    test('leaves nothing that her phone has sent here before this one knew', async () => {
      const { app } = site;
      for (let round = 0; round < 3; round++) {
        const person = await signIn(app);
        const headers = { ...app.credentials, ...person.headers };
        const url = '/api/v2/data/bucket/Stamps';
        const write = async () =>
          (await app.send({ method: 'POST', url, headers, body: { metadata: { page: 1 } } })).status;
        assert.equal(await write(), 201);
        const erased = await node.app.server.inject({ method: 'DELETE', url: '/api/v2/users/me', headers });
        assert.equal(erased.statusCode, 200, erased.payload);
        let status = 201;
        while (status === 201) status = await write();
        assert.equal(status, 403);
        await Promise.all([node.app.idle(), app.app.idle()]);
        const left = await app.storage.db.all(sql`select object_id from records where created_by = ${person.userId}`);
        assert.deepEqual(left, []);
      }
    });
  });
}
