import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { bothDatabases, otherApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { kindsOf, openSite, type Site } from '../../../../test/support/site.ts';
import { raw } from '../../../base/sql.ts';

/** Many senders at the same time share transactions; nobody must notice. */

const phones = Array.from({ length: 40 }, (_, n) => `many-${n}`);

for (const database of bothDatabases) {
  describe(`many senders at once on ${database}`, () => {
    let site: Site;
    let ids: Map<string, string>;
    beforeEach(async () => {
      site = await openSite(database);
      ids = new Map();
      for (const installationId of phones) {
        const body = { installationId, deviceType: 'android', deviceToken: `token-${installationId}` };
        ids.set(installationId, await create(site.app, '/api/v2/installations', body));
      }
    });
    afterEach(() => site.close());

    const post = (installationId: string, event: 'ENTER' | 'EXIT' = 'ENTER', at?: number) =>
      site.post([site.decided(event, at)], { installationId });

    test('each gets its own answer, and everything is written once', async () => {
      await site.notification();
      await site.scenario();
      const answers = await Promise.all(phones.map((phone) => post(phone)));
      for (const [index, { status, body }] of answers.entries()) {
        assert.equal(status, 200, JSON.stringify(body));
        const own = ids.get(phones[index] as string);
        assert.deepEqual(
          body.result.events.map((event: { installationId: { objectId: string } }) => event.installationId.objectId),
          [own],
        );
        assert.deepEqual(
          body.result.messages.map(({ kind, isPushed }: { kind: string; isPushed: boolean }) => [kind, isPushed]),
          [
            ['notification', true],
            ['scenario', true],
          ],
        );
      }
      const counts = { visits: 1, events: 1, tracks: 1, logs: 2, verdicts: 2, firings: 2, deliveries: 2 };
      for (const [table, each] of Object.entries(counts))
        assert.equal((await site.rows(table)).length, each * phones.length, table);
      const pushed = (await site.pushes()).map(({ target }) => target.token);
      assert.deepEqual([...new Set(pushed)].sort(), phones.map((phone) => `token-${phone}`).sort());
      assert.equal(pushed.length, 2 * phones.length);
    });

    test('all of them leave at once, and each visit ends as its own', async () => {
      await Promise.all(phones.map((phone) => post(phone)));
      const start = site.now;
      site.app.clock.now += 100_000;
      const left = await Promise.all(phones.map((phone, n) => post(phone, 'EXIT', start + 1000 * (n + 1))));
      assert.deepEqual(new Set(left.map(({ body }) => kindsOf(body.result.events).join())), new Set(['EXIT']));
      const visits = await site.rows('visits');
      const dwells = new Map(visits.map((visit) => [visit['installation_id'], [visit['is_open'], visit['dwell']]]));
      for (const [n, phone] of phones.entries()) assert.deepEqual(dwells.get(ids.get(phone) ?? ''), [0, n + 1], phone);
    });

    test('an unregistered phone gets an error, and the others are served', async () => {
      const senders = phones.flatMap((phone, n) => (n % 4 === 0 ? [phone, `nobody-${n}`] : [phone]));
      const answers = await Promise.all(senders.map((sender) => post(sender)));
      for (const [index, { status, body }] of answers.entries()) {
        const isNobody = senders[index]?.startsWith('nobody');
        assert.equal(status, isNobody ? 404 : 200, senders[index]);
        if (isNobody) assert.match(body.error.error, new RegExp(`${senders[index]}\\. Register it first`));
      }
      assert.equal((await site.rows('visits')).length, phones.length);
    });

    test('one installation several times at once, under both of its ids', async () => {
      const [phone = ''] = phones;
      const names = [phone, ids.get(phone) ?? '', phone, ids.get(phone) ?? ''];
      const answers = await Promise.all(names.map((name, n) => post(name, 'ENTER', site.now - n)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      assert.equal((await site.rows('visits')).length, 1);
      const again = await Promise.all(names.map(() => post(phone)));
      assert.equal(new Set(again.map(({ body }) => JSON.stringify(body))).size, 1, 'the same batch, the same answer');
    });

    test("an id of the client's own comes before the same one of ours", async () => {
      const [first = '', second = ''] = phones;
      const ofFirst = ids.get(first) ?? '';
      await create(site.app, '/api/v2/installations', { installationId: ofFirst, deviceType: 'ios' });
      const answers = await Promise.all([post(ofFirst), post(first), post(second)]);
      const who = answers.map(({ body }) => body.result.events[0].installationId.objectId);
      assert.equal(new Set(who).size, 3);
      assert.equal(who[1], ofFirst);
    });

    test('apps do not meet, even in the same moment and with the same ids', async () => {
      const other = await otherApp(site.app);
      await create(site.app, '/api/v2/installations', { installationId: phones[0], deviceType: 'ios' }, other);
      const body = { installationId: phones[0], sightings: [site.decided('ENTER')] };
      const foreign = site.app.send({ method: 'POST', url: '/api/v2/sightings', headers: other, body });
      const [theirs, ...ours] = await Promise.all([foreign, ...phones.map((phone) => post(phone))]);
      assert.equal(theirs.body.result.problems[0].code, 'unknown_beacon');
      assert.deepEqual(new Set(ours.map(({ body }) => kindsOf(body.result.events).join())), new Set(['ENTER']));
    });

    test('odd ids are refused or unknown, and the others are served', async () => {
      const names = ['a\0b', phones[0] ?? '', '\ud800', `{"a",b\\}`];
      const answers = await Promise.all(names.map((name) => post(name)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [400, 200, 400, 404],
      );
    });

    test('one whose rows cannot be written fails alone', async () => {
      const broken = ids.get(phones[3] as string);
      const { db } = site.app.storage;
      await db.run(raw(`create unique index broken on tracks (installation_id) where installation_id = '${broken}'`));
      const other = (await otherApp(site.app))['x-service-appid'];
      await db.run(
        raw(
          `insert into tracks (app_id, installation_id, state, updated_at) values ('${other}', '${broken}', '{}', 0)`,
        ),
      );
      const answers = await Promise.all(phones.map((phone) => post(phone)));
      assert.deepEqual(
        answers.flatMap(({ status }, n) => (status === 200 ? [] : [n])),
        [3],
      );
      const visitors = (await site.rows('visits')).map((visit) => visit['installation_id']);
      assert.equal(visitors.length, phones.length - 1);
      assert.ok(!visitors.includes(broken ?? null), 'nothing of it was written');
    });
  });
}
