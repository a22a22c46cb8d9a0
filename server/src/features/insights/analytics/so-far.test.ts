import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { openSite, type Site } from '../../../../test/support/site.ts';
import { service } from '../../../access/audit.ts';

/** A period that goes on is compared with as much of the one before. */

const minute = 60_000;

for (const database of databases) {
  describe(`what a period that goes on is compared with, on ${database}`, () => {
    let site: Site;
    let shop: string;

    async function visit(at: string, installationId: string, beacon = site.hall): Promise<void> {
      site.app.clock.now = Date.parse(at);
      for (const event of ['ENTER', 'EXIT']) {
        await site.send([{ beacon, event, occurredAt: site.now }], { installationId });
        site.app.clock.now += minute;
      }
    }

    beforeAll(async () => {
      site = await openSite(database);
      await site.app.app.apps.change(site.app.appId, { policy: { timeZone: 'Europe/Vienna' } }, service);
      site.app.app.ticker.stop();
      shop = await site.beacon({ minor: 2 });
      for (const installationId of ['one', 'two', 'three', 'four']) await site.installation({ installationId });
      await visit('2026-02-27T12:00:00+01:00', 'one');
      await visit('2026-03-05T10:30:00+01:00', 'one');
      await visit('2026-03-10T14:40:00+01:00', 'two', shop);
      await visit('2026-03-10T15:10:00+01:00', 'three');
      await visit('2026-03-28T12:00:00+01:00', 'four');
      await site.app.app.rollups.settle(site.app.appId);
    });
    afterAll(() => site.close());

    interface Query {
      readonly from: string;
      readonly until: string;
      readonly compare: 'previous' | 'year';
      readonly beaconId?: string;
    }

    /** Until when the one before is counted, its visitors until then, and all of them. */
    async function comparedAt(now: string, query: Query): Promise<unknown> {
      site.app.clock.now = Date.parse(now);
      await site.signInAgain();
      await site.app.app.rollups.settle(site.app.appId);
      const url = `/api/v2/analytics/visits?${new URLSearchParams({ ...query })}`;
      const answer = await site.ask({ method: 'GET', url });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const { soFar, total } = answer.body.result.previous;
      return soFar ? [soFar.until, soFar.total?.visitors, total?.visitors] : ['all of it', total?.visitors];
    }

    test('is the same part of the month before, to the hour', async () => {
      const april = { from: '2026-04-01', until: '2026-05-01', compare: 'previous' } as const;
      const at = (now: string) => comparedAt(`2026-04-${now}:00+02:00`, april);
      assert.deepEqual(await at('01T00:05'), ['2026-03-01T01:00', 0, 4]);
      assert.deepEqual(await at('10T13:59'), ['2026-03-10T14:00', 1, 4]);
      assert.deepEqual(await at('10T14:20'), ['2026-03-10T15:00', 2, 4]);
      assert.deepEqual(await at('10T15:00'), ['2026-03-10T16:00', 3, 4]);
      assert.deepEqual(await at('30T23:59'), ['2026-03-31T00:00', 4, 4]);
      assert.deepEqual(await comparedAt('2026-05-01T00:00:00+02:00', april), ['all of it', 4]);
      assert.deepEqual(await comparedAt('2026-03-31T23:59:00+02:00', april), ['all of it', 4], 'it has not begun');
    });

    test('is all of a shorter month, and the same weekday of a week', async () => {
      const march = { from: '2026-03-01', until: '2026-04-01', compare: 'previous' } as const;
      assert.deepEqual(await comparedAt('2026-03-31T10:00:00+02:00', march), ['2026-03-01T00:00', 1, 1]);
      const week = { from: '2026-03-16', until: '2026-03-23', compare: 'previous' } as const;
      assert.deepEqual(await comparedAt('2026-03-17T14:20:00+01:00', week), ['2026-03-10T15:00', 1, 2]);
      const day = { from: '2026-03-11', until: '2026-03-12', compare: 'previous' } as const;
      assert.deepEqual(await comparedAt('2026-03-11T14:20:00+01:00', day), ['2026-03-10T15:00', 1, 2]);
    });

    test('is the same time of a year before, also of one beacon', async () => {
      const year = { from: '2027-01-01', until: '2028-01-01', compare: 'previous' } as const;
      assert.deepEqual(await comparedAt('2027-03-10T14:20:00+01:00', year), ['2026-03-10T15:00', 2, 4]);
      const month = { from: '2027-03-01', until: '2027-04-01', compare: 'year', beaconId: shop } as const;
      assert.deepEqual(await comparedAt('2027-03-10T13:20:00+01:00', month), ['2026-03-10T14:00', 0, 1]);
      assert.deepEqual(await comparedAt('2027-03-10T14:20:00+01:00', month), ['2026-03-10T15:00', 1, 1]);
    });

    test('is told of nobody where small groups are protected', async () => {
      await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'protected' } }, service);
      const april = { from: '2026-04-01', until: '2026-05-01', compare: 'previous' } as const;
      assert.deepEqual(await comparedAt('2026-04-10T14:20:00+02:00', april), ['2026-03-10T15:00', undefined, '1-4']);
    });
  });
}
