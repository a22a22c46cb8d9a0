import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, signInManager } from '../../../../test/support/build-app.ts';
import { pointer, Site } from '../../../../test/support/site.ts';
import { openReportSite, type ReportSite, textIn } from '../../../../test/support/sites/report-site.ts';
import { service } from '../../../access/audit.ts';
import { sql } from '../../../base/sql.ts';

/** What stands in a report. */

for (const database of databases) {
  describe(`reports by mail on ${database}`, () => {
    let reports: ReportSite;
    let site: Site;
    beforeAll(async () => {
      reports = await openReportSite(database);
      site = reports.site;
      const body = { venueId: reports.venue, every: 'week', isOn: true, administrators: [reports.idOf('owner')] };
      const made = await reports.call('owner', 'POST', '', { ...body, addresses: [] });
      report = made.body.result.reportId;
      // A Monday, before the sessions of the week that is looked at.
      site.app.clock.now = Date.UTC(2027, 0, 4, 6);
    });
    afterAll(() => reports.close());
    let report = '';

    test('tell what messages led to, and which campaigns there were, with the console where each is shown', async () => {
      // Whoever signed in half a year ago has been signed out.
      const fresh = new Site({ ...site, user: await signInManager(site.app) }, site);
      const campaign = async (description: string, beaconId: string) =>
        fresh.notification({
          description,
          beaconId: pointer('Beacon', beaconId),
          delivery: { validFrom: '2027-01-05T00:00:00+01:00', validUntil: '2027-01-09T00:00:00+01:00' },
          goal: { kind: 'visit', beaconId: site.hall, withinHours: 3 },
        });
      const far = await fresh.beacon({ minor: 9 });
      const hung = {
        method: 'PATCH',
        url: `/api/v2/beacons/${far}`,
        body: { venueId: pointer('Venue', reports.elsewhere) },
      };
      assert.equal((await fresh.ask(hung as Parameters<Site['ask']>[0])).status, 200);
      const sale = await campaign('Sale & more', site.hall);
      await campaign('Far away', far);
      await fresh.notification({ description: 'Always' });
      const delivery = { validFrom: '2027-01-06T00:00:00+01:00', validUntil: '2027-01-07T00:00:00+01:00' };
      await fresh.scenario({ alertTitle: 'Night', beacons: [far, site.hall], delivery });
      await fresh.scenario({ alertTitle: 'Never', delivery }, false);
      // What the service counts of a campaign that worked.
      const startedAt = Date.UTC(2027, 0, 4, 23);
      for (const [group, reached, acted] of [
        ['', 400, 120],
        ['holdout', 200, 20],
      ] as const)
        await site.app.storage.db.run(sql`insert into message_rollups (app_id, started_at, trigger_id, message_group, reached,
          opened_by, acted, shown, received, opened, withdrawn) values (${site.app.appId}, ${startedAt}, ${sale}, ${group},
          ${reached}, 0, ${acted}, ${reached}, 0, 0, 0)`);
      site.app.clock.now = Date.UTC(2027, 0, 6, 9);
      await reports.visit(2, 'sale');
      site.app.clock.now = Date.UTC(2027, 0, 11, 8);
      const body = { venueId: null, every: 'week', isOn: true, administrators: [reports.idOf('owner')], addresses: [] };
      const { reportId } = (await reports.call('owner', 'POST', '', body)).body.result;
      const whole = (await reports.call('owner', 'GET', `/${reportId}/preview`)).body.result;
      const query = new URLSearchParams({ from: '2027-01-04', until: '2027-01-11' });
      const told = (await fresh.ask({ method: 'GET', url: `/api/v2/analytics/messages?${query}` })).body.result;
      const [{ text: sentence }] = told.messages[0].comparisons;
      assert.match(sentence, /^Of 400 who got it 30 % reached the goal, of 200 who did not get it 10 %/);
      assert.ok(whole.text.includes(`Sale & more: ${sentence}`), whole.text);
      assert.ok(whole.html.includes(`Sale &#38; more: ${sentence}`), 'in the page as well');
      assert.match(whole.text, /Sale & more +30 % +25\.7 % to 34\.7 %/);
      assert.match(whole.text, /Sale & more \(held out\) +10 %/);
      const console = `http://pharos.test/console/apps/${site.app.appId}/activity`;
      assert.ok(whole.text.includes(`${console}/messages?unit=week&on=2027-01-04`));
      assert.match(whole.text, /Tue 5 Jan .*Sale & more: begins, Far away: begins/);
      assert.match(whole.text, /Fri 8 Jan .*Sale & more: last day/);
      const both =
        /Campaigns in this time: Sale & more \(Tue 5 Jan to Fri 8 Jan\), Far away \(Tue 5 Jan to Fri 8 Jan\), Tour: Night \(Wed 6 Jan\)\./;
      assert.match(whole.text, both);
      const pdf = await reports.call('owner', 'GET', `/${reportId}/pdf`);
      assert.equal(pdf.raw.subarray(0, 5).toString(), '%PDF-');
      const links = pdf.raw.toString('latin1').match(/\/URI \(.*?\)/g) ?? [];
      assert.ok(
        links.some((link) => link.includes('activity/messages?unit=week')),
        links.join(),
      );
      // Of one venue only its own campaigns are told, and no messages.
      const one = (await reports.call('owner', 'GET', `/${report}/preview`)).body.result;
      assert.match(
        one.text,
        /Campaigns in this time: Sale & more \(Tue 5 Jan to Fri 8 Jan\), Tour: Night \(Wed 6 Jan\)\./,
      );
      assert.doesNotMatch(one.text, /Far away|WHAT MESSAGES LED TO/);
      assert.equal((await reports.call('owner', 'DELETE', `/${reportId}`)).status, 200);
    });

    test('protect small groups as the endpoints do, each month, and can be looked at before', async () => {
      await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'protected' } }, service);
      site.app.clock.now = Date.UTC(2027, 0, 12, 9);
      const body = {
        venueId: null,
        every: 'month',
        isOn: true,
        administrators: [reports.idOf('owner')],
        addresses: [],
      };
      const { reportId } = (await reports.call('owner', 'POST', '', body)).body.result;
      await reports.visit(3, 'c');
      site.app.clock.now = Date.UTC(2027, 0, 16, 9);
      await reports.visit(13, 'd');
      site.app.clock.now = Date.UTC(2027, 1, 1, 6);
      const preview = (await reports.call('owner', 'GET', `/${reportId}/preview`)).body.result;
      assert.match(preview.text, /Tue 12 Jan +1–4 /);
      await site.signInAgain();
      const { rows } = await site.get('analytics/visits?from=2027-01-16&until=2027-01-17&interval=day');
      const told = String(rows[0].visitors).replace('-', '–');
      assert.match(preview.text, new RegExp(`Sat 16 Jan +${told} `), 'blurred as the endpoint does');
      assert.doesNotMatch(`${preview.text} ${preview.html}`, /\b(3|13|16) visitors|>(3|13|16)</);
      // In the language of the console.
      await site.app.storage.db.run(sql`insert into admin_languages values (${reports.idOf('owner')}, 'de')`);
      const german = (await reports.call('owner', 'GET', `/${reportId}/preview`)).body.result;
      assert.match(german.text, /Di 12\. Jan\. +1–4 /);
      assert.match(german.text, /BESUCHER NACH STUNDE UND WOCHENTAG/);
      assert.match(german.html, /In der Konsole öffnen: Besucher nach Tag</);
      const file = new URL('../../../mail/words/catalogues/de.json', import.meta.url);
      const words = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>);
      const left = words.filter(([text, said]) => / /.test(text) && text !== said && german.text.includes(text));
      assert.deepEqual(left, [], 'nothing stays English');
      await site.app.storage.db.run(sql`delete from admin_languages`);
      const pdf = await reports.call('owner', 'GET', `/${reportId}/pdf`);
      assert.deepEqual([pdf.headers['content-type'], pdf.raw.subarray(0, 5).toString()], ['application/pdf', '%PDF-']);
      const before = reports.smtp.mails.length;
      assert.deepEqual((await reports.call('owner', 'POST', `/${reportId}/send`)).body.result, {
        to: 'owner@x.example',
        ok: true,
        message: '',
      });
      assert.equal(reports.smtp.mails.length, before + 1);
      const mails = await reports.check(Date.UTC(2027, 1, 1, 6));
      assert.ok(mails.some((mail) => textIn(mail).includes(preview.text.slice(0, 200))));
      // With the app go its reports.
      assert.equal((await reports.call('owner', 'DELETE', `/${reportId}`)).status, 200);
      assert.equal((await reports.call('owner', 'GET', `/${reportId}`)).status, 404);
    });
  });
}
