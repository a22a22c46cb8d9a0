import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { service as byService } from '../../src/audit.ts';
import { openDatabase } from '../../src/cli/storage.ts';
import { readConfig } from '../../src/config.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { fcmDefinition } from '../../src/delivery/fcm.ts';
import { createSenderService } from '../../src/features/senders/service.ts';
import { createSecretBox } from '../../src/secrets.ts';
import { createServices } from '../../src/services.ts';
import { joinSql, sql } from '../../src/sql.ts';
import { createPostgresDatabase, databases } from '../build-app.ts';
import { type PushProvider, startPushProvider } from '../fakes/push-provider.ts';
import { call, type Service, startService } from './service.ts';

const audience = 100_000;
const kills = 10;

/** What each recipient was sent, by the ids that arrived. */
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

async function insertInstallations(db: Db, appId: string, tokenFor: (name: string) => string): Promise<void> {
  const page = 1_000;
  for (let from = 0; from < audience; from += page) {
    const rows = Array.from({ length: page }, (_, index) => {
      const id = `i${String(from + index).padStart(6, '0')}`;
      return sql`(${appId}, ${id}, ${id}, 'android', ${tokenFor(id)}, '[]', '{}', 0, 0)`;
    });
    await db.run(sql`insert into installations
      (app_id, object_id, installation_id, device_type, device_token, channels, metadata, created_at, updated_at)
      values ${joinSql(rows, ', ')}`);
  }
}

/** An app with FCM's credentials and its installations, before the service has started for the first time. */
async function prepare(settings: Readonly<Record<string, string>>, provider: PushProvider) {
  const config = readConfig(settings);
  const db = openDatabase(config);
  try {
    await migrate(db, Date.now());
    const credentials = await createServices({ db, now: Date.now }).apps.create('Museum');
    const { appId } = credentials;
    const senders = createSenderService({
      db,
      now: Date.now,
      secrets: createSecretBox({ keys: config.secretKeys, folder: undefined }),
      definitions: [fcmDefinition],
      senderDeps: { now: Date.now, timeoutMs: 10_000 },
    });
    await senders.save({ appId, kind: 'fcm' }, provider.fcm.serviceAccount, byService);
    await insertInstallations(db, appId, provider.fcm.tokenFor);
    return { 'x-service-appid': appId, 'x-service-appkey': credentials.appKey };
  } finally {
    await db.close();
  }
}

async function signIn(service: Service, credentials: Readonly<Record<string, string>>) {
  const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'open sesame' };
  await call(service, 'POST', '/api/v2/users', { headers: credentials, body: account });
  const answer = await call(service, 'POST', '/api/v2/users/signin', { headers: credentials, body: account });
  return { ...credentials, authorization: `Bearer ${answer.body.accessToken}` };
}

for (const database of databases) {
  test(`${kills} times kill -9 while a push goes to ${audience} installations on ${database}: nobody is missing, nobody has two deliveries`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-push-kill-'));
    const postgres = database === 'postgres' ? await createPostgresDatabase() : undefined;
    const provider = await startPushProvider({ quiet: true });
    const seen = watch(provider);
    writeFileSync(join(folder, 'ca.pem'), provider.ca);
    const settings = {
      PHAROS_DATA: folder,
      PHAROS_SECRET_KEY: 'cd'.repeat(32),
      PHAROS_PUSH_URL: provider.origin,
      PHAROS_PUSH_CA: join(folder, 'ca.pem'),
      // What a process that was killed has left is not taken over before that.
      PHAROS_JOB_LEASE_MS: '1000',
      ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}),
    };
    try {
      const credentials = await prepare(settings, provider);
      let service = await startService(settings);
      const headers = await signIn(service, credentials);
      const body = { data: { title: 'Tonight' } };
      const sent = await call(service, 'POST', '/api/v2/push/notification', { headers, body });
      assert.equal(sent.status, 200);
      const pushOf = async () => {
        const list = await call(service, 'GET', '/api/v2/push/notifications', { headers });
        return list.body.results[0];
      };
      let expanded = 0;
      for (let kill = 0; kill < kills; kill++) {
        // At another point of the work each time: of the expansion at first, of the sending then.
        const before = seen.messages;
        if (kill < 3) {
          do expanded = (await pushOf()).audience;
          while (expanded < 500 + kill * 4_000);
        } else while (seen.messages < before + 1_000 + kill * 300) await delay(1);
        await service.stop('SIGKILL');
        service = await startService(settings);
      }
      assert.ok(expanded < audience, 'the first kills came while recipients were still being found');
      let push = await pushOf();
      for (; push.state !== 'done'; push = await pushOf()) await delay(100);
      assert.deepEqual(
        { audience: push.audience, sent: push.sent, failed: push.failed, expired: push.expired },
        { audience, sent: audience, failed: 0, expired: 0 },
      );
      const recipients = new Set<string>();
      for (let last = ''; ; ) {
        const where = encodeURIComponent(JSON.stringify({ objectId: { $gt: last } }));
        const path = `/api/v2/deliveries?limit=1000&order=objectId&where=${where}`;
        const { results } = (await call(service, 'GET', path, { headers })).body;
        for (const { installationId, state } of results) {
          assert.ok(!recipients.has(installationId.objectId), `${installationId.objectId} has one delivery`);
          assert.equal(state, 'sent');
          recipients.add(installationId.objectId);
        }
        if (results.length < 1_000) break;
        last = results.at(-1).objectId;
      }
      assert.equal(recipients.size, audience);
      assert.equal(seen.wire.size, audience, 'everybody got it');
      for (const [token, ids] of seen.wire)
        assert.equal(ids.size, 1, `${token}: the same id however often it was sent`);
      assert.equal(await service.stop('SIGTERM'), 0);
    } finally {
      await provider.close();
      await postgres?.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
