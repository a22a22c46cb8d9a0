import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { ScriptedSender } from '../../../../test/fakes/scripted-sender.ts';
import { bothDatabases, buildApp, type TestApp } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { type SmtpSink, startSmtpSink } from '../../../../test/support/servers/smtp-sink.ts';
import { service } from '../../../access/audit.ts';
import type { AdminRole } from '../../../access/roles.ts';
import { type App, createApp } from '../../../app/app.ts';
import { sql } from '../../../base/sql.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const roles = ['owner', 'manager', 'editor', 'analyst'] as const;

for (const database of bothDatabases) {
  describe(`what needs a person on ${database}`, () => {
    const provider = new ScriptedSender();
    let smtp: SmtpSink;
    let app: TestApp;
    let other: App;
    const receiver = createServer((_, answer) => void answer.end());
    beforeAll(async () => {
      receiver.listen(0, '127.0.0.1');
      await once(receiver, 'listening');
      smtp = await startSmtpSink();
      const senders = [provider.definition('fcm')];
      app = await buildApp({
        database,
        senders,
        settings: { PHAROS_SMTP_URL: smtp.url, PHAROS_PRIVATE_TARGETS: '127.0.0.1' },
      });
      // A Wednesday, in the evening of Tokyo.
      app.clock.now = Date.UTC(2026, 4, 6, 12);
      for (const role of roles) await app.app.admins.create(person(role), service);
      await app.app.apps.change(app.appId, { policy: { timeZone: 'Asia/Tokyo' } });
      other = await createApp({
        repeats: false,
        config: app.config,
        db: app.storage.db,
        now: () => app.clock.now,
        logStream: { write: () => undefined },
        senders,
      });
      // A phone, and no push service for it.
      await create(app, '/api/v2/installations', { installationId: 'a', deviceType: 'android' });
    });
    afterAll(async () => {
      await other.close();
      await app.close();
      await smtp.close();
      receiver.close();
    });

    const person = (role: AdminRole) => ({ email: `${role}@x.example`, name: role, password: 'a long secret', role });
    const subjectOf = (data: string) => /^Subject: (.*)$/m.exec(data)?.[1]?.trim();

    /** Time passes, and the nodes look at the same moments, every five minutes or so. Answers who of the four was told what. */
    async function pass(ms: number, nodes: readonly App[] = [app.app, other], stepMs = 5 * minuteMs) {
      const before = smtp.mails.length;
      for (let left = ms; left > 0; left -= stepMs) {
        app.clock.now += Math.min(left, stepMs);
        await Promise.all(nodes.map((node) => node.checkAlerts()));
        // Jobs are leased for seconds of the same clock.
        await Promise.all([app.app.idle(), other.idle()]);
      }
      const fresh = smtp.mails.slice(before).filter(({ to }) => to.endsWith('@x.example'));
      return fresh.map(({ to, data }) => `${to.split('@')[0]}: ${subjectOf(data)}`).sort();
    }
    /** Sessions end as time passes. */
    async function send(role: AdminRole, method: 'GET' | 'PUT' | 'POST', url: string, body?: object) {
      const browser = await openConsole(app, role);
      return (await browser.send({ method, url, ...(body ? { body } : {}) })).body;
    }
    /** The four choose as they would in the console. */
    const choose = (role: AdminRole, name: string, value: string) =>
      app.storage.db.run(sql`insert into alert_choices (admin_id, name, value)
        select admin_id, ${name}, ${value} from admins where email = ${`${role}@x.example`}`);
    const passHours = (hours: number) => pass(hours * hourMs, undefined, 30 * minuteMs);
    const told = (title: string, ...who: readonly string[]) => who.map((one) => `${one}: [Test app] ${title}`);
    const calls = () =>
      app.storage.db.all<{ event: string; payload: string }>(
        sql`select event, payload from webhook_deliveries where app_id = ${app.appId} order by object_id`,
      );

    test('is reported once, when it has lasted, whichever node checks, to the administrators it concerns and to webhooks', async () => {
      const { port } = receiver.address() as AddressInfo;
      const hook = { url: `http://127.0.0.1:${port}/hook`, events: ['alert.begun', 'alert.ended'] };
      await send('owner', 'POST', `/apps/${app.appId}/webhooks`, hook);
      assert.deepEqual(await pass(10 * minuteMs), []);
      assert.deepEqual(await pass(hourMs), told('No push service is set up', 'editor', 'manager', 'owner'));
      const [call, ...more] = await calls();
      assert.deepEqual([call?.event, more], ['alert.begun', []]);
      assert.match(call?.payload ?? '', /"title":"No push service is set up"/);
      const mail = smtp.mails.find(({ to }) => to === 'owner@x.example')?.data ?? '';
      assert.match(mail, /6 May 2026 at 21:05 \(Asia\/Tokyo\)/);
      assert.match(mail.replaceAll(/=\r?\n/g, ''), /http:\/\/pharos\.test\/console\/apps\/\w+\/home/);
    });

    test('Home says the same as the mail, and the list has what was sent', async () => {
      const { findings } = (await send('analyst', 'GET', `/apps/${app.appId}/attention`)).result;
      const { results, canMail } = await send('analyst', 'GET', `/alerts?app=${app.appId}`);
      assert.deepEqual(
        [findings, results].map((list) => list.map(({ title }: { title: string }) => title)),
        [['No push service is set up'], ['No push service is set up']],
      );
      assert.deepEqual([canMail, results[0].endedAt], [true, null]);
    });

    test('is repeated a day later, but not to administrators who have switched it off', async () => {
      await choose('editor', 'unreachable', 'off');
      assert.deepEqual(await passHours(24), told('Still: No push service is set up', 'manager', 'owner'));
    });

    test('a problem that comes and goes within minutes is not reported; its end is, once that has lasted', async () => {
      await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
      assert.deepEqual(await pass(10 * minuteMs), []);
      await app.app.senders.remove({ appId: app.appId, kind: 'fcm' }, service);
      assert.deepEqual(await pass(5 * minuteMs), []);
      await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
      assert.deepEqual(await pass(30 * minuteMs), told('Over: No push service is set up', 'manager', 'owner'));
      await app.app.senders.remove({ appId: app.appId, kind: 'fcm' }, service);
      assert.deepEqual(await pass(10 * minuteMs), []);
      await app.app.senders.save({ appId: app.appId, kind: 'fcm' }, {}, service);
      assert.deepEqual(await pass(hourMs), []);
      assert.deepEqual(
        (await calls()).map(({ event }) => event),
        ['alert.begun', 'alert.ended'],
      );
    });

    test('a summary comes in the morning of the app, once, and on Mondays also when all is well', async () => {
      await choose('owner', 'digest', 'weekly');
      await choose('manager', 'digest', 'daily');
      // From Thursday evening to Sunday night in Tokyo: what was over on Thursday is told on Friday.
      app.clock.now = Date.UTC(2026, 4, 7, 20);
      assert.deepEqual(await passHours(4), told('Digest: all is well', 'manager'));
      const digest = smtp.mails.findLast(({ to }) => to === 'manager@x.example')?.data ?? '';
      assert.match(digest, /What is over:\s+- No push service is set up/);
      app.clock.now = Date.UTC(2026, 4, 10, 21, 30);
      assert.deepEqual(await pass(20 * minuteMs), []);
      // One about the app, and one about the service, whose zone is that of this machine.
      const monday = await passHours(3);
      assert.deepEqual(
        monday.filter((line) => line.includes('Test app')),
        told('Digest: all is well', 'owner'),
      );
    });

    test('administrators who may approve a push are notified at the next check that one waits, and that it no longer does', async () => {
      await app.app.apps.change(app.appId, { policy: { approval: { enabled: true, above: 1 } } });
      for (const one of ['b', 'c'])
        await create(app, '/api/v2/installations', { installationId: one, deviceType: 'android', deviceToken: one });
      const pushes = `/apps/${app.appId}/v2/push/notification`;
      const writer = await openConsole(app, 'editor');
      const body = { data: { title: 'Tonight' } };
      const { status, headers } = await writer.send({ method: 'POST', url: pushes, body });
      assert.equal(status, 200);
      // A subject with quotation marks is encoded and broken into lines.
      const toldOfIt = async () =>
        (await pass(5 * minuteMs)).filter((line) => line.includes('Tonight')).map((line) => line.split(':')[0]);
      assert.deepEqual(await toldOfIt(), ['editor', 'manager', 'owner']);
      const id = String(headers['location']).split('/').at(-1);
      const approver = await openConsole(app, 'editor');
      assert.equal((await approver.send({ method: 'POST', url: `${pushes}/${id}/approve` })).status, 200);
      assert.deepEqual(await toldOfIt(), ['editor', 'manager', 'owner'], 'it is over');
    });

    test('only owners are notified of what concerns the whole service', async (context) => {
      context.onTestFinished(() => mock.reset());
      mock.method(app.storage.db, 'fitInto', () => ({ needed: 2 ** 50, reusable: 0 }));
      const lines = (await pass(10 * minuteMs)).filter((line) => line.includes('[Pharos]'));
      assert.equal(lines.length, 1, lines.join());
      assert.match(lines[0] ?? '', /^owner: \[Pharos\] (New content is refused|The disk of)/);
      const seen = async (role: AdminRole) => (await send(role, 'GET', '/alerts')).results.length;
      assert.deepEqual([await seen('owner'), await seen('editor')], [1, 0]);
    });

    test('a webhook that wants to know only when something of the service is over, is told that', async () => {
      const hook = { url: 'https://93.184.215.14/over', events: ['service.alert.ended'] };
      const made = await send('owner', 'POST', `/apps/${app.appId}/webhooks`, hook);
      assert.ok(made.result?.objectId, JSON.stringify(made));
      // At the node that has not been told of the webhook yet.
      await pass(20 * minuteMs, [other]);
      assert.equal((await calls()).filter(({ event }) => event === 'service.alert.ended').length, 1);
      const gone = await openConsole(app, 'owner');
      await gone.send({ method: 'DELETE', url: `/apps/${app.appId}/webhooks/${made.result.objectId}` });
    });

    test('one chooses only among what one may see', async () => {
      const { kinds } = (await send('editor', 'GET', '/session/alerts')).result;
      const on = kinds.filter(({ isOn }: { isOn: boolean }) => isOn).map(({ kind }: { kind: string }) => kind);
      assert.deepEqual(on, ['failures', 'unreachable', 'approval']);
      const changed = await send('editor', 'PUT', '/session/alerts', { kinds: { silent: true }, digest: 'daily' });
      assert.equal(changed.result.kinds.find(({ kind }: { kind: string }) => kind === 'silent').isOn, true);
      assert.equal(changed.result.digest, 'daily');
      const refused = await send('editor', 'PUT', '/session/alerts', { kinds: { backup: true } });
      assert.deepEqual([refused.code, refused.error.details?.[0]?.field], [142, 'kinds.backup']);
      // By a push comes only what cannot wait, and only to those who have said so.
      const onPhones = ({ result }: { result: { kinds: readonly { kind: string; onPhone?: boolean }[] } }) =>
        result.kinds.flatMap(({ kind, onPhone }) => (onPhone === undefined ? [] : [`${kind} ${onPhone}`]));
      assert.deepEqual(onPhones(await send('editor', 'GET', '/session/alerts')), ['crowded false']);
      const chosen = await send('editor', 'PUT', '/session/alerts', { onPhone: { crowded: true } });
      assert.deepEqual(onPhones(chosen), ['crowded true']);
      assert.equal(chosen.result.phones, 0);
      assert.equal((await send('editor', 'PUT', '/session/alerts', { onPhone: { silent: true } })).code, 142);
    });
  });
}
