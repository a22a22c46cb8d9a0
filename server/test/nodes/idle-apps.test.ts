import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { raw } from '../../src/base/sql.ts';
import { bothDatabases, otherApp, signInManager } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { testOn } from '../support/depth.ts';
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts';
import { openSite, type Site, stay, uuid, walk } from '../support/site.ts';
import { watchStatements } from '../support/statements.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What sweeps, and the check of what needs a person, cost for apps in which nothing happens. */
for (const database of bothDatabases) {
  describe(`apps in which nothing happens, beside one that has something, on ${database}`, () => {
    let site: Site;
    let smtp: SmtpSink;
    beforeAll(async () => {
      smtp = await startSmtpSink();
      site = await openSite(database, { PHAROS_SMTP_URL: smtp.url });
      site.app.app.ticker.stop();
      await site.makeReachable();
      await site.notification();
    });
    afterAll(async () => {
      await site.close();
      await smtp.close();
    });

    async function sweep(): Promise<void> {
      site.app.app.sweep();
      await site.app.app.idle();
    }
    async function check(): Promise<void> {
      await site.app.app.checkAlerts();
      await site.app.app.idle();
    }

    /** How many statements some work sends, without what a node does because time passes. */
    async function count(work: () => Promise<void>): Promise<number> {
      const { take } = statements;
      take();
      await work();
      return take().filter((text) => !/min\((run_at|next_deadline)\)/.test(text)).length;
    }
    async function rowsOf(appId: string, table: string, condition = '1 = 1'): Promise<number> {
      const rows = await site.app.storage.db.all(
        raw(`select * from ${table} where app_id = '${appId}' and ${condition}`),
      );
      return rows.length;
    }
    let statements: ReturnType<typeof watchStatements>;

    test('they add no statement to a sweep or a check, on the day on which they are made neither', async () => {
      statements = watchStatements(site.app.storage.db);
      // Noon, when there are no digests to be made.
      await sweep();
      await check();
      const few = { sweep: await count(sweep), check: await count(check) };
      for (let n = 0; n < 60; n++) await site.app.app.apps.create(`Idle ${n}`);
      const first = { sweep: await count(sweep) };
      // A digest of each app is looked for once a day.
      await check();
      const many = { sweep: await count(sweep), check: await count(check) };
      for (const [sent, before] of [
        [first.sweep, few.sweep],
        [many.sweep, few.sweep],
        [many.check, few.check],
      ] as const)
        assert.ok(sent <= before + 20, `${sent} statements, and ${before} before there were 60 more apps`);
      site.app.clock.now += dayMs;
      assert.ok((await count(sweep)) <= few.sweep + 40, 'once a day, when sweeps do more');
    });

    test('what is old goes where there is something, also in the last one of many apps', async () => {
      const other = await otherApp(site.app);
      const manager = await signInManager(site.app, other);
      const headers = { ...other, ...manager.headers };
      await create(site.app, '/api/v2/beacons', { name: 'Door', uuid, major: 1, minor: 1 }, headers);
      await create(site.app, '/api/v2/installations', { installationId: 'neighbour', deviceType: 'ios' }, headers);
      const sightings = walk(stay(1.5, 10), site.now - 10_000);
      const body = { installationId: 'neighbour', sightings };
      const answer = await site.app.send({ method: 'POST', url: '/api/v2/sightings', headers, body });
      assert.equal(answer.status, 200);
      await site.app.app.idle();
      const kept = () => rowsOf(other['x-service-appid'] ?? '', 'visits');
      assert.equal(await kept(), 1);
      site.app.clock.now += hourMs;
      await site.app.app.ticker.tick();
      await sweep();
      assert.equal(await kept(), 1);
      await site.app.app.apps.change(other['x-service-appid'] ?? '', {
        policy: { retentionDays: { logs: 1, visits: 1, events: 1 } },
      });
      site.app.clock.now += 2 * dayMs;
      await sweep();
      assert.equal(await kept(), 0);
    });

    testOn(database)('what needs a person is found among them, and that it is over', async () => {
      const appId = await site.app.app.apps.create('Full').then((made) => made.appId);
      const { policy } = await site.app.app.apps.get(appId);
      const open = () => rowsOf(appId, 'alerts', 'ended_at is null');
      const pass = async () => {
        for (let n = 0; n < 3; n++) {
          site.app.clock.now += hourMs;
          await check();
        }
      };
      await pass();
      assert.equal(await open(), 0);
      // There is no row of it in any table.
      await site.app.app.apps.change(appId, { policy: { quotas: { ...policy.quotas, files: 0 } } });
      await pass();
      assert.equal(await open(), 1);
      await site.app.app.apps.change(appId, { policy: { quotas: policy.quotas } });
      for (let n = 0; n < 2; n++) await pass();
      assert.equal(await open(), 0);
    });
  });
}
