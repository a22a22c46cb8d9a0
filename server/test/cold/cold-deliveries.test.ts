import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { sql } from '../../src/base/sql.ts';
import type { Database, Row } from '../../src/db/db.ts';
import { noteReceiptsOfPacked } from '../../src/features/push/delivery-store.ts';
import { deliveries } from '../../src/features/push/resource.ts';
import { databases, type SignedIn, type TestApp } from '../support/build-app.ts';
import { packPast } from '../support/storage/cold-data.ts';
import { beforeEachOf, buildPast, chunksOf, everyRow, idOf, packKept } from '../support/storage/packed-past.ts';

/** What is said about messages long after they were sent. */

const day = 86_400_000;
const { table } = deliveries;

for (const database of databases) {
  describe(`packed deliveries on ${database}`, () => {
    let app: TestApp;
    let manager: SignedIn;
    let db: Database;
    let now: number;
    let installations: string[];
    let before: readonly Row[];
    beforeEach(async () => {
      ({ app, db, now, manager, installations } = await buildPast(database));
      before = await everyRow(db, table);
    });
    afterEach(() => app.close());
    const pack = () => packKept(database, { db, now });
    const stored = async () =>
      new Set((await db.all<Row>(sql`select object_id from deliveries where app_id = ${app.appId}`)).map(idOf));
    const packedOf = async (installation: string) => {
      const left = await stored();
      return (await everyRow(db, table)).filter(
        (row) => row['installation_id'] === installation && !left.has(idOf(row)),
      );
    };
    const report = async (installation: string, receipts: readonly object[]) => {
      const body = { installationId: installation, receipts };
      return app.send({ method: 'POST', url: '/api/v2/receipts', body });
    };

    test('are those that have ended, of pushes that have ended, and of which nothing was heard for long', async () => {
      const late = before.find((row) => row['state'] === 'sent' && Number(row['created_at']) < now - 100 * day);
      assert.ok(late);
      await db.run(sql`update deliveries set updated_at = ${now - day} where app_id = ${app.appId}
        and object_id = ${idOf(late)}`);
      await packPast(db, { appId: app.appId, now });
      const left = await stored();
      const sending = await db.one<{ id: string }>(
        sql`select object_id as id from pushes where app_id = ${app.appId} and state = 'sending'`,
      );
      for (const row of before) {
        const isUnderWay = row['state'] === 'queued' || row['push_id'] === sending?.id || row === late;
        if (isUnderWay) assert.ok(left.has(idOf(row)), JSON.stringify(row));
      }
      assert.ok(left.size < before.length / 2, `${left.size} of ${before.length}`);
    });

    test('take receipts: the first one counts, of their own phone alone, and they stay packed', async () => {
      const [her, other] = [installations[1] ?? '', installations[2] ?? ''];
      await pack();
      const hers = await packedOf(her);
      const news = hers.filter((row) => row['received_at'] === null).slice(0, 3);
      const known = hers.find((row) => row['opened_at'] !== null);
      const [foreign] = await packedOf(other);
      const recent = [...(await stored())].find((id) =>
        before.some((row) => idOf(row) === id && row['installation_id'] === her),
      );
      assert.ok(news.length === 3 && known && foreign && recent);
      // Shown, too: what is counted of messages learns of the same receipts.
      for (const row of news)
        await db.run(sql`insert into message_showings (app_id, object_id, installation_id, trigger_id, message_group, shown_at,
          is_first, changes) values (${app.appId}, ${idOf(row)}, ${her}, 'T', 'A', ${now - 90 * day}, 1, 0)`);
      const at = now - 3_600_000;
      const [first, second, third] = news.map(idOf);
      const answer = await report(her, [
        { deliveryId: first, event: 'received', at: new Date(at).toISOString() },
        { deliveryId: second, event: 'opened', at: new Date(at).toISOString() },
        { deliveryId: second, event: 'received' },
        { deliveryId: idOf(known), event: 'opened' },
        { deliveryId: idOf(foreign), event: 'opened' },
        { deliveryId: `${third}x`, event: 'opened' },
        { deliveryId: recent, event: 'received' },
      ]);
      assert.deepEqual(
        [answer.status, answer.body.result],
        [200, { accepted: 5, unknown: [idOf(foreign), `${third}x`] }],
      );
      const expected = before.map((row) => {
        if (idOf(row) === first) return { ...row, received_at: at, updated_at: now };
        if (idOf(row) === second) return { ...row, received_at: at, opened_at: at, updated_at: now };
        if (idOf(row) === recent) return { ...row, received_at: row['received_at'] ?? now, updated_at: now };
        return row;
      });
      assert.deepEqual(await everyRow(db, table), expected);
      const showings = await db.all(sql`select received_at, opened_at, changes from message_showings
        where app_id = ${app.appId} and trigger_id = 'T' order by object_id`);
      const shown = new Map([
        [first, { received_at: at, opened_at: null, changes: 1 }],
        [second, { received_at: at, opened_at: at, changes: 1 }],
        [third, { received_at: null, opened_at: null, changes: 0 }],
      ]);
      assert.deepEqual(
        showings.map((row) => ({ ...row })),
        [...shown.keys()].toSorted().map((id) => shown.get(id)),
      );
      assert.equal((await packedOf(her)).length, hers.length, 'they stay packed');
      const again = await report(her, [{ deliveryId: second, event: 'opened' }]);
      assert.deepEqual(again.body.result, { accepted: 1, unknown: [] });
      assert.deepEqual(await everyRow(db, table), expected);
    });

    test('take receipts while their chunk is replaced by somebody else', async () => {
      const her = installations[1] ?? '';
      await pack();
      const hers = (await packedOf(her))
        .filter((row) => row['received_at'] === null)
        .slice(0, 2)
        .map(idOf);
      const receipt = (deliveryId: string, at: number) =>
        ({ deliveryId, installationId: her, event: 'received', at, now }) as const;
      const note = (of: Database, deliveryId: string, at: number) =>
        noteReceiptsOfPacked(
          of,
          { appId: app.appId, installationId: her, receipts: [receipt(deliveryId, at)] },
          async () => undefined,
        );
      let isFirst = true;
      const meanwhile = beforeEachOf(db, async () => {
        if (!isFirst) return;
        isFirst = false;
        await note(db, hers[1] ?? '', 2);
      });
      await note(meanwhile, hers[0] ?? '', 1);
      const received = new Map((await everyRow(db, table)).map((row) => [idOf(row), row['received_at']]));
      assert.deepEqual(
        hers.map((id) => received.get(id)),
        [1, 2],
      );
      assert.deepEqual([...received.keys()], before.map(idOf));
    });

    test('are counted by their push as before: reasons, and who has received and opened it', async () => {
      const pushes = await db.all<{ id: string }>(
        sql`select object_id as id from pushes where app_id = ${app.appId} order by object_id`,
      );
      const read = async () => {
        const all: unknown[] = [];
        for (const { id } of pushes) {
          const url = `/api/v2/push/notification/${id}`;
          const { status, body } = await app.send({ method: 'GET', url, headers: manager.headers });
          assert.equal(status, 200, JSON.stringify(body));
          all.push(body.result);
        }
        return all as { readonly reasons: readonly object[]; readonly received: number }[];
      };
      const expected = await read();
      assert.ok(expected.some(({ reasons, received }) => reasons.length === 2 && received === 1));
      await pack();
      const chunks = await chunksOf(db, table);
      assert.ok(chunks.length > 1);
      assert.deepEqual(await read(), expected);
    });
  });
}
