import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { bothDatabases, otherApp, type SignedIn, signIn, signInManager } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { type Node, openNode, openSite, type Site, uuid } from '../support/site.ts';
import { watchStatements } from '../support/statements.ts';

/** What is kept in memory of an app is dropped when that app changes, on all nodes, and not when another one does. */

for (const database of bothDatabases) {
  describe(`what is kept of an app when another one changes, on ${database}`, () => {
    let site: Site;
    let node: Node;
    let other: Readonly<Record<string, string>>;
    let neighbour: SignedIn;
    beforeAll(async () => {
      site = await openSite(database);
      node = await openNode(site);
      // What time brings about reads the same things: here only requests are counted.
      for (const { ticker, rollups } of [site.app.app, node.app]) {
        ticker.stop();
        rollups.stop();
      }
      other = await otherApp(site.app);
      neighbour = await signInManager(site.app, other);
      const otherId = other['x-service-appid'] ?? '';
      await site.app.app.buckets.createBucket(otherId, 'Stamps');
      const headers = { ...other, ...neighbour.headers };
      await create(site.app, '/api/v2/beacons', { name: 'Door', uuid, major: 9, minor: 9 }, headers);
      await create(site.app, '/api/v2/installations', { installationId: 'neighbour', deviceType: 'ios' }, headers);
    });
    afterAll(async () => {
      await node.close();
      await site.close();
    });

    /** What the neighbours' app asks of each kind of memory: app, key, session, rules, bucket, beacons, messages. */
    async function round({ server }: App): Promise<void> {
      const headers = { ...other, ...neighbour.headers };
      const sightings = [{ uuid, major: 9, minor: 9, rssi: -60, occurredAt: site.now }];
      const requests = [
        { method: 'GET', url: '/api/v2/data/bucket/Stamps?limit=1' },
        { method: 'POST', url: '/api/v2/sightings', payload: { installationId: 'neighbour', sightings } },
      ] as const;
      for (const request of requests) {
        const answer = await server.inject({ ...request, headers });
        assert.equal(answer.statusCode, 200, answer.body);
      }
      await site.app.app.idle();
    }

    /** Changes of each kind that caches have to know. */
    const edits: Readonly<Record<string, () => Promise<unknown>>> = {
      'a sign-out': async () => {
        const user = await signIn(site.app);
        await site.app.send({ method: 'DELETE', url: '/api/v2/users/me/sessions', headers: user.headers });
      },
      'another name': () => site.app.app.apps.change(site.app.appId, { name: 'Renamed' }),
      'a beacon': () =>
        create(site.app, '/api/v2/beacons', { name: 'Gate', uuid, major: 1, minor: 77 }, site.user.headers),
      'a message': () => site.notification(),
      'a bucket': () => site.app.app.buckets.createBucket(site.app.appId, 'Letters'),
      'a key': () => site.app.app.apps.keys.rotate(site.app.appId),
    };

    test('nothing of it is loaded again, on the node of the change and on another one', async () => {
      const nodes = [
        { app: site.app.app, statements: watchStatements(site.app.storage.db) },
        { app: node.app, statements: watchStatements(node.db) },
      ];
      const loads = async ({ app, statements }: (typeof nodes)[number]) => {
        statements.take();
        await round(app);
        return statements
          .take()
          .filter((text) =>
            / from (apps|app_keys|secret_keys|user_tokens|buckets|schemas|beacons|notifications|webhooks|live_apps)\b/.test(
              text,
            ),
          );
      };
      for (const one of nodes) {
        // Until a node has looked for the first time, it does not know what it has missed.
        await one.app.poller.poll();
        for (let n = 0; n < 2; n++) {
          site.app.clock.now += 1;
          await round(one.app);
        }
        assert.deepEqual(await loads(one), [], 'everything is in memory to begin with');
      }
      for (const [what, edit] of Object.entries(edits)) {
        await edit();
        for (const one of nodes) {
          await one.app.poller.poll();
          assert.deepEqual(await loads(one), [], `after ${what}`);
        }
      }
    });

    test('its own change is seen on both nodes, and then it is loaded once', async () => {
      const otherId = other['x-service-appid'] ?? '';
      const statements = watchStatements(node.db);
      await round(node.app);
      statements.take();
      await site.app.app.apps.change(otherId, { name: 'Neighbours' });
      // Work in the background may hear of the change first, and load it.
      await node.app.poller.poll();
      await round(node.app);
      const loaded = () => statements.take().filter((text) => / from apps\b/.test(text)).length;
      assert.ok(loaded() > 0);
      await round(node.app);
      assert.equal(loaded(), 0);
    });
  });
}
