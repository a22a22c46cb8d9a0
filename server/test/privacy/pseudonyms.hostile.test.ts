import assert from 'node:assert/strict';
import { visitIdOf } from '@pharos/engine';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { databases } from '../support/build-app.ts';
import { openConsole } from '../support/console.ts';
import { pointer, type Site, stay, uuid, walk } from '../support/site.ts';
import { openTwoDays, type Phone, type TwoDays } from '../support/sites/two-days.ts';

/**
 * Two days of three phones in an app whose pseudonyms change daily: whatever anybody can get, by every endpoint that there is,
 * names no phone and no user of others beside the resources that are about them, and joins nothing of the one day with the other.
 */

interface Trace {
  readonly objectId: string;
  readonly installationId: { readonly objectId: string };
}

for (const database of databases) {
  describe(`pseudonyms that change daily on ${database}`, () => {
    let days: TwoDays;
    let site: Site;
    beforeAll(async () => {
      days = await openTwoDays(database);
      site = days.site;
    });
    afterAll(() => days.close());

    /** Texts that could name something: what is made of letters and digits alone, and no word. The tag of a bundle is a digest of it. */
    function namesIn(text: string): Set<string> {
      const all = text.replaceAll(/"tag":"[^"]*"/g, '').match(/"[0-9A-Za-z_-]{12,}"/g) ?? [];
      return new Set(all.filter((one) => /\d/.test(one)).map((one) => one.slice(1, -1)));
    }

    /** What is there on both days, because the app has it: beacons, messages, who wrote them. */
    async function constants(): Promise<ReadonlySet<string>> {
      const made = [site.hall, uuid, site.user.userId, site.app.appId, ...(await site.list('notifications')).map(idOf)];
      return new Set(made);
    }
    const idOf = ({ objectId }: { objectId: string }) => objectId;

    test('no list and no record names a phone or a user of others, to nobody', () => {
      for (const texts of days.told)
        for (const { who, own } of days.callers) days.assertNamesNobody(texts.get(who) ?? '', own, who);
    });

    test('traces show which are of the same phone on one day, and nothing that is the same on two days', async () => {
      const known = await constants();
      for (const { who, own } of days.callers) {
        const [first, second] = days.told.map((texts) => namesIn(texts.get(who) ?? ''));
        assert.ok(first && second);
        const both = [...first].filter((name) => second.has(name) && !known.has(name) && !own.includes(name));
        const lines = (text = '') => text.split('\n').filter((line) => both.some((name) => line.includes(name)));
        assert.deepEqual(lines(days.told[1]?.get(who)), [], who);
      }
      for (const { objectId: place } of [{ objectId: 0 }, { objectId: 1 }]) {
        const text = days.told[place]?.get('a manager') ?? '';
        const names = [...text.matchAll(/"_Installation","objectId":"([^"]*)"/g)].map(([, name]) => name);
        assert.equal(new Set(names).size, days.phones.length, `day ${place}: one name for each phone`);
        assert.ok(names.length > 2 * days.phones.length);
      }
    });

    test('streams and webhooks tell the same names as lists, and so do calls that are listed', async () => {
      const names = (text: string) =>
        new Set([...text.matchAll(/"_Installation","objectId":"([^"]*)"/g)].map(([, name]) => name));
      for (const { who, own, stream } of days.streams)
        days.assertNamesNobody(JSON.stringify(stream.events), own, `stream of ${who}`);
      const streamed = JSON.stringify(days.streams[0]?.stream.events);
      assert.ok(streamed.includes('position.changed') && streamed.includes('message.fired'), streamed);
      const posted = days.receiver.calls.map(({ body }) => body).join('\n');
      days.assertNamesNobody(posted, [], 'webhooks');
      const listed = names(days.told.map((texts) => texts.get('a manager')).join('\n'));
      for (const name of [...names(streamed), ...names(posted)]) assert.ok(listed.has(name), name);
      assert.equal(names(posted).size, 2 * days.phones.length, posted);
    });

    test('a user sees the ids of her own phones, and pseudonyms of others', async () => {
      const { body } = await site.app.send({
        method: 'GET',
        url: '/api/v2/visits?limit=1000',
        headers: days.ben.headers,
      });
      const ids: string[] = body.results.map(
        (one: { installationId: { objectId: string } }) => one.installationId.objectId,
      );
      assert.ok(ids.includes(days.phones[1]?.objectId ?? ''));
      assert.ok(new Set(ids).size > 3);
      const where = JSON.stringify({ installationId: pointer('_Installation', days.phones[1]?.objectId ?? '') });
      const own = await site.app.send({
        method: 'GET',
        url: `/api/v2/visits?count=1&where=${encodeURIComponent(where)}`,
        headers: days.ben.headers,
      });
      assert.equal(own.body.count, ids.filter((id) => id === days.phones[1]?.objectId).length);
    });

    test('a question by a pseudonym finds its day, and every other question about the phone is refused', async () => {
      const ask = (path: string, query: Record<string, string>) =>
        site.ask({ method: 'GET', url: `/api/v2/${path}?${new URLSearchParams(query)}` });
      const visits = await site.list('visits', { limit: '1000' });
      const all = Map.groupBy(visits, (one: Trace) => one.installationId.objectId);
      for (const [name, of] of all) {
        const phone = pointer('_Installation', String(name));
        for (const where of [{ installationId: phone }, { $or: [{ installationId: { $in: [phone] } }] }]) {
          const { body } = await ask('visits', { where: JSON.stringify(where), count: '1' });
          assert.deepEqual(body.results.map(idOf).sort(), of.map(idOf).sort());
          assert.equal(body.count, of.length);
        }
        const not = await ask('visits', { where: JSON.stringify({ $nor: [{ installationId: phone }] }), count: '1' });
        assert.equal(not.body.count, visits.length - of.length);
      }
      const [{ objectId }] = days.phones as [Phone];
      const id = pointer('_Installation', objectId);
      for (const path of ['visits', 'events', 'verdicts', 'positions', 'logs', 'deliveries']) {
        const { body } = await ask(path, { where: JSON.stringify({ installationId: id }), count: '1' });
        assert.equal(body.count, 0, `${path}: the id itself finds nothing`);
        for (const operator of [{ $ne: id }, { $nin: [id] }, { $exists: true }, { $in: [null] }]) {
          const refused = await ask(path, { where: JSON.stringify({ installationId: operator }) });
          assert.deepEqual([refused.status, refused.body.code], [400, 102], `${path} ${JSON.stringify(operator)}`);
        }
        const ordered = await ask(path, { order: 'installationId' });
        assert.deepEqual([ordered.status, ordered.body.code], [400, 102], path);
      }
      const said = await ask('verdicts', { where: JSON.stringify({ text: { $regex: 'visit 2' } }) });
      assert.deepEqual([said.status, said.body.code], [400, 102]);
      assert.equal((await ask('positions', { order: 'objectId' })).body.code, 102);
      assert.equal((await ask(`positions/${objectId}`, {})).status, 404);
    });

    test('positions of the same time come in an order that says nothing of their phones', async () => {
      const { db } = site.app.storage;
      const phones = days.phones.map(({ objectId }) => objectId).sort();
      for (const [place, id] of phones.entries())
        await db.run(sql`update positions set updated_at = ${site.now}, sensed_at = ${site.now}, distance = ${1 + place}
          where app_id = ${site.app.appId} and object_id = ${id}`);
      const { body } = await site.ask({ method: 'GET', url: '/api/v2/positions' });
      const distances = body.results.map(({ distance }: { distance: number }) => distance);
      assert.deepEqual(
        distances,
        distances.toSorted((a: number, b: number) => b - a),
      );
      assert.equal(distances.length, phones.length);
    });

    test('ids of visits and messages cannot be found by trying the ids of phones', async () => {
      for (const { objectId, enteredAt, beaconId } of await site.list('visits', { limit: '1000' })) {
        const start = Date.parse(enteredAt);
        for (const phone of days.phones)
          for (let at = start; at <= start + 60_000; at += 1000)
            assert.notEqual(visitIdOf(phone.objectId, beaconId.objectId, at), objectId);
      }
    });

    test('rules cannot single out a phone, and what a phone senses and hears is asked by its pseudonym alone', async () => {
      const { app } = site;
      const [{ objectId }] = days.phones as [Phone];
      const where = { $or: [{ installationId: pointer('_Installation', objectId) }] };
      const refused = await app.app.apps.changeRules(app.appId, { resources: { visits: { list: where } } }).then(
        () => '',
        (error: Error) => error.message,
      );
      assert.match(refused, /resources\.visits cannot name a phone/);
      const manager = await openConsole(app, 'manager');
      const editor = await openConsole(app, 'editor');
      const heardBy = (installation: string) => {
        const query = new URLSearchParams({ installation, since: new Date(site.now - 60_000).toISOString() });
        return manager.send({ method: 'GET', url: `/apps/${app.appId}/beacons/${site.hall}/heard?${query}` });
      };
      assert.deepEqual([(await heardBy(objectId)).status, (await heardBy(objectId)).body.code], [404, 101]);
      const hearing = `/apps/${app.appId}/hearing?installationId=${objectId}`;
      assert.equal((await manager.send({ method: 'GET', url: hearing })).status, 403);
      const list = `/apps/${app.appId}/v2/installations`;
      assert.equal((await manager.send({ method: 'GET', url: list })).body.results.length, days.phones.length + 1);
      assert.equal((await editor.send({ method: 'GET', url: list })).status, 403);
      assert.equal(
        (await editor.send({ method: 'GET', url: `${list}?count=1&limit=0` })).body.count,
        days.phones.length + 1,
      );
      const since = JSON.stringify({ updatedAt: { $gte: new Date(site.now).toISOString() } });
      const asked = await editor.send({
        method: 'GET',
        url: `${list}?count=1&limit=0&where=${encodeURIComponent(since)}`,
      });
      assert.equal(asked.body.code, 102);
    });

    test('log lines name no phone', () => {
      // The line of a request to the console that asked for one is the administrator's.
      days.assertNamesNobody(
        site.app.log.filter((line) => !line.includes('/hearing')).join('\n'),
        [],
        'the log of the service',
      );
    });

    test('records keep their pseudonyms when the setting is turned off, and new ones have ids again', async () => {
      await site.app.app.apps.change(site.app.appId, { policy: { pseudonyms: 'none' } });
      site.app.clock.now += 60_000;
      const { client, objectId } = days.phones[2] as Phone;
      await site.send(walk(stay(1, 40), site.now), { installationId: client });
      const visits: readonly { readonly installationId: { readonly objectId: string } }[] = await site.list('visits', {
        limit: '1000',
      });
      const plain = visits.filter(({ installationId }) => installationId.objectId === objectId);
      assert.equal(plain.length, 1);
      const where = JSON.stringify({ installationId: pointer('_Installation', objectId) });
      assert.equal((await site.list('visits', { where })).length, 1);
      assert.equal(
        new Set(visits.map(({ installationId }) => installationId.objectId)).size,
        2 * days.phones.length + 1,
      );
    });
  });
}
