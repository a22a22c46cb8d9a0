import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PushProvider, startPushProvider } from '../fakes/push-provider.ts';
import { bothDatabases, createMigratedPostgres } from '../support/build-app.ts';
import { killsOf, testOn } from '../support/depth.ts';
import { call, preparePushApp, type Service, signInManagerTo, startService } from './service.ts';

const kills = killsOf(5, 1);
const audience = kills * 3_200;

/** The messages to each recipient, by the ids that arrived. */
type Wire = Map<string, Set<string>>;

/** Counts by recipient what FCM takes, however often. */
function watch(provider: PushProvider): { readonly wire: Wire; messages: number } {
  const seen = { wire: new Map<string, Set<string>>(), messages: 0 };
  const { answer } = provider.fcm;
  provider.fcm.answer = (exchange) => {
    if (exchange.path !== '/token') {
      const { token, data } = JSON.parse(String(exchange.body)).message;
      seen.wire.set(token, (seen.wire.get(token) ?? new Set()).add(data.deliveryId));
      seen.messages++;
    }
    return answer(exchange);
  };
  return seen;
}

const names = Array.from({ length: audience }, (_, index) => `i${String(index).padStart(6, '0')}`);

for (const database of bothDatabases) {
  testOn(database)(
    `${kills} times kill -9 while a push goes to ${audience} installations on ${database}: nobody is missing, nobody has two deliveries`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pharos-push-kill-'));
      const postgres = database === 'postgres' ? await createMigratedPostgres() : undefined;
      const provider = await startPushProvider({ quiet: true });
      const seen = watch(provider);
      writeFileSync(join(folder, 'ca.pem'), provider.ca);
      const settings = {
        PHAROS_DATA: folder,
        PHAROS_SECRET_KEY: 'cd'.repeat(32),
        PHAROS_PUSH_URL: provider.origin,
        PHAROS_PUSH_CA: join(folder, 'ca.pem'),
        // The work of a killed process is not taken over before that.
        PHAROS_JOB_LEASE_MS: '1000',
        ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}),
      };
      let started: Service | undefined;
      const start = async () => {
        started = await startService(settings);
        return started;
      };
      try {
        const credentials = await preparePushApp(settings, provider, names);
        let service = await start();
        const headers = await signInManagerTo(service, settings, credentials);
        let pushes = 0;
        const push = async () => {
          const body = { data: { title: 'Tonight' } };
          const sent = await call(service, 'POST', '/api/v2/push/notification', { headers, body });
          assert.equal(sent.status, 200);
          pushes++;
        };
        const listed = async () => {
          const list = await call(service, 'GET', '/api/v2/push/notifications', { headers });
          assert.equal(list.status, 200, JSON.stringify(list.body));
          return list.body.results;
        };
        await push();
        for (let kill = 0; kill < kills; kill++) {
          // At a different point each time: first during the expansion, then during the sending.
          const before = seen.messages;
          if (kill < kills / 2) {
            // An app's own limit is a hundred requests a second, and on PostgreSQL others wait until a killed process' work is free.
            for (;;) {
              const { audience: expanded } = (await listed())[0];
              // The rest of them may be found between two of these looks.
              if (expanded === audience) await push();
              else if (expanded >= 300 + kill * 700) break;
              await delay(10);
            }
          } else while (seen.messages < before + 400 + kill * 100) await delay(1);
          await service.stop('SIGKILL');
          service = await start();
        }
        let all = await listed();
        for (; all.some(({ state }: { state: string }) => state !== 'done'); all = await listed()) await delay(100);
        assert.deepEqual(
          all.map(({ audience, sent, failed, expired }: Record<string, number>) => [audience, sent, failed, expired]),
          Array.from({ length: pushes }, () => [audience, audience, 0, 0]),
        );
        const recipients = new Set<string>();
        for (let last = ''; ; ) {
          const where = encodeURIComponent(JSON.stringify({ objectId: { $gt: last } }));
          const path = `/api/v2/deliveries?limit=1000&order=objectId&where=${where}`;
          const { results } = (await call(service, 'GET', path, { headers })).body;
          for (const { pushId, installationId, state } of results) {
            const recipient = `${pushId} ${installationId.objectId}`;
            assert.ok(!recipients.has(recipient), `${recipient} has one delivery`);
            assert.equal(state, 'sent');
            recipients.add(recipient);
          }
          if (results.length < 1_000) break;
          last = results.at(-1).objectId;
        }
        assert.equal(recipients.size, pushes * audience);
        assert.equal(seen.wire.size, audience, 'everybody got it');
        for (const [token, ids] of seen.wire)
          assert.equal(ids.size, pushes, `${token}: the same id however often it was sent`);
        assert.equal(await service.stop('SIGTERM'), 0);
      } finally {
        // If the test has failed, a service that has already ended cannot be stopped.
        await started?.stop('SIGKILL');
        await provider.close();
        await postgres?.drop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
}
