import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { raw, sql } from '../../src/base/sql.ts';
import { databases, type SignedIn, signIn } from '../support/build-app.ts';
import { openSite, type Site, stay, walk } from '../support/site.ts';

/** What stays true of pseudonyms when a phone, the zone of an app or time itself goes on (ADR 62). */

const hour = 3_600_000;
const day = 24 * hour;

for (const database of databases) {
  describe(`pseudonyms over time on ${database}`, () => {
    let site: Site;
    let anna: SignedIn;
    let ben: SignedIn;
    beforeEach(async () => {
      site = await openSite(database);
      const { app } = site;
      // Ten in the morning, whenever this runs.
      app.clock.now = Math.ceil(app.clock.now / day) * day + 10 * hour;
      await change({ pseudonyms: 'daily', rateLimit: { enabled: false, perSecond: 1, burst: 1 } });
      await app.app.apps.changeRules(app.appId, {
        resources: { visits: { list: 'user', get: 'user' }, events: { list: 'user', get: 'user' } },
      });
      app.clock.now += 60_000;
      [anna, ben] = [await signIn(app), await signIn(app)];
    });
    afterEach(() => site.close());

    const change = (policy: object) => site.app.app.apps.change(site.app.appId, { policy });

    async function register(client: string, { headers }: SignedIn): Promise<string> {
      const body = { installationId: client, deviceType: 'android', deviceToken: `token of ${client}` };
      const answer = await site.app.send({ method: 'POST', url: '/api/v2/installations', headers, body });
      assert.ok(answer.status < 300, answer.raw.toString());
      return answer.body.result.objectId;
    }
    /** A visit of ten seconds that began then and is sent now, and is over. */
    async function visit(client: string, at: number, { headers }: SignedIn): Promise<void> {
      const body = { installationId: client, sightings: walk(stay(1, 10), at), sentAt: site.now };
      const answer = await site.app.send({ method: 'POST', url: '/api/v2/sightings', headers, body });
      assert.equal(answer.status, 200, answer.raw.toString());
      await site.app.app.ticker.tick();
    }
    /** By when visits began, whose they are. */
    async function seenBy({ headers }: SignedIn, where = '{}'): Promise<Map<number, string>> {
      const url = `/api/v2/visits?${new URLSearchParams({ where, limit: '100' })}`;
      const answer = await site.app.send({ method: 'GET', url, headers });
      assert.equal(answer.status, 200, answer.raw.toString());
      type Shown = { enteredAt: { iso: string } | string; installationId: { objectId: string } };
      return new Map(
        answer.body.results.map(({ enteredAt, installationId }: Shown) => [
          Date.parse(typeof enteredAt === 'string' ? enteredAt : enteredAt.iso),
          installationId.objectId,
        ]),
      );
    }
    const isPseudonym = (name: string | undefined) => /^[0-9a-f]{32}$/.test(name ?? '');

    test('whoever gets a phone is not told what it did before she had it', async () => {
      const phone = await register('shared', anna);
      const before = site.now;
      await visit('shared', before, anna);
      site.app.clock.now += 2 * hour;
      assert.equal(await register('shared', ben), phone, 'it is the same installation');
      site.app.clock.now += 60_000;
      const since = site.now;
      await visit('shared', since, ben);
      site.app.clock.now += 60_000;

      const seen = await seenBy(ben);
      const [first, second] = [...seen.keys()].sort();
      assert.ok((first ?? 0) < since && (second ?? 0) >= since, 'there are two visits');
      assert.ok(isPseudonym(seen.get(first ?? 0)), 'the first is somebody else’s');
      assert.equal(seen.get(second ?? 0), phone, 'the second is her own');
      const where = { installationId: { __type: 'Pointer', className: '_Installation', objectId: phone } };
      assert.deepEqual([...(await seenBy(ben, JSON.stringify(where))).keys()], [second]);
      assert.ok(![...(await seenBy(anna)).values()].includes(phone), 'and to her who had it, neither is');
    });

    test('a row keeps its name when days begin elsewhere, also when something comes late from before it', async () => {
      const phone = await register('traveller', anna);
      // Two in the morning of UTC; it has a day of UTC.
      const early = site.now - 8 * hour + day;
      site.app.clock.now = early + 60_000;
      await visit('traveller', early, anna);
      const name = [...(await seenBy(ben)).values()][0];
      assert.ok(isPseudonym(name));
      // By the clocks of this zone it is the same day four hours earlier and twelve hours later.
      await change({ timeZone: 'Pacific/Kiritimati' });
      site.app.clock.now += 60_000;
      const earlier = early - 4 * hour;
      await visit('traveller', earlier, anna);
      const seen = await seenBy(ben);
      assert.equal(seen.size, 2);
      const [late, first] = [...seen.keys()].sort();
      assert.ok((late ?? 0) < (first ?? 0));
      assert.equal(seen.get(first ?? 0), name);
      assert.ok(isPseudonym(seen.get(late ?? 0)) && seen.get(late ?? 0) !== name && seen.get(late ?? 0) !== phone);
      const days = await site.app.storage.db.all<{ begins_at: number; ends_at: number }>(
        sql`select begins_at, ends_at from pseudonym_days where app_id = ${site.app.appId} order by begins_at`,
      );
      for (const [place, { begins_at }] of days.slice(1).entries())
        assert.ok(begins_at >= (days[place]?.ends_at ?? 0), 'days do not overlap');
    });

    test('a day ends at midnight of the app; a visit across it keeps its name, and the next one has another', async () => {
      await change({ timeZone: 'Europe/Vienna' });
      await register('late', anna);
      // It is at 22 or 23 o'clock of UTC, by the season.
      const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Vienna', hour: 'numeric', hour12: false });
      const offset = (Number(clock.format(site.now)) - new Date(site.now).getUTCHours()) * hour;
      const midnight = Math.floor(site.now / day) * day + day - offset;
      for (const [from, seconds] of [
        [midnight - 4 * hour, 20],
        [midnight - 30_000, 90],
        [midnight + hour / 2, 20],
      ] as const) {
        site.app.clock.now = from + seconds * 1000;
        const body = { installationId: 'late', sightings: walk(stay(1, seconds), from) };
        await site.app.send({ method: 'POST', url: '/api/v2/sightings', headers: anna.headers, body });
        site.app.clock.now += hour / 6;
        await site.app.app.ticker.tick();
      }
      ben = await signIn(site.app);
      const [evening, across, night] = [...(await seenBy(ben))].sort(([a], [b]) => a - b).map(([, name]) => name);
      assert.ok(isPseudonym(evening) && isPseudonym(night));
      assert.equal(across, evening, 'it began on the same day');
      assert.notEqual(night, evening);
      const { body } = await site.app.send({
        method: 'GET',
        url: '/api/v2/events?order=occurredAt',
        headers: ben.headers,
      });
      type Shown = { visitId: string; installationId: { objectId: string } };
      const names = new Map<string, Set<string>>();
      for (const { visitId, installationId } of body.results as Shown[])
        names.set(visitId, (names.get(visitId) ?? new Set()).add(installationId.objectId));
      assert.deepEqual(
        [...names.values()].map((each) => [...each]),
        [[evening], [evening], [night]],
        'no visit links two days',
      );
    });

    test('the secret of a day goes once nothing of that day is kept', async () => {
      await change({ retentionDays: { visits: 10, events: 5, logs: 5 } });
      await register('old', anna);
      const at = site.now;
      await visit('old', at, anna);
      const ofThatDay = () =>
        site.app.storage.db.all(
          raw(`select 1 as found from pseudonym_days where begins_at <= ${at} and ends_at > ${at}`),
        );
      assert.equal((await ofThatDay()).length, 1);
      const sweep = async (days: number) => {
        site.app.clock.now = at + days * day;
        site.app.app.sweep();
        await site.app.app.idle();
      };
      await sweep(12);
      assert.equal((await ofThatDay()).length, 1, 'late samples may still correct what is kept');
      await sweep(16);
      assert.deepEqual(await ofThatDay(), []);
    });
  });
}
