import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { bothDatabases } from '../../../../../test/support/build-app.ts';
import { openConsole } from '../../../../../test/support/console.ts';
import { kindsOf, openSite, type Site, stay, walk } from '../../../../../test/support/site.ts';
import { sql } from '../../../../base/sql.ts';
import { findLearnable } from '../lock/lock.ts';
import { findReceiverOffsets, HearingLearning, maxModels } from './receiver-offsets.ts';

const minute = 60_000;

for (const database of bothDatabases) {
  describe(`how loud a phone hears on ${database}`, () => {
    let site: Site;
    let hearing: HearingLearning;
    beforeAll(async () => {
      site = await openSite(database);
      hearing = new HearingLearning(site.app.storage.db, findLearnable);
    });
    afterAll(() => site.close());
    beforeEach(() => hearing.reset(site.app.appId));

    /** There is an installation of this objectId, which says for which half of the evidence it counts. */
    async function present(objectId: string): Promise<void> {
      if (objectId === site.phone) return;
      await site.installation({ installationId: objectId });
      await site.app.storage.db.run(sql`update installations set object_id = ${objectId}
        where app_id = ${site.app.appId} and installation_id = ${objectId}`);
    }
    /** A phone passes twelve beacons, a minute each, and measures so much less than at the edge of their radius, dB. */
    async function pass(installationId: string, model: string | null, excess: readonly number[]): Promise<void> {
      await present(installationId);
      for (let index = 0; index < 12; index++)
        hearing.note(
          { appId: site.app.appId, installationId, model },
          [{ beaconId: `beacon-${index}`, excess: (excess[index % excess.length] ?? 0) + (index % 3) - 1 }],
          site.now + index * minute,
        );
    }
    const lossOf = async (installationId: string, model: string | null = null) => {
      const [receiverOffset] = await findReceiverOffsets(site.app.storage.db, [
        { appId: site.app.appId, installationId, model },
      ]);
      return Math.round(receiverOffset?.loss ?? 0);
    };

    test('is known when it comes back, or another one of its model comes', async () => {
      await pass('bag', 'Old 3', [10]);
      await pass('hand', 'New 9', [-2]);
      assert.equal(await lossOf('bag'), 0, 'nothing is written yet');
      await hearing.flush(site.now);
      assert.equal(await lossOf('bag'), 8);
      assert.equal(await lossOf('hand'), 0, 'whoever hears well is left as it is');
      assert.equal(await lossOf('other', 'Old 3'), 0, 'one phone does not speak for its model');
      for (const phone of ['bad', 'bae', 'baf']) await pass(phone, 'Old 3', [10]);
      await hearing.flush(site.now);
      assert.equal(await lossOf('other', 'Old 3'), 9);
      assert.equal(await lossOf('other'), 7, 'nearly all phones hear little here: measured powers are wrong');
      for (const phone of ['hane', 'hanf', 'hang']) await pass(phone, 'New 9', [-2]);
      await pass('moody', null, [9, -9]);
      await hearing.flush(site.now);
      assert.deepEqual([await lossOf('other'), await lossOf('other', 'New 9')], [0, 0]);
      for (const phone of ['few', 'fewe', 'fewer', 'fewest']) await pass(phone, ' ', [5]);
      await hearing.flush(site.now);
      const all = [await lossOf('other', ''), await lossOf('other', ' ')];
      assert.deepEqual(all, [0, 0], 'who names no model gets what all of the app get');
      assert.equal(await lossOf('moody'), 0, 'what does not hold from time to time is not applied');
    });

    /** Learning whose phones are all there. */
    const node = () => new HearingLearning(site.app.storage.db, async (_db, _appId, ids) => new Set(ids));
    const noteAt = (to: HearingLearning, installationId: string, model: string, excess: number, count = 12) =>
      to.note(
        { appId: site.app.appId, installationId, model },
        Array.from({ length: count }, (_, index) => ({ beaconId: `beacon-${index}`, excess })),
        site.now,
      );

    test('is hardly moved for others by one phone that passes many beacons in its first hour', async () => {
      const learning = node();
      for (let phone = 0; phone < 12; phone++) noteAt(learning, `honest${phone}`, 'Old 3', 8);
      await learning.flush(site.now);
      const before = await lossOf('other', 'Old 3');
      noteAt(learning, 'liar', 'Old 3', 15, 200);
      await learning.flush(site.now);
      const after = await lossOf('other', 'Old 3');
      assert.ok(before === 7 && after - before <= 2, `${before} -> ${after} dB`);
    });

    test('is added to by two nodes at once, and again where it could not be written', async () => {
      const nodes = [node(), node(), node()];
      for (const [index, one] of nodes.entries()) noteAt(one, `of${index}`, 'Both 1', 8);
      await Promise.all(nodes.map((one) => one.flush(site.now)));
      const passesOf = async (model: string) =>
        (await hearing.list(site.app.appId)).find((view) => view.model === model)?.passes;
      assert.equal(await passesOf('Both 1'), 36);
      let isAway = true;
      const late = new HearingLearning(site.app.storage.db, async (_db, _appId, ids) => {
        if (isAway) throw new Error('away');
        return new Set(ids);
      });
      noteAt(late, 'late', 'Both 2', 8);
      await assert.rejects(late.flush(site.now), /away/);
      isAway = false;
      noteAt(late, 'later', 'Both 2', 8);
      await late.flush(site.now);
      assert.equal(await passesOf('Both 2'), 24);
    });

    test('keeps no more models than there are, those that were heard of last', async () => {
      const learning = node();
      noteAt(learning, 'first', 'Pixel 8', 8, 1);
      await learning.flush(site.now);
      for (let phone = 0; phone < maxModels; phone++) noteAt(learning, `p${phone}`, `made up ${phone}`, 8, 1);
      await learning.flush(site.now + minute);
      const { db } = site.app.storage;
      const models = sql`app_id = ${site.app.appId} and installation_id = '' and model <> ''`;
      const row = await db.one<{ n: number; gone: number }>(sql`select count(*) as n,
        sum(case when model = 'Pixel 8' then 1 else 0 end) as gone from hearing where ${models}`);
      assert.deepEqual([Number(row?.n), Number(row?.gone)], [maxModels, 0]);
    });

    test('lets in a quiet phone from its first seconds on, whose like was here before', async () => {
      for (const phone of ['a', 'b', 'c', 'd']) await pass(phone, 'Quiet 1', [10]);
      for (const phone of ['e', 'f', 'g', 'h']) await pass(phone, 'Loud 1', [-2]);
      await hearing.flush(site.now);
      // What a phone that hears 10 dB less measures at two metres.
      const asHeard = stay(2 * 10 ** (10 / 20), 20);
      for (const [installationId, deviceModel, entered] of [
        ['plain', 'Loud 1', []],
        ['quiet', 'Quiet 1', ['ENTER', 'NEAR']],
      ] as const) {
        await site.installation({ installationId, deviceModel });
        const { events } = await site.send(walk(asHeard, site.now - 20_000), { installationId });
        assert.deepEqual(
          kindsOf(events).filter((kind) => kind !== 'FAR'),
          entered,
          deviceModel,
        );
      }
    });

    test('is looked into, and forgotten on request and with the phone', async () => {
      await pass(site.phone, 'Old 3', [10]);
      await hearing.flush(site.now);
      const console = await openConsole(site.app, 'owner');
      const url = `/apps/${site.app.appId}/hearing`;
      const list = async () => {
        const { body } = await console.send({ method: 'GET', url: `${url}?installationId=${site.phone}` });
        return body.result.map(({ updatedAt, ...rest }: { updatedAt: unknown }) => rest);
      };
      assert.deepEqual(await list(), [
        { installationId: site.phone, passes: 12, loss: 7.6 },
        { passes: 12, loss: null },
        { model: 'Old 3', passes: 12, loss: null },
      ]);
      const { status } = await console.send({ method: 'DELETE', url: `${url}/${site.phone}` });
      assert.equal(status, 200);
      assert.equal((await list()).length, 2);
      await pass(site.phone, 'Old 3', [10]);
      const consent = (granted: boolean) =>
        site.app.storage.db.run(sql`update installations set consents = ${JSON.stringify({ analytics: { granted } })}
          where app_id = ${site.app.appId} and object_id = ${site.phone}`);
      await consent(false);
      await hearing.flush(site.now);
      assert.equal((await list()).length, 2, 'what was gathered before a refusal is not written after it');
      await consent(true);
      await pass(site.phone, 'Old 3', [10]);
      await hearing.flush(site.now);
      await site.ask({ method: 'DELETE', url: `/api/v2/installations/${site.phone}` });
      await site.app.app.idle();
      assert.equal((await list()).length, 2, 'an erased phone leaves nothing of its own');
      await pass(site.phone, 'Old 3', [10]);
      await hearing.flush(site.now);
      assert.equal((await list()).length, 2, 'not by what was gathered before either');
      assert.equal((await console.send({ method: 'DELETE', url })).status, 200);
      assert.deepEqual(await list(), []);
    });
  });
}
