import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { buildApp, databases, type SentRequest } from '../../../../test/support/build-app.ts';
import { assertConsoleRefusal, openConsole, password } from '../../../../test/support/console.ts';
import { recordChange } from '../../../access/audit.ts';

for (const database of databases) {
  describe(`the audit record on ${database}`, () => {
    test('each change is recorded once, with before and after and no secret, newest first, page by page', async () => {
      const app = await buildApp({ database });
      try {
        const root = await openConsole(app, 'owner');
        const step = async (request: SentRequest) => {
          app.clock.now += 1000;
          const answer = await root.send(request);
          assert.ok(answer.status < 300, JSON.stringify(answer.body));
          return answer.body.result;
        };
        const { appId, keyId, appKey } = await step({ method: 'POST', url: '/apps', body: { name: 'Guide' } });
        await step({ method: 'PUT', url: `/apps/${appId}`, body: { name: 'Tour', policy: { tokenDays: 7 } } });
        const second = await step({ method: 'POST', url: `/apps/${appId}/keys` });
        await step({ method: 'DELETE', url: `/apps/${appId}/keys/${keyId}` });
        await step({ method: 'POST', url: `/apps/${appId}/buckets`, body: { name: 'visits' } });
        await step({ method: 'DELETE', url: `/apps/${appId}/buckets/visits` });
        await step({ method: 'DELETE', url: `/apps/${appId}` });
        const refused = await root.send({ method: 'PUT', url: `/apps/${appId}`, body: { name: 'X' } });
        assert.equal(refused.status, 404);

        const all = await root.send({ method: 'GET', url: `/audit?appId=${appId}` });
        const shown = all.body.results.map((entry: Record<string, unknown>) => [
          entry['action'],
          entry['before'],
          entry['after'],
        ]);
        assert.deepEqual(shown, [
          ['app.delete', { name: 'Tour' }, null],
          ['bucket.delete', { name: 'visits' }, null],
          ['bucket.create', null, { name: 'visits' }],
          ['key.disable', { keyId }, null],
          ['key.rotate', null, { keyId: second.keyId, disabledKeyIds: [] }],
          ['app.change', { name: 'Guide', tokenDays: 30 }, { name: 'Tour', tokenDays: 7 }],
          ['app.create', null, { name: 'Guide' }],
        ]);
        for (const entry of all.body.results) {
          assert.deepEqual([entry.actor, entry.address, entry.appId], [root.email, '127.0.0.1', appId]);
        }
        const everything = JSON.stringify((await root.send({ method: 'GET', url: '/audit' })).body);
        for (const secret of [appKey, second.appKey, password, 'argon2'])
          assert.ok(!everything.includes(secret), 'no secret is in it');

        const paged: unknown[] = [];
        for (let before = ''; ; ) {
          const page = await root.send({ method: 'GET', url: `/audit?appId=${appId}&limit=3${before}` });
          paged.push(...page.body.results);
          if (!page.body.next) break;
          before = `&before=${page.body.next}`;
        }
        assert.deepEqual(paged, all.body.results);
        for (const limit of ['0', '-1', 'x', '1.5', '']) {
          const answer = await root.send({ method: 'GET', url: `/audit?limit=${limit}` });
          assertConsoleRefusal(answer, 400, 102, 'InvalidQuery');
        }
      } finally {
        await app.close();
      }
    });

    test('a page of long entries ends sooner, and the next one goes on from there', async () => {
      const app = await buildApp({ database });
      try {
        const owner = await openConsole(app, 'owner');
        const by = { name: 'anna@museum.example', address: null };
        const long = { ids: Array.from({ length: 5_000 }, (_, n) => `person${n}`.padEnd(100, 'x')) };
        for (let n = 0; n < 20; n++)
          await recordChange(app.storage.db, { by, action: 'many.change', subject: `${n}`, after: long, now: n + 1 });
        const seen: string[] = [];
        const sizes: number[] = [];
        for (let before = ''; ; ) {
          const url = `/audit?actor=anna@museum.example&limit=100${before}`;
          const { body } = await owner.send({ method: 'GET', url });
          seen.push(...body.results.map(({ subject }: { subject: string }) => subject));
          sizes.push(body.results.length);
          if (!body.next) break;
          before = `&before=${body.next}`;
        }
        assert.deepEqual(
          seen,
          Array.from({ length: 20 }, (_, n) => `${19 - n}`),
        );
        assert.ok(Math.max(...sizes) < 10, `${sizes} entries of half a million characters`);
      } finally {
        await app.close();
      }
    });
  });
}
