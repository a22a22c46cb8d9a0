import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { listAdmins } from '../../src/features/operate/admins/accounts/store.ts';
import { buildApp, databases, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { browserOf, openConsole, sendFromConsole, signInToConsole } from '../support/console.ts';
import { type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts';
import { textIn } from '../support/sites/report-site.ts';

const minuteMs = 60_000;

for (const database of databases)
  describe(`mails to administrators, in the language of their console, on ${database}`, () => {
    let smtp: SmtpSink;
    let app: TestApp;
    let owner: string;
    beforeAll(async () => {
      smtp = await startSmtpSink();
      app = await buildApp({ database, settings: { PHAROS_SMTP_URL: smtp.url } });
      app.clock.now = Date.UTC(2026, 4, 6, 12);
      owner = (await openConsole(app, 'owner')).email;
    });
    afterAll(async () => {
      await app.close();
      await smtp.close();
    });

    const signedIn = async (email = owner) => browserOf(app, await signInToConsole(app, email));
    const language = async (email = owner) =>
      (await listAdmins(app.storage.db)).find((admin) => admin.email === email)?.language ?? null;
    /** Opens the console in a language, or in one that there is not. */
    async function openIn(tag: string, email = owner): Promise<void> {
      const answer = await (await signedIn(email)).send({
        method: 'GET',
        url: '/session',
        headers: { 'pharos-language': tag },
      });
      assert.equal(answer.status, 200);
      await app.app.idle();
    }
    const mailTo = (email: string) => smtp.mails.findLast(({ to }) => to === email);
    const subject = (email: string) => {
      const raw = /^Subject: (.*(?:\n .*)*)$/m.exec(mailTo(email)?.data ?? '')?.[1] ?? '';
      return raw
        .replaceAll(/\?=\s+=\?/g, '?==?')
        .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_, text: string) =>
          Buffer.from(
            text
              .replaceAll('_', ' ')
              .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
            'latin1',
          ).toString(),
        )
        .replaceAll(/=\?UTF-8\?B\?(.*?)\?=/gi, (_, text: string) => Buffer.from(text, 'base64').toString());
    };
    async function pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= 5 * minuteMs) {
        app.clock.now += 5 * minuteMs;
        await app.app.checkAlerts();
        await app.app.idle();
      }
    }

    test('the language is that of the console which was opened last, and nothing else', async () => {
      assert.equal(await language(), null);
      await openIn('de');
      assert.equal(await language(), 'de');
      for (const none of ['tlh', '', 'DE; drop']) await openIn(none);
      assert.equal(await language(), 'de');
      const headers = { 'pharos-language': 'fr' };
      const body = { email: owner, password: 'a long enough secret' };
      const answer = await sendFromConsole(app, { method: 'POST', url: '/session', body, headers });
      assert.deepEqual([answer.status, await language()], [201, 'fr']);
      await openIn('de');
    });

    test('an alert, its end and the digest are German, with the sentences of the service', async () => {
      await create(app, '/api/v2/installations', { installationId: 'a', deviceType: 'android' });
      await pass(20 * minuteMs);
      assert.equal(subject(owner), '[Test app] Kein Push-Dienst ist eingerichtet');
      const text = textIn(mailTo(owner)).replaceAll('\n', ' ');
      assert.match(text, /Beginn: 6\. Mai 2026 um \d\d:05 \(UTC\)\./);
      assert.match(text, /Die Konsole: http:\/\/pharos\.test\/console\/apps\//);
      assert.doesNotMatch(text, /\b(began|It|the app|only)\b/);
      await app.storage.db.run(sql`insert into alert_choices (admin_id, name, value)
        select admin_id, 'digest', 'daily' from admins where email = ${owner}`);
      app.clock.now = Date.UTC(2026, 4, 7, 7, 1);
      await pass(20 * minuteMs);
      const digest = smtp.mails.find(({ data }) => /Zusammenfassung/.test(data));
      assert.match(
        textIn(digest),
        /Was jemanden braucht:\s+- Kein Push-Dienst ist eingerichtet\n {2}seit 6\. Mai 2026/,
      );
    });

    test('somebody who is invited reads the language of who invites, and then an own one', async () => {
      const by = await signedIn();
      const body = { email: 'ed@museum.example', role: 'editor' };
      assert.equal((await by.send({ method: 'POST', url: '/invitations', body })).status, 201);
      await app.app.idle();
      assert.match(subject('ed@museum.example'), /^Ihre Einladung zur Konsole von Pharos/);
      const text = textIn(mailTo('ed@museum.example')).replaceAll('\n', ' ');
      assert.match(text, /hat Sie zur Verwaltungskonsole .* eingeladen, mit der Rolle Redakteur\. /);
      assert.match(text, /Der Link funktioniert einmal und 7 Tage lang\./);
      const eva = await openConsole(app, 'editor');
      await openIn('es', eva.email);
      await sendFromConsole(app, { method: 'POST', url: '/password-reset', body: { email: eva.email } });
      await app.app.idle();
      assert.match(subject(eva.email), /^Su contraseña nueva para la consola de Pharos/);
      assert.match(textIn(mailTo(eva.email)), /El enlace funciona una vez y durante una hora\./);
    });

    test('a report is in the language of who gets it, and of who added an address', async () => {
      const by = await signedIn();
      const url = `/apps/${app.appId}/reports`;
      const { adminId } = (await by.send({ method: 'GET', url: '/session' })).body.result;
      const body = {
        venueId: null,
        every: 'week',
        isOn: true,
        administrators: [adminId],
        addresses: ['dir@x.example'],
      };
      const made = await by.send({ method: 'POST', url, body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      await app.app.idle();
      assert.equal(subject('dir@x.example'), 'Ein Bericht über Test app?');
      assert.match(
        textIn(mailTo('dir@x.example')).replaceAll('\n', ' '),
        /möchte Ihnen jede Woche die Zahlen von Test app/,
      );
      const { text, html } = (await by.send({ method: 'GET', url: `${url}/${made.body.result.reportId}/preview` })).body
        .result;
      assert.match(html, /<html lang="de">/);
      assert.match(text, /Die Woche vom 27\. April 2026 bis 3\. Mai 2026\n/);
      assert.match(text, /In dieser Woche wurde kein Besucher gesehen\./);
      assert.doesNotMatch(text, /\b(The|week|visitors|you)\b/);
    });
  });
