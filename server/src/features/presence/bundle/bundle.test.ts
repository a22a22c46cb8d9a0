import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { createRandom } from '@pharos/engine/simulation';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, otherApp, signIn } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { png } from '../../../../test/support/png.ts';
import { openSite, pointer, type Site, uuid } from '../../../../test/support/site.ts';
import { replaceSignals } from '../sightings/site/signals.ts';

type Kept = Readonly<Record<string, readonly { readonly objectId: string }[]>>;

const packed = ({ app, user }: Site, encoding: string, query = '') =>
  app.app.server.inject({
    method: 'GET',
    url: `/api/v2/bundle${query}`,
    headers: { ...app.credentials, ...user.headers, 'accept-encoding': encoding },
  });

for (const database of databases) {
  describe(`the bundle of a place, on ${database}`, () => {
    let site: Site;
    let venue: string;
    let shop: string;
    let welcome: string;
    let plans: readonly string[];
    beforeAll(async () => {
      site = await openSite(database);
      const { app, user } = site;
      venue = await create(app, '/api/v2/venues', { name: 'Museum', timeZone: 'Europe/Vienna' }, user.headers);
      shop = await site.beacon({ name: 'Shop', minor: 7, venueId: pointer('Venue', venue) });
      const { body: drawn } = await app.send({
        method: 'POST',
        url: '/api/v2/files/plan',
        headers: { ...user.headers, 'content-type': 'image/png' },
        body: png(20, 10, () => [255, 255, 255]),
      });
      const plan = { fileId: drawn.objectId, width: 20, height: 10 };
      plans = [drawn.url];
      const floor = { venueId: pointer('Venue', venue), name: 'Ground', level: 0, plan };
      await create(app, '/api/v2/floors', floor, user.headers);
      welcome = await site.notification({ beaconId: pointer('Beacon', shop) });
      await site.notification({
        type: 'IMAGE',
        message: { url: 'https://example.org/hall.jpg' },
        translations: { de: { url: 'https://example.org/halle.jpg' } },
      });
      await site.notification({
        type: 'IMAGE',
        message: { url: 'https://example.org/day.jpg' },
        variants: [{ name: 'day' }, { name: 'night', message: { url: 'https://example.org/night.jpg' } }],
      });
      await site.scenario({ beacons: [shop, site.hall] });
    });
    afterAll(() => site.close());

    const get = (query = '', headers: Readonly<Record<string, string>> = site.user.headers) =>
      site.app.send({ method: 'GET', url: `/api/v2/bundle${query}`, headers });
    async function bundle(query = '', headers = site.user.headers) {
      const answer = await get(query, headers);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.result;
    }
    /** All parts together. */
    const join = (parts: Readonly<Record<string, Kept>>): Kept => {
      const all: Record<string, { objectId: string }[]> = {};
      for (const part of Object.values(parts))
        for (const [kind, records] of Object.entries(part)) all[kind] = [...(all[kind] ?? []), ...records];
      return all;
    };
    const idsOf = (records: readonly { readonly objectId: string }[] = []) =>
      records.map(({ objectId }) => objectId).sort();

    test('has what the lists answer: of the app, of venues, or of where the phone is', async () => {
      const whole = await bundle();
      const all = join(whole.parts);
      assert.equal(whole.isWhole, true);
      for (const [kind, path] of [
        ...[
          ['venues', 'venues'],
          ['floors', 'floors'],
          ['beacons', 'beacons'],
          ['notifications', 'notifications'],
        ],
        ...[
          ['storylines', 'storylines'],
          ['scenarios', 'storylines/details'],
        ],
      ] as [string, string][]) {
        const listed = await site.list(path);
        assert.ok(listed.length > 0, kind);
        assert.deepEqual(
          [...(all[kind] ?? [])].sort((a, b) => (a.objectId < b.objectId ? -1 : 1)),
          listed,
          kind,
        );
      }
      assert.deepEqual([...((all['pictures'] ?? []) as unknown as string[])].sort(), [
        ...plans,
        'https://example.org/day.jpg',
        'https://example.org/hall.jpg',
        'https://example.org/halle.jpg',
        'https://example.org/night.jpg',
      ]);
      assert.deepEqual(
        (all['files'] as unknown as { url: string }[]).map(({ url }) => url),
        plans,
      );
      for (const query of [`?venues=${venue}`, `?near=${shop}`]) {
        const part = join((await bundle(query)).parts);
        assert.deepEqual(idsOf(part['beacons']), [shop], query);
        assert.deepEqual(idsOf(part['notifications']), [welcome], query);
        assert.equal(part['scenarios']?.length, 1, query);
        assert.equal(part['storylines']?.length, 1, query);
      }
      const spot = { latitude: 47.999, longitude: 16.4 };
      await site.ask({
        method: 'PATCH',
        url: `/api/v2/venues/${venue}`,
        body: { location: { latitude: 48.04, longitude: 16.4 } },
      });
      assert.deepEqual(idsOf(join((await bundle(`?${new URLSearchParams(spot as never)}`)).parts)['beacons']), [shop]);
      // 4 km to the south and 4 to the west are 5.7.
      const further = await bundle('?latitude=48.004&longitude=16.3462');
      assert.deepEqual(join(further.parts), {});
      const alone = join((await bundle(`?near=${site.hall}`)).parts);
      assert.deepEqual(idsOf(alone['beacons']), [site.hall]);
      assert.deepEqual(join((await bundle('?venues=unknown')).parts), {});
    });

    test('is answered again only as far as it has changed, and what is gone is gone from its part', async () => {
      const { app, user } = site;
      const first = await bundle();
      assert.deepEqual((await bundle(`?since=${first.tag}`)).parts, {});
      const gone = await site.beacon({ name: 'Gone', minor: 8 });
      const added = await bundle(`?since=${first.tag}`);
      assert.equal(added.isWhole, false);
      const numbers = Object.keys(added.parts);
      assert.equal(numbers.length, 1);
      assert.ok(idsOf(join(added.parts)['beacons']).includes(gone));
      await app.send({ method: 'DELETE', url: `/api/v2/beacons/${gone}`, headers: user.headers });
      const without = await bundle(`?since=${added.tag}`);
      assert.deepEqual(Object.keys(without.parts), numbers);
      assert.ok(!idsOf(join(without.parts)['beacons']).includes(gone));
      assert.equal(without.tag, first.tag);
      assert.equal((await bundle('?since=broken')).isWhole, true);
    });

    test('is not sent to whoever has it, and compressed to whoever reads that', async () => {
      const { headers } = await get();
      const known = await get('', { ...site.user.headers, 'if-none-match': String(headers['etag']) });
      assert.deepEqual([known.status, known.raw.length], [304, 0]);
      const small = await packed(site, 'br, gzip');
      assert.equal(small.headers['content-encoding'], 'gzip');
      assert.deepEqual(JSON.parse(gunzipSync(small.rawPayload).toString()).result, await bundle());
      const plain = await get('', { ...site.user.headers, 'accept-encoding': 'gzip;q=0' });
      assert.equal(plain.headers['content-encoding'], undefined);
    });

    test('has all of a list that is too long for one answer', async () => {
      const large = { metadata: { text: 'x'.repeat(900_000) } };
      for (let minor = 20; minor < 30; minor++) await site.beacon({ name: 'Large', minor, ...large });
      const listed = await site.app.send({ method: 'GET', url: '/api/v2/beacons', headers: site.user.headers });
      assert.equal(listed.body.truncated, true);
      const { beacons } = join((await bundle()).parts) as unknown as { beacons: { name: string; objectId: string }[] };
      const found = beacons.filter(({ name }) => name === 'Large');
      for (const { objectId } of found) await site.ask({ method: 'DELETE', url: `/api/v2/beacons/${objectId}` });
      assert.equal(found.length, 10);
    });

    test('lacks what rules hide from the caller, and messages that could not be decided rightly', async () => {
      const visitor = await signIn(site.app);
      const set = (rules: object) => site.app.app.apps.changeRules(site.app.appId, { resources: rules } as never);
      const seen = async () => Object.keys(join((await bundle('', visitor.headers)).parts)).sort();
      const everything = await seen();
      const left = (...kinds: readonly string[]) => everything.filter((kind) => !kinds.includes(kind));
      const site_ = { list: 'user', get: 'user', create: 'manager', update: 'manager', delete: 'manager' };
      try {
        assert.deepEqual((await bundle('', visitor.headers)).withheld, []);
        await set({ notifications: { ...site_, list: 'manager' } });
        assert.deepEqual(await seen(), left('notifications', 'pictures'));
        assert.deepEqual((await bundle('', visitor.headers)).withheld, ['notifications']);
        await set({ notifications: { ...site_, list: { isEnabled: false } } });
        assert.deepEqual(await seen(), left('notifications', 'pictures'));
        // Without its pauses and caps it would be shown too often.
        await set({ notifications: { ...site_, members: { delivery: { hidden: ['user'] } } } });
        assert.deepEqual(await seen(), left('notifications', 'pictures'));
        assert.deepEqual((await bundle('', visitor.headers)).withheld, ['notifications']);
        await set({ notifications: { ...site_, members: { description: { hidden: ['user'] } } } });
        assert.deepEqual(await seen(), everything);
        const { parts } = await bundle('', visitor.headers);
        assert.ok(!JSON.stringify(parts).includes('description'));
        assert.ok(JSON.stringify((await bundle()).parts).includes('description'));
      } finally {
        await set({});
      }
    });

    test('says what visitors are asked, in all languages', async () => {
      const consentTexts = {
        version: '2026-10',
        language: 'en',
        messages: 'May we tell you more?',
        translations: { de: { messages: 'Dürfen wir mehr erzählen?' } },
      };
      const { tag, app } = await bundle();
      assert.deepEqual(app.consentTexts, { version: '' });
      await site.app.app.apps.change(site.app.appId, { policy: { consentTexts } });
      assert.deepEqual((await bundle(`?since=${tag}`)).app.consentTexts, consentTexts);
    });

    test('of another app is none, and too many names are refused', async () => {
      assert.equal((await get(`?venues=${'x,'.repeat(60)}`)).body.code, 142);
      assert.equal((await get('?latitude=48')).body.code, 102);
      assert.equal((await get('', { ...site.user.headers, 'x-service-appkey': 'wrong' })).body.code, 903);
      const other = { ...(await otherApp(site.app)), authorization: undefined };
      for (const query of ['', `?venues=${venue}`, `?near=${shop}`, `?since=${(await bundle()).tag}`]) {
        const { body } = await site.app.send({ method: 'GET', url: `/api/v2/bundle${query}`, headers: other });
        assert.deepEqual(join(body.result.parts), {}, query);
      }
    });
  });
}

test('500 beacons on surveyed floors and 200 messages are less than 200 kB on the way', async () => {
  const site = await openSite('sqlite');
  try {
    const ids: string[] = [];
    const venue = await create(site.app, '/api/v2/venues', { name: 'Museum' }, site.user.headers);
    for (let minor = 10; minor < 510; minor++)
      ids.push(
        await site.beacon({
          name: `Room ${minor}`,
          minor,
          location: { x: minor / 7, y: minor / 3, floor: 0 },
          measuredPower: -61,
          venueId: pointer('Venue', venue),
        }),
      );
    for (const [number, id] of ids.slice(0, 200).entries())
      await site.notification({
        beaconId: pointer('Beacon', id),
        message: {
          alertTitle: `Room ${number}`,
          alertMessage: `What hangs here was made in ${1500 + number}, by ${id}.`,
        },
        translations: {
          de: { alertTitle: `Raum ${number}`, alertMessage: `Entstanden ${1500 + number}, von ${uuid}.` },
        },
        delivery: { coolDown: { seconds: 900 + number, per: 'trigger' } },
      });
    // As many cells as a map has, of floors where a signal changes by up to 4 dB within 2 m.
    await site.app.app.apps.change(site.app.appId, { policy: { oneZone: true } });
    const { between } = createRandom('1');
    const partOf = (x: number) => {
      let level = 0;
      const residual = Array.from({ length: 350 }, () => {
        level = 0.8 * level + between(-4, 4);
        return Math.round(level * 2) / 2;
      });
      return { location: { x, y: 0 }, floors: [{ floor: 0, x: 0, y: 0, size: 2, columns: 25, residual, beyond: 0 }] };
    };
    const map = Object.fromEntries(ids.map((id, place) => [id, partOf(place)]));
    await replaceSignals(site.app.storage.db, site.app.appId, 'floor', map);
    const { statusCode, rawPayload } = await packed(site, 'gzip', `?venues=${venue}`);
    assert.equal(statusCode, 200);
    const parts: Readonly<Record<string, Kept>> = JSON.parse(gunzipSync(rawPayload).toString()).result.parts;
    const count = (kind: string) => Object.values(parts).reduce((sum, part) => sum + (part[kind]?.length ?? 0), 0);
    assert.deepEqual([count('beacons'), count('signals'), count('notifications')], [500, 500, 200]);
    assert.ok(rawPayload.length <= 200_000, `${rawPayload.length} bytes`);
  } finally {
    await site.close();
  }
});
