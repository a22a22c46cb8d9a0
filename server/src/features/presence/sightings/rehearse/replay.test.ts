import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../../../test/support/console.ts';
import { openSite, type Site } from '../../../../../test/support/site.ts';
import { defaultPolicy } from '../../../../access/policy.ts';
import { sql } from '../../../../base/sql.ts';
import { type Job, RetryLater } from '../../../../jobs/job.ts';
import { findBlur } from '../../../insights/analytics/numbers/store.ts';
import { replayHandler } from './replay.ts';

const minute = 60_000;

for (const database of databases) {
  describe(`a draft of rules, tried on what was recorded, on ${database}`, () => {
    let site: Site;
    let editor: Browser;
    let message = '';
    beforeAll(async () => {
      site = await openSite(database);
      site.app.app.ticker.stop();
      // All of it happens on one day, whenever the test begins.
      const leftOfDay = 1440 * minute - (site.now % (1440 * minute));
      if (leftOfDay < 60 * minute) site.app.clock.now += leftOfDay;
      editor = await openConsole(site.app, 'editor');
      message = await site.notification({ event: 'ENTER', delivery: { dwellSeconds: 60 } });
      // Everybody comes three times, and stays for half a minute, one and a half, and two and a half.
      for (let place = 0; place < 6; place++) {
        const installationId = `phone ${place}`;
        await site.installation({ installationId });
        const send = (event: string) =>
          site.send([{ beacon: site.hall, event, occurredAt: site.now }], { installationId });
        for (const halves of [1, 3, 5]) {
          await send('ENTER');
          site.app.clock.now += (halves * minute) / 2;
          await send('EXIT');
          site.app.clock.now += minute;
        }
      }
    });
    afterAll(() => site.close());

    const url = () => `/apps/${site.app.appId}/replays`;
    async function compare(body: object) {
      const begun = await editor.send({ method: 'POST', url: url(), body });
      assert.equal(begun.status, 200, JSON.stringify(begun.body));
      // What is told before it is done is of some of the visitors.
      for (;;) {
        await site.app.app.idle();
        const { result } = (await editor.send({ method: 'GET', url: `${url()}/${begun.body.result.objectId}` })).body;
        if (result.state !== 'waiting' && result.state !== 'running') return result;
      }
    }
    const draft = (change: object = {}) => ({ beacons: [site.hall], event: 'ENTER', ...change });

    test('the rules as they are would have sent what was sent, and stricter ones less', async () => {
      const rows = await site.rows('verdicts');
      const sent = rows.filter((row) => row['outcome'] === 'fired').length;
      assert.equal(sent, 12);
      const strict = draft({ delivery: { dwellSeconds: 60, caps: [{ count: 1, per: 'trigger', window: 'day' }] } });
      const before = (await site.rows('message_showings')).length;
      const told = await compare({ triggerId: message, draft: strict });
      assert.deepEqual([told.state, told.progress, told.against.sent, told.against.visitors], ['done', 1, sent, 6]);
      assert.deepEqual([told.draft.sent, told.draft.visitors, told.draft.reasons], [6, 6, { dwell: 6, cap: 6 }]);
      assert.equal((await site.rows('message_showings')).length, before, 'nothing is recorded');
      assert.equal((await site.rows('verdicts')).length, rows.length);
    });

    test('two drafts are compared with each other, and one that is off sends nothing', async () => {
      const told = await compare({ draft: draft({ isEnabled: false }), against: draft() });
      assert.deepEqual([told.draft.sent, told.draft.reasons, told.against.sent], [0, { disabled: 18 }, 18]);
      const entered = (await site.rows('events')).filter(({ event }) => event === 'ENTER');
      assert.equal(entered.length, 18);
      const days = Map.groupBy(entered, (row) => new Date(Number(row['occurred_at'])).toISOString().slice(0, 10));
      assert.deepEqual(told.against.days, Object.fromEntries([...days].map(([day, rows]) => [day, rows.length])));
    });

    test('where small groups are protected no number is exact, and the same one is always told in the same way', async () => {
      const protect = (smallGroups: 'protected' | 'shown') =>
        site.app.app.apps.change(site.app.appId, { policy: { smallGroups } });
      const exact = await compare({ draft: draft(), against: draft({ delivery: { dwellSeconds: 60 } }) });
      await protect('protected');
      const blur = await findBlur(site.app.storage.db, site.app.appId);
      const told = (count: number) => blur.blurred(count, 'replay', '');
      const counts = ({ sent, visitors, reasons, days }: typeof exact.draft) => [
        ...[sent, visitors],
        ...Object.values<number>(reasons),
        ...Object.values<number>(days),
      ];
      const one = await compare({ draft: draft(), against: draft({ delivery: { dwellSeconds: 60 } }) });
      // Another period and another draft, of which as many would have come.
      const from = new Date(site.now - 29 * 1440 * minute).toISOString();
      const other = await compare({ draft: draft({ showOn: [] }), against: draft(), from });
      await protect('shown');
      assert.deepEqual(
        [one.isProtected, counts(one.draft), counts(one.against), one.events],
        [true, counts(exact.draft).map(told), counts(exact.against).map(told), told(exact.events)],
      );
      assert.equal(other.against.sent, one.draft.sent);
    });

    test('a period that reaches beyond what is kept begins where that does, and says so', async () => {
      const iso = (daysAgo: number) => new Date(site.now - daysAgo * 1440 * minute).toISOString();
      const told = await compare({ draft: draft(), from: iso(90) });
      assert.deepEqual([told.from, told.draft.sent], [iso(30), 18]);
      const gone = await editor.send({
        method: 'POST',
        url: url(),
        body: { draft: draft(), from: iso(90), until: iso(40) },
      });
      assert.equal(gone.status, 400);
      assert.match(gone.body.error.error, /kept for 30 days/);
    });

    test('one that a stop of the service ends half-way goes on afterwards', async () => {
      const { db } = site.app.storage;
      const begun = await editor.send({ method: 'POST', url: url(), body: { draft: draft() } });
      const { objectId } = begun.body.result;
      await site.app.app.idle();
      const stopping = new AbortController();
      const people = (n: number, from: number) =>
        Array.from({ length: n }, (_, place) => ({ objectId: `nobody ${from + place}`, consents: null }));
      const handler = replayHandler({
        db,
        now: () => site.now,
        findPolicy: async () => defaultPolicy,
        countInstallations: async () => 60,
        installationsAfter: async (_db, _appId, after) => {
          stopping.abort();
          return after === '' ? people(50, 100) : people(10, 150);
        },
      });
      await db.run(
        sql`update rule_replays set state = 'waiting', done_to = '', judged = 0 where object_id = ${objectId}`,
      );
      const run = (signal: AbortSignal) =>
        handler.run({ appId: site.app.appId, payload: { objectId }, attempts: 9 } as unknown as Job, {
          signal,
          assertHeld: async () => undefined,
        });
      const state = async () => (await editor.send({ method: 'GET', url: `${url()}/${objectId}` })).body.result.state;
      await assert.rejects(run(stopping.signal), RetryLater);
      assert.equal(await state(), 'running');
      await run(new AbortController().signal);
      assert.equal(await state(), 'done');
    });

    test('what makes no sense is refused with a sentence, and it can be stopped', async () => {
      const ask = (body: object) => editor.send({ method: 'POST', url: url(), body });
      for (const [body, problem] of [
        [{ draft: draft(), from: '2026-01-01', until: '2025-01-01' }, 'from must be before until.'],
        [{ draft: draft(), from: '2020-01-01' }, 'A period has at most 92 days.'],
        [{ draft: draft({ beacons: ['none'] }) }, 'there is no beacon none.'],
        [{ draft: draft(), triggerId: 'none' }, 'there is no message none.'],
      ] as const) {
        const { status, body: answer } = await ask(body);
        assert.ok(status >= 400 && status < 500 && JSON.stringify(answer).includes(problem), JSON.stringify(answer));
      }
      const { objectId } = (await ask({ draft: draft() })).body.result;
      const stopped = await editor.send({ method: 'DELETE', url: `${url()}/${objectId}` });
      assert.ok(['cancelled', 'done'].includes(stopped.body.result.state));
      const analyst = await openConsole(site.app, 'analyst');
      assert.equal((await analyst.send({ method: 'POST', url: url(), body: { draft: draft() } })).status, 403);
    });
  });
}
