import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases, databases } from '../../../../test/support/build-app.ts';
import { browserOf, password, signInToConsole } from '../../../../test/support/console.ts';
import { testOn } from '../../../../test/support/depth.ts';
import type { ReceivedMail } from '../../../../test/support/servers/smtp-sink.ts';
import { openNode, openSite, type Site } from '../../../../test/support/site.ts';
import {
  htmlIn,
  openReportSite,
  partsOf,
  type ReportSite,
  textIn,
} from '../../../../test/support/sites/report-site.ts';
import { service } from '../../../access/audit.ts';
import { sql } from '../../../base/sql.ts';

/** Who gets a report, when, and what becomes of it on the way. Each test continues where the previous one stopped. */

const hour = 3_600_000;
const day = 24 * hour;

for (const database of bothDatabases) {
  describe(`reports by mail on ${database}`, () => {
    let reports: ReportSite;
    let site: Site;
    beforeAll(async () => {
      reports = await openReportSite(database);
      site = reports.site;
    });
    afterAll(() => reports.close());

    const who = (mails: readonly ReceivedMail[]) => mails.map(({ to }) => to.split('@')[0]).sort();
    const page = (method: 'GET' | 'POST', url: string) => site.app.send({ method, url });
    const linkIn = (mail: ReceivedMail | undefined, path: string) =>
      new RegExp(`http://pharos\\.test(/${path}\\?token=[\\w-]+)`).exec(textIn(mail))?.[1] ?? '';
    let report = '';
    const everybody = ['owner', 'near', 'anna'];

    test('are set up by administrators with the permission, for people who may see the figures', async () => {
      const body = {
        venueId: reports.venue,
        every: 'week',
        isOn: true,
        administrators: everybody.map((name) => reports.idOf(name)),
        addresses: ['director@x.example'],
      };
      assert.equal((await reports.call('anna', 'POST', '', body)).status, 403);
      const wrong = await reports.call('owner', 'POST', '', { ...body, administrators: [reports.idOf('far')] });
      assert.deepEqual([wrong.status, wrong.body.error.details[0].field], [400, 'administrators']);
      for (const bad of [{ administrators: [], addresses: [] }, { addresses: ['no address'] }, { venueId: 'nowhere' }])
        assert.equal((await reports.call('owner', 'POST', '', { ...body, ...bad })).status, 400, JSON.stringify(bad));
      const whole = await reports.call('near', 'POST', '', { ...body, venueId: null });
      assert.equal(whole.status, 403, 'limited to a venue');
      const made = await reports.call('near', 'POST', '', body);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      report = made.body.result.reportId;
      assert.deepEqual(made.body.result.next, { day: '2026-10-19', time: '07:00' });
      assert.equal((await reports.call('far', 'GET', `/${report}`)).status, 404);
      assert.deepEqual((await reports.call('far', 'GET', '')).body.results, []);
      assert.deepEqual(
        (await reports.call('near', 'GET', '')).body.candidates.map(({ name }: { name: string }) => name),
        ['near'],
      );
      const seen = (await reports.call('anna', 'GET', `/${report}`)).body.result;
      assert.deepEqual([seen.addresses, seen.recipients.at(-1).email], [['d…@x.example'], null]);
    });

    test('go to other addresses only once these have confirmed, by the button and not by opening the page', async () => {
      await reports.idle();
      const asked = reports.smtp.mails.find(({ to }) => to === 'director@x.example');
      const link = linkIn(asked, 'report-address');
      assert.match((await page('GET', link)).body, /Old &#38; &#60;New&#62; house/);
      assert.equal((await reports.shown(report)).recipients.at(-1).state, 'waits');
      assert.equal((await page('POST', link)).status, 200);
      assert.equal((await page('POST', link)).status, 404, 'once');
      assert.equal((await reports.shown(report)).recipients.at(-1).state, 'gets');
    });

    test('come once, on Monday at seven of the venue, with the figures of the console', async () => {
      site.app.clock.now = Date.UTC(2026, 9, 13, 9);
      await reports.visit(3, 'a');
      site.app.clock.now = Date.UTC(2026, 9, 17, 12);
      await reports.visit(7, 'b');
      const monday = Date.UTC(2026, 9, 19, 5);
      assert.deepEqual(await reports.check(monday - 60_000), []);
      const mails = await reports.check(monday);
      assert.deepEqual(who(mails), ['anna', 'director', 'near', 'owner']);
      const query = new URLSearchParams({
        from: '2026-10-12',
        until: '2026-10-19',
        interval: 'day',
        venueId: reports.venue,
      });
      const told = (await site.ask({ method: 'GET', url: `/api/v2/analytics/visits?${query}` })).body.result;
      assert.equal(told.total.visitors, 10);
      const mail = mails.find(({ to }) => to === 'owner@x.example');
      const [html, text] = [htmlIn(mail), textIn(mail)];
      assert.match(html, /There were 10 visitors; in the week before there was none\./);
      assert.match(text, /Tue 13 Oct +3/);
      assert.match(text, /Thu 15 Oct +0 .*Founding day \(closed\)/);
      assert.match(text, /Příčná síň \(queue\)/, 'peaks');
      assert.match(html, /Old &#38; &#60;New&#62; house/);
      assert.ok(!/<(img|script|style|link)/.test(html), 'nothing to load');
      const address = `http://pharos.test/console/apps/${site.app.appId}/activity/analytics?unit=week&on=2026-10-12&venue=${reports.venue}`;
      assert.ok(text.includes(address) && html.includes(address.replaceAll('&', '&#38;')));
      assert.equal(
        partsOf(mail ?? { data: '' })
          .get('application/pdf')
          ?.subarray(0, 5)
          .toString(),
        '%PDF-',
      );
      // Who is limited to the venue gets the same of it.
      assert.equal(textIn(mails.find(({ to }) => to === 'near@x.example')), text);
      assert.ok(mails.every((one) => /^List-Unsubscribe:/m.test(one.data) === (one.to === 'director@x.example')));
      assert.deepEqual(new Set(Object.values(await reports.states(report))), new Set(['sent']));

      // Whatever the clock does, and whoever looks.
      for (const at of [monday + hour, monday - 2 * hour, monday + 1, monday + 30 * hour])
        assert.deepEqual(await reports.check(at), []);
      const again = await openNode(site);
      await again.app.report();
      await again.app.idle();
      await again.close();
      assert.equal(reports.smtp.mails.filter(({ to }) => to === 'owner@x.example').length, 1);
    });

    test('are not sent to people who may no longer see the figures, and say when there were no visitors', async () => {
      await reports.change('anna', { disabled: true });
      await reports.change('near', { apps: [{ appId: site.app.appId, venues: [reports.elsewhere] }] });
      // Clocks have been set back by an hour.
      assert.deepEqual(await reports.check(Date.UTC(2026, 9, 26, 6) - 1), []);
      const mails = await reports.check(Date.UTC(2026, 9, 26, 6));
      assert.deepEqual(who(mails), ['owner'], 'the address was added by somebody who may no longer see it');
      assert.match(textIn(mails[0]), /No visitor was seen in this week\. In the week before there were 10\./);
      assert.deepEqual(await reports.states(report), {
        owner: 'sent',
        anna: 'withheld',
        near: 'withheld',
        director: 'withheld',
      });
      // Whoever saves it answers for the address.
      const saved = await reports.call('owner', 'PUT', `/${report}`, { administrators: [reports.idOf('owner')] });
      assert.equal(saved.status, 200, JSON.stringify(saved.body));
      assert.deepEqual(
        saved.body.result.recipients.map(({ state }: { state: string }) => state),
        ['gets', 'gets'],
      );
    });

    testOn(database)(
      'are retried while the mail server is away, and raise an alert if they are never sent',
      async () => {
        const monday = Date.UTC(2026, 10, 2, 6);
        reports.smtp.recipientAnswer = '451 later';
        assert.deepEqual(await reports.check(monday), []);
        assert.equal((await reports.shown(report)).last.mails[0].state, 'waits');
        reports.smtp.recipientAnswer = '250 ok';
        assert.deepEqual(who(await reports.check(monday + 2 * hour)), ['director', 'owner']);
        // Cut off after all of it: it may have arrived.
        reports.smtp.cutsAfterData = true;
        assert.equal((await reports.check(monday + 7 * day)).length, 2);
        reports.smtp.cutsAfterData = false;
        assert.deepEqual(await reports.check(monday + 7 * day + 3 * hour), []);
        assert.deepEqual(await reports.states(report), { owner: 'unsure', director: 'unsure' });
        reports.smtp.recipientAnswer = '550 nobody here';
        await reports.check(monday + 14 * day);
        reports.smtp.recipientAnswer = '250 ok';
        const attention = async () =>
          (
            await (await reports.as('owner')).send({ method: 'GET', url: `/apps/${site.app.appId}/attention` })
          ).body.result.findings.filter(({ kind }: { kind: string }) => kind === 'reports');
        const [found] = await attention();
        assert.match(
          `${found?.title} ${found?.text}`,
          /Old & <New> house was not sent Nobody got it\. The mail server refused it: .*550/,
        );
        assert.deepEqual(who(await reports.check(monday + 21 * day)), ['director', 'owner']);
        assert.deepEqual(await attention(), []);
      },
    );

    test('come once when a node was killed: again before a mail was handed over, and never after that was noted', async () => {
      const monday = Date.UTC(2026, 10, 30, 6);
      reports.smtp.recipientAnswer = '451 later';
      await reports.check(monday);
      assert.deepEqual(await reports.states(report), { owner: 'waits', director: 'waits' });
      // What a node leaves that notes that it hands a mail over, and is gone; that of the director it had only written.
      await site.app.storage.db.run(
        sql`update report_mails set state = 'sending' where report_id = ${report} and recipient = ${`admin ${reports.idOf('owner')}`}
          and state = 'waits'`,
      );
      reports.smtp.recipientAnswer = '250 ok';
      assert.deepEqual(who(await reports.check(monday + 2 * hour)), ['director']);
      const { mails } = (await reports.shown(report)).last;
      const told = mails.find(({ state }: { state: string }) => state === 'unsure');
      assert.match(
        told?.message ?? '',
        /ended while the mail was handed over\. It may have arrived, so it is not sent again/,
      );
      assert.deepEqual(await reports.states(report), { owner: 'unsure', director: 'sent' });
      assert.deepEqual(await reports.check(monday + 5 * hour), []);
    });

    testOn(database)(
      'come late, but not many at once and not too late; and end with the link in the mail',
      async () => {
        // Off for five weeks, until a Thursday and then a Friday.
        assert.deepEqual(await reports.check(Date.UTC(2026, 11, 25, 12)), []);
        assert.match((await reports.shown(report)).last.problem, /off for more than 3 days/);
        const mails = await reports.check(Date.UTC(2026, 11, 31, 6, 30));
        assert.deepEqual(who(mails), ['director', 'owner']);
        const stop = linkIn(
          mails.find(({ to }) => to === 'director@x.example'),
          'report-stop',
        );
        assert.equal((await page('GET', stop)).status, 200);
        assert.equal((await page('POST', stop)).status, 200);
        assert.deepEqual((await reports.shown(report)).addresses, []);
        assert.deepEqual(who(await reports.check(Date.UTC(2027, 0, 4, 6))), ['owner']);
      },
    );

    testOn(database)('of a venue abroad come at seven of its own clocks', async () => {
      const people = { administrators: [reports.idOf('owner')], addresses: [] };
      const body = { venueId: reports.abroad, every: 'week', isOn: true, ...people };
      const made = await reports.call('owner', 'POST', '', body);
      assert.deepEqual(made.body.result?.next, { day: '2027-01-04', time: '07:00' });
      const seven = Date.UTC(2027, 0, 4, 12);
      assert.deepEqual(await reports.check(seven - 60_000), []);
      const mails = await reports.check(seven);
      assert.deepEqual(who(mails), ['owner']);
      assert.match(textIn(mails[0]), /Abroad/);
    });
  });
}

for (const database of databases)
  test(`of a venue that was deleted, reports are announced to nobody, and can be switched off or moved: ${database}`, async () => {
    const reports = await openReportSite(database);
    try {
      const { site } = reports;
      const owner = await reports.as('owner');
      const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', rest = '', body?: object) =>
        owner.send({ method, url: `/apps/${site.app.appId}/reports${rest}`, ...(body ? { body } : {}) });
      const summer = { method: 'POST', url: '/api/v2/venues', body: { name: 'For a summer' } } as const;
      const venueId = (await site.ask(summer)).body.result.objectId;
      const body = {
        venueId,
        every: 'week',
        isOn: true,
        administrators: [reports.idOf('owner')],
        addresses: [],
      };
      const id = (await call('POST', '', body)).body.result.reportId;
      const deleted = await site.ask({ method: 'DELETE', url: `/api/v2/venues/${venueId}` });
      assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
      const shown = (await call('GET', `/${id}`)).body.result;
      assert.deepEqual(
        [
          shown.isOn,
          shown.next,
          shown.recipients.map(({ state, message }: Record<string, string>) => [state, message]),
        ],
        [true, null, [['withheld', 'The venue has been deleted.']]],
      );
      assert.equal((await call('PUT', `/${id}`, { isOn: false })).status, 200);
      const again = await call('PUT', `/${id}`, { isOn: true });
      assert.deepEqual([again.status, again.body.error.details[0].field], [400, 'venueId']);
      const other = await call('PUT', `/${id}`, { isOn: true, venueId: reports.venue });
      assert.equal(other.status, 200, JSON.stringify(other.body));
      assert.ok((await call('GET', `/${id}`)).body.result.next);
      assert.equal((await call('DELETE', `/${id}`)).status, 200);
    } finally {
      await reports.close();
    }
  });

test('without a mail server it is said that nothing is sent', async () => {
  const site = await openSite('sqlite');
  try {
    const made = await site.app.app.admins.create(
      { email: 'o@x.example', name: 'o', role: 'owner', password },
      service,
    );
    const owner = browserOf(site.app, await signInToConsole(site.app, 'o@x.example'));
    const url = `/apps/${site.app.appId}/reports`;
    site.app.clock.now = Date.UTC(2026, 9, 13, 8);
    const send = async (method: 'GET' | 'POST', rest = '', body?: object) => {
      const browser = browserOf(site.app, await signInToConsole(site.app, 'o@x.example'));
      return (await browser.send({ method, url: url + rest, ...(body ? { body } : {}) })).body;
    };
    assert.ok(owner);
    const body = { venueId: null, every: 'week', isOn: true, administrators: [made.adminId], addresses: [] };
    const { reportId } = (await send('POST', '', body)).result;
    assert.match((await send('POST', '', { ...body, addresses: ['a@x.example'] })).error.error, /No mail server/);
    assert.match((await send('POST', `/${reportId}/send`)).error.error, /No mail server/);
    site.app.clock.now = Date.UTC(2026, 9, 19, 8);
    await site.app.app.report();
    const { results, canMail } = await send('GET');
    assert.equal(canMail, false);
    assert.match(results[0].last.problem, /No mail server is configured/);
  } finally {
    await site.close();
  }
});
