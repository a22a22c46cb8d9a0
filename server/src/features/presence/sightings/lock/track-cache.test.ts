import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../../test/support/build-app.ts';
import { type Node, openNode, openSite, type Site, stay, walk } from '../../../../../test/support/site.ts';

/** A batch from which nothing follows is stored beside the track; what is seen of it afterwards is as if the track had been written. */

for (const database of bothDatabases) {
  describe(`what is stored beside a track on ${database}`, () => {
    let site: Site;
    let other: Node;
    let phones = 0;
    beforeAll(async () => {
      site = await openSite(database);
      await site.notification();
      other = await openNode(site);
      for (const { ticker } of [site.app.app, other.app]) ticker.stop();
    });
    afterAll(async () => {
      await other.close();
      await site.close();
    });

    type App = Node['app'];
    const here = () => site.app.app;
    async function newPhone() {
      const name = `beside-${++phones}`;
      return { name, id: await site.installation({ installationId: name }) };
    }
    async function send(app: App, name: string, sightings: readonly object[]) {
      const answer = await app.server.inject({
        method: 'POST',
        url: '/api/v2/sightings',
        headers: { ...site.app.credentials, 'content-type': 'application/json' },
        payload: JSON.stringify({ installationId: name, sightings }),
      });
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json().result;
    }
    const of = async (table: string, id: string) =>
      (await site.rows(table)).filter((row) => row['installation_id'] === id);
    /** Sends sample by sample, each when it is sensed. */
    async function live(
      samples: readonly object[],
      start: number,
      sendOne: (sample: object, n: number) => Promise<unknown>,
    ) {
      for (const [n, sample] of samples.entries()) {
        site.app.clock.now = start + n * 1000;
        await sendOne(sample, n);
      }
    }
    const visitsOf = async (id: string, start: number) =>
      (await of('visits', id)).map((row) => [
        Number(row['entered_at']) - start,
        row['left_at'] === null ? null : Number(row['left_at']) - start,
        row['is_open'],
        row['ended_by'],
      ]);
    const eventsOf = async (id: string, start: number) =>
      (await of('events', id)).map((row) => `${Number(row['occurred_at']) - start} ${row['event']}`).sort();

    test('what is merely overheard is written once, and counts when somebody comes', async () => {
      const { name, id } = await newPhone();
      const start = site.now + 3_600_000;
      const samples = walk([...stay(20, 60), ...stay(1, 10)], start);
      await live(samples.slice(0, 60), start, (sample) => send(here(), name, [sample]));
      const [track] = await of('tracks', id);
      assert.ok(Number(track?.['updated_at']) <= start + 10_000, 'after the first deliveries it is not written');
      assert.ok((await of('newest_samples', id)).length > 50);
      // Repeated, and late by minutes: neither writes nor breaks anything.
      assert.equal((await send(here(), name, samples.slice(30, 40))).duplicates, 10);
      await live(samples.slice(60), start + 60_000, (sample) => send(here(), name, [sample]));
      const atOnce = await newPhone();
      await send(here(), atOnce.name, samples);
      assert.deepEqual(await visitsOf(id, start), await visitsOf(atOnce.id, start));
      assert.equal((await visitsOf(id, start)).length, 1);
      const texts = (await of('track_samples', id)).map((row) => String(row['samples'])).join('');
      assert.ok(texts.split('\n').length > 60, 'all that was overheard before is written with it');
      assert.ok((await of('newest_samples', id)).length < 10, 'and no longer beside it');
    });

    test('another node ends a visit by all that was acknowledged', async () => {
      const { name, id } = await newPhone();
      const start = site.now + 3_600_000;
      await live(walk(stay(1.5, 35), start), start, (sample) => send(here(), name, [sample]));
      const writtenAt = Number((await of('tracks', id))[0]?.['updated_at']) - start;
      assert.ok(writtenAt < 30_000, `written at ${writtenAt}`);
      site.app.clock.now = start + 3_600_000;
      await other.app.ticker.tick();
      assert.deepEqual(await visitsOf(id, start), [[0, 34_000, 0, 'silence']]);
      assert.deepEqual(await of('newest_samples', id), []);
    });

    test('a phone that is heard by two nodes in turn makes the visits that one node would have seen', async () => {
      const path = [...stay(20, 15), ...stay(1.5, 25), ...stay(20, 25), ...stay(1.5, 12), ...stay(20, 5)];
      const seen = async (nodeOf: (n: number) => App) => {
        const { name, id } = await newPhone();
        const start = site.now + 7_200_000;
        await live(walk(path, start), start, (sample, n) => send(nodeOf(n), name, [sample]));
        site.app.clock.now += 3_600_000;
        await other.app.ticker.tick();
        const messages = (await of('firings', id)).length;
        return { visits: await visitsOf(id, start), events: await eventsOf(id, start), messages };
      };
      const expected = await seen(here);
      assert.equal(expected.visits.length, 2);
      for (const each of [1, 3, 7])
        assert.deepEqual(await seen((n) => (Math.floor(n / each) % 2 === 0 ? here() : other.app)), expected);
    });

    test('the first delivery after a start counts, although nothing follows from it', async () => {
      const { name, id } = await newPhone();
      const start = site.now + 3_600_000;
      const samples = walk(stay(1.5, 23), start);
      const before = await openNode(site);
      before.app.ticker.stop();
      await live(samples.slice(0, 20), start, (sample) => send(before.app, name, [sample]));
      await before.close();
      site.app.clock.now = start + 22_000;
      await send(here(), name, samples.slice(20, 23));
      site.app.clock.now = start + 3_600_000;
      await here().ticker.tick();
      const [visit] = await visitsOf(id, start);
      assert.deepEqual(visit?.slice(1), [22_000, 0, 'silence']);
    });

    test('an export of a person has what is beside the track of her phone', async () => {
      const name = `beside-${++phones}`;
      const { headers } = site.user;
      const body = { installationId: name, deviceType: 'android' };
      const made = await site.app.send({ method: 'POST', url: '/api/v2/installations', headers, body });
      const id = made.body.result.objectId;
      const start = site.now + 3_600_000;
      await live(walk(stay(20, 30), start), start, (sample) => send(here(), name, [sample]));
      const samplesOf = (rows: readonly Record<string, unknown>[]) =>
        rows.flatMap(({ samples }) => String(samples).split('\n').filter(Boolean)).length;
      assert.ok(samplesOf(await of('track_samples', id)) < 30);
      const { body: told } = await site.app.send({ method: 'GET', url: '/api/v2/users/me/export', headers });
      assert.equal(samplesOf([...told.track_samples, ...told.newest_samples]), 30);
    });

    test('what is beside a track goes with it', async () => {
      const { name, id } = await newPhone();
      const start = site.now + 3_600_000;
      await live(walk(stay(20, 20), start), start, (sample) => send(here(), name, [sample]));
      await other.app.server.inject({
        method: 'DELETE',
        url: `/api/v2/installations/${id}`,
        headers: { ...site.app.credentials, ...site.user.headers },
      });
      for (const table of ['tracks', 'track_samples', 'newest_samples'])
        assert.deepEqual(await of(table, id), [], table);
    });
  });
}
