import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { selfSignedCertificate } from '../../../../test/fakes/certificate.ts';
import { databases } from '../../../../test/support/build-app.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { type SmtpSink, startSmtpSink } from '../../../../test/support/servers/smtp-sink.ts';
import { startReceiver, type WebhookReceiver } from '../../../../test/support/servers/webhook-receiver.ts';
import { openSite, type Site } from '../../../../test/support/site.ts';
import { found } from '../../../../test/support/sites/found.ts';
import { service } from '../../../access/audit.ts';
import { serviceTimeZone } from '../../../base/clock.ts';
import { isoTime } from '../../../http/answers.ts';
import { dayIn } from '../../zone-day.ts';
import { noteState } from '../backups/plan.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Long ones are broken into lines. */
const subject = /^Subject: (.*(?:\r?\n .*)*)$/m;

/** The mails to an owner, and the calls of a webhook, about each kind of problem. */
for (const database of databases) {
  describe(`a mail and a call go for each of it on ${database}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-alerts-'));
    let site: Site;
    let smtp: SmtpSink;
    let receiver: WebhookReceiver;
    let cafe: string;
    beforeAll(async () => {
      smtp = await startSmtpSink();
      receiver = await startReceiver();
      const { key, cert } = selfSignedCertificate();
      const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      writeFileSync(keyFile, key);
      writeFileSync(certFile, cert);
      site = await openSite(database, {
        PHAROS_SMTP_URL: smtp.url,
        PHAROS_MQTT_CERT: certFile,
        PHAROS_MQTT_KEY: keyFile,
        PHAROS_PRIVATE_TARGETS: '127.0.0.1',
      });
      await site.makeReachable();
      await site.notification({ description: 'Welcome' });
      cafe = await site.beacon({ name: 'Cafe', minor: 7 });
      // The certificate is good for ten years from now; this is a month before its end.
      site.app.clock.now = Date.now() + 3_620 * dayMs;
      const account = { email: 'owner@x.example', name: 'Olga', password: 'a long secret', role: 'owner' } as const;
      await site.app.app.admins.create(account, service);
      await ask('/webhooks', { url: receiver.url, events: ['alert.begun', 'service.alert.begun'] });
    });
    afterAll(async () => {
      await site.app.close();
      await smtp.close();
      await receiver.close();
      rmSync(folder, { recursive: true });
    });

    /**
     * Time passes, in steps in which the service looks. Answers the subjects of the mails to the owner, of which the receiver has
     * been told too, with the same words.
     */
    async function pass(ms: number): Promise<readonly string[]> {
      const { app, clock } = site.app;
      const before = smtp.mails.length;
      const called = receiver.calls.length;
      for (let left = ms; left > 0; left -= 5 * minuteMs) {
        clock.now += Math.min(left, 5 * minuteMs);
        await app.checkAlerts();
        await app.idle();
      }
      const subjects = smtp.mails
        .slice(before)
        .filter(({ to }) => to === 'owner@x.example')
        .map(
          ({ data }) =>
            subject
              .exec(data)?.[1]
              ?.replaceAll(/\r?\n /g, ' ')
              .trim() ?? '',
        );
      const begun = subjects
        .map((text) => text.replace(/^\[[^\]]*\] /, ''))
        .filter((text) => !/^(Still|Over|Digest): /.test(text));
      const titles = receiver.calls
        .slice(called)
        .map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title);
      assert.deepEqual(titles.toSorted(), begun.toSorted());
      return subjects;
    }
    const ask = async (path: string, body: object) => {
      const owner = await openConsole(site.app, 'owner');
      const url = `/apps/${site.app.appId}${path}`;
      const answer = await owner.send({ method: 'POST', url, body });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
    };

    test('a push service refuses the credentials', async () => {
      site.provider.test = async () => ({ ok: false, text: 'The key was revoked.' });
      await ask('/senders/fcm/test', {});
      assert.deepEqual(await pass(20 * minuteMs), [
        '[Test app] Firebase Cloud Messaging did not accept the credentials',
      ]);
      const mail = smtp.mails.at(-1)?.data ?? '';
      assert.match(mail, /The key was revoked\./);
    });

    test('messages fail', async () => {
      site.provider.script = () => ({ outcome: 'dead', reason: 'UNREGISTERED' });
      await site.send([site.decided('ENTER')]);
      await site.app.app.idle();
      assert.ok((await pass(20 * minuteMs)).includes('[Test app] 1 message failed in the last 24 hours'));
    });

    test('a beacon falls silent, a battery will soon be empty, and one is not where it should be', async () => {
      site.app.clock.now += 2 * dayMs;
      await found(site.app, [
        [cafe, 'silent'],
        [site.hall, 'battery'],
        [cafe, 'bleeding'],
      ]);
      const told = await pass(30 * minuteMs);
      for (const title of ['1 beacon fell silent', '1 battery will soon be empty', '1 beacon is not as it should be'])
        assert.ok(told.includes(`[Test app] ${title}`), told.join());
      await found(site.app, []);
      await pass(30 * minuteMs);
    });

    test('a secret key is about to expire', async () => {
      // Fourteen hours ahead of UTC: there it is the next day.
      const inZone = (timeZone: string) => site.app.app.apps.change(site.app.appId, { policy: { timeZone } });
      await inZone('Pacific/Kiritimati');
      const at = Math.floor((site.now + 15 * dayMs) / dayMs) * dayMs + 20 * hourMs;
      const expiresAt = new Date(at).toISOString();
      await ask('/secret-keys', {
        name: 'Gateway',
        scopes: [{ resource: 'beacons', verbs: ['list'] }],
        expiresAt,
      });
      assert.deepEqual(await pass(20 * minuteMs), [], 'not yet');
      site.app.clock.now += 2 * dayMs;
      const told = await pass(30 * minuteMs);
      const day = isoTime(at + 14 * hourMs).slice(0, 10);
      assert.notEqual(day, expiresAt.slice(0, 10));
      assert.ok(told.includes(`[Test app] The secret key Gateway expires on ${day}`), told.join());
      await inZone('UTC');
    });

    test('the certificate of the port for devices is about to expire', async () => {
      site.app.clock.now += 8 * dayMs;
      const told = await pass(30 * minuteMs);
      assert.match(told.join('\n'), /^\[Pharos\] The certificate of the port for devices expires on \d{4}-\d\d-\d\d$/m);
    });

    test('the disk fills up', async (context) => {
      context.onTestFinished(() => mock.reset());
      mock.method(site.app.storage.db, 'fitInto', () => ({ needed: 2 ** 50, reusable: 0 }));
      const told = await pass(20 * minuteMs);
      assert.match(told.join('\n'), /^\[Pharos\] (New content is refused|The disk of)/m);
    });

    test('a backup fails, and there is none for a long time', async () => {
      const { db } = site.app.storage;
      const owner = await openConsole(site.app, 'owner');
      const plan = { isOn: true, time: '03:00', timeZone: 'UTC' };
      assert.equal((await owner.send({ method: 'PUT', url: '/system/backup-plan', body: plan })).status, 200);
      const last = { backupId: '', at: isoTime(site.now), ok: false, message: 'The disk is full.' };
      const goodAt = Math.floor((site.now - 3 * dayMs) / dayMs) * dayMs + 20 * hourMs;
      await noteState(db, { last, goodAt });
      const told = await pass(5 * minuteMs);
      const { day: since } = dayIn(serviceTimeZone(), goodAt);
      for (const title of ['The last backup failed', `There is no backup since ${since}`])
        assert.ok(told.includes(`[Pharos] ${title}`), told.join());
    });
  });
}
