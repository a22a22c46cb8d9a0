import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases, type SignedIn, signIn } from '../../../../test/support/build-app.ts';
import { type Node, openNode, openSite, pointer, type Site } from '../../../../test/support/site.ts';

/** Several phones of one person at the same moment: caps and pauses count the person. */

const oncePerDay = { caps: [{ count: 1, per: 'trigger', window: 'day' }] };

for (const database of databases) {
  describe(`several phones of one person on ${database}`, () => {
    let site: Site;
    let people: readonly SignedIn[];
    let node: Node;
    const phones = (person: number) => [0, 1, 2].map((n) => `phone-${person}-${n}`);
    beforeEach(async () => {
      site = await openSite(database);
      site.app.app.ticker.stop();
      people = await Promise.all(Array.from({ length: 12 }, () => signIn(site.app)));
      for (const [person, { userId }] of people.entries())
        for (const installationId of phones(person))
          await site.installation({ installationId, deviceToken: installationId, userId: pointer('_User', userId) });
      node = await openNode(site);
      node.app.ticker.stop();
    });
    afterEach(async () => {
      await node.close();
      await site.close();
    });

    async function post(app: Node['app'], person: number, installationId: string): Promise<void> {
      const answer = await app.server.inject({
        method: 'POST',
        url: '/api/v2/sightings',
        headers: { ...site.app.credentials, ...people[person]?.headers, 'content-type': 'application/json' },
        payload: JSON.stringify({ installationId, sightings: [site.decided('ENTER')] }),
      });
      assert.equal(answer.statusCode, 200, answer.body);
    }
    /** What each person was shown. */
    async function shown(): Promise<number[]> {
      const owners = new Map((await site.rows('installations')).map((row) => [row['object_id'], row['user_id']]));
      const fired = (await site.rows('firings')).map((row) => owners.get(row['installation_id'] ?? ''));
      return people.map(({ userId }) => fired.filter((owner) => owner === userId).length);
    }
    const once = () => people.map(() => 1);

    for (const nodes of [1, 2]) {
      test(`are shown a daily message once, on ${nodes} node${nodes === 1 ? '' : 's'}`, async () => {
        await site.notification({ delivery: oncePerDay });
        const all = people.flatMap((_, person) => phones(person).map((phone, n) => ({ person, phone, n })));
        await Promise.all(
          all.map(({ person, phone, n }) => post(n % nodes === 0 ? site.app.app : node.app, person, phone)),
        );
        assert.deepEqual(await shown(), once());
        const reasons = (await site.rows('verdicts')).map((row) => row['reason']);
        assert.equal(reasons.filter((reason) => reason === 'cap').length, 2 * people.length);
      });
    }

    test('are shown it once where time alone brings it about', async () => {
      await site.notification({ delivery: { ...oncePerDay, dwellSeconds: 20 } });
      for (const person of people.keys()) for (const phone of phones(person)) await post(node.app, person, phone);
      site.app.clock.now += 30_000;
      for (let round = 0; round < 6; round++) await Promise.all([site.app.app.ticker.tick(), node.app.ticker.tick()]);
      assert.deepEqual(await shown(), once());
    });
  });
}
