import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { buildApp, databases, signIn, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';

const dayMs = 86_400_000;

/** What a receipt says about backups, which nobody rewrites. */
for (const database of databases) {
  describe(`the receipt of an erasure on ${database}`, () => {
    async function withApp(settings: Readonly<Record<string, string>>, work: (app: TestApp) => Promise<void>) {
      const app = await buildApp({ database, settings });
      try {
        await app.app.idle();
        await work(app);
      } finally {
        await app.close();
      }
    }
    /** Makes two backups a day apart, then erases somebody. Answers the receipt, and when the backups were begun. */
    async function erased(app: TestApp, by: 'user' | 'installation') {
      const vera = await signIn(app);
      const body = { installationId: 'hers', deviceType: 'ios' };
      const phone = await create(app, '/api/v2/installations', body, vera.headers);
      const times: number[] = [];
      for (let n = 0; n < 2; n++) {
        const owner = await openConsole(app, 'owner');
        times.push(app.clock.now);
        const { status, raw } = await owner.send({ method: 'POST', url: '/system/backups' });
        assert.ok(status < 300, raw.toString());
        await app.app.idle();
        app.clock.now += dayMs;
      }
      const owner = await openConsole(app, 'owner');
      const path = by === 'user' ? `users/${vera.userId}` : `v2/installations/${phone}`;
      const gone = await owner.send({ method: 'DELETE', url: `/apps/${app.appId}/${path}` });
      assert.equal(gone.status, 200, gone.raw.toString());
      await app.app.idle();
      const [receipt] = (await owner.send({ method: 'GET', url: `/apps/${app.appId}/erasures` })).body.result;
      assert.ok(receipt.completedAt);
      return { receipt, times };
    }
    const iso = (at = 0) => new Date(at).toISOString();

    test('names each backup that still holds the person, and until when, for an account and for a phone', async () => {
      for (const by of ['user', 'installation'] as const)
        await withApp({ PHAROS_BACKUP_DAYS: '10' }, async (app) => {
          const { receipt, times } = await erased(app, by);
          const [first, second] = times;
          assert.equal(receipt.kind, by);
          assert.deepEqual(
            receipt.backups.map(({ createdAt, expiresAt }: Record<string, string>) => [createdAt, expiresAt]),
            [second, first].map((at = 0) => [iso(at), iso(at + 10 * dayMs)]),
          );
          assert.equal(receipt.backupsHoldUntil, iso((second ?? 0) + 10 * dayMs));
        });
    });

    test('says that nothing deletes them by itself, or that there are none', async () => {
      await withApp({ PHAROS_BACKUP_DAYS: '0' }, async (app) => {
        const { receipt } = await erased(app, 'user');
        assert.deepEqual(
          [receipt.backups.map(({ expiresAt }: { expiresAt: null }) => expiresAt), receipt.backupsHoldUntil],
          [[null, null], null],
        );
      });
      await withApp({}, async (app) => {
        const vera = await signIn(app);
        const gone = await app.send({ method: 'DELETE', url: '/api/v2/users/me', headers: vera.headers });
        await app.app.idle();
        const url = `/api/v2/erasures/${gone.body.result.erasureId}`;
        const { backups, backupsHoldUntil } = (await app.send({ method: 'GET', url })).body.result;
        assert.deepEqual([backups, backupsHoldUntil], [[], null]);
      });
    });
  });
}
