import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, signInManager } from '../../../test/support/build-app.ts';
import { create } from '../../../test/support/cases.ts';
import { type Browser, browserOf, password, signInToConsole } from '../../../test/support/console.ts';
import { type Node, openNode, openSite, pointer, Site } from '../../../test/support/site.ts';
import { type ReceivedMail, type SmtpSink, startSmtpSink } from '../../../test/support/smtp-sink.ts';
import { service } from '../../access/audit.ts';
import type { AppGrant } from '../../access/reach.ts';
import type { AdminRole } from '../../access/roles.ts';
import { sql } from '../../base/sql.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** The parts of a mail by their type, decoded. */
function partsOf({ data }: Pick<ReceivedMail, 'data'>): ReadonlyMap<string, Buffer> {
  const parts = data.split(/^--[^\n]+$/m).map((part): [string, Buffer] => {
    const [head = '', ...rest] = part.trimStart().split(/\n\n/);
    const body = rest.join('\n\n');
    const encoding = /^Content-Transfer-Encoding: (\S+)/im.exec(head)?.[1];
    const type = /^Content-Type: ([^;\s]+)/im.exec(head)?.[1] ?? '';
    if (encoding === 'base64') return [type, Buffer.from(body, 'base64')];
    const bytes = body
      .replaceAll(/=\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    return [type, Buffer.from(bytes, 'latin1')];
  });
  return new Map(parts);
}
const textIn = (mail: Pick<ReceivedMail, 'data'> | undefined) =>
  String(partsOf(mail ?? { data: '' }).get('text/plain') ?? partsOf({ data: mail?.data ?? '' }).get(''));
const htmlIn = (mail: ReceivedMail | undefined) => String(partsOf(mail ?? { data: '' }).get('text/html'));

for (const database of databases) {
  describe(`reports by mail on ${database}`, () => {
    let smtp: SmtpSink;
    let site: Site;
    let other: Node;
    let venue = '';
    let elsewhere = '';
    before(async () => {
      smtp = await startSmtpSink();
      site = await openSite(database, { PHAROS_SMTP_URL: smtp.url });
      other = await openNode(site);
      // A Tuesday.
      site.app.clock.now = Date.UTC(2026, 9, 13, 8);
      await site.app.app.apps.change(site.app.appId, { policy: { timeZone: 'Europe/Vienna' } }, service);
      const hours = ['Tue', 'Sat', 'Sun'].map((dayName) => ({ dayName, from: '10:00', until: '18:00' }));
      const exceptions = [{ date: '2026-10-15', name: 'Founding day', hours: [] }];
      venue = await make('/venues', {
        name: 'Old & <New> house',
        timeZone: 'Europe/Vienna',
        openingHours: hours,
        exceptions,
      });
      elsewhere = await make('/venues', { name: 'Elsewhere' });
      const floorId = pointer(
        'Floor',
        await make('/floors', { venueId: pointer('Venue', venue), name: 'Ground', level: 0 }),
      );
      const polygon = [0, 9, 9, 0].map((x, index) => ({ x, y: index < 2 ? 0 : 9 }));
      const zone = await make('/zones', { floorId, name: 'Příčná síň', kind: 'queue', polygon });
      const hung = await site.ask({
        method: 'PATCH',
        url: `/api/v2/beacons/${site.hall}`,
        body: { zoneId: pointer('Zone', zone) },
      });
      assert.equal(hung.status, 200, JSON.stringify(hung.body));
      await site.app.app.rollups.settle(site.app.appId);
      await person('owner', 'owner');
      await person('near', 'manager', [{ appId: site.app.appId, venues: [venue] }]);
      await person('far', 'analyst', [{ appId: site.app.appId, venues: [elsewhere] }]);
      await person('anna', 'editor');
    });
    after(async () => {
      await other.close();
      await site.close();
      await smtp.close();
    });

    const make = (path: string, body: object) => create(site.app, `/api/v2${path}`, body, site.user.headers);
    const ids = new Map<string, string>();
    async function person(name: string, role: AdminRole, apps: readonly AppGrant[] | null = null): Promise<void> {
      const email = `${name}@x.example`;
      const { adminId } = await site.app.app.admins.create({ email, name, role, password, apps }, service);
      ids.set(name, adminId);
    }
    /** Sessions end as time passes. */
    const as = async (name: string): Promise<Browser> =>
      browserOf(site.app, await signInToConsole(site.app, `${name}@x.example`));
    async function call(name: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', rest: string, body?: object) {
      const url = `/apps/${site.app.appId}/reports${rest}`;
      return (await as(name)).send({ method, url, ...(body ? { body } : {}) });
    }
    const idOf = (name: string) => ids.get(name) ?? '';
    const change = async (name: string, members: object) => {
      const answer = await (await as('owner')).send({
        method: 'PUT',
        url: `/administrators/${idOf(name)}`,
        body: members,
      });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };

    /** So many phones come and stay for five minutes. */
    async function visit(count: number, name: string): Promise<void> {
      for (let index = 0; index < count; index++) {
        const installationId = `${name}-${index}`;
        const now = site.now;
        await site.installation({ installationId });
        await site.send([site.decided('ENTER', now - 300_000), site.decided('EXIT', now - 1000)], { installationId });
      }
      await site.app.app.idle();
      await site.app.app.rollups.settle(site.app.appId);
    }

    /** The clock goes to a moment, and both nodes look at once. Answers the mails that this brings, without the bodies of alerts. */
    async function look(at: number): Promise<readonly ReceivedMail[]> {
      site.app.clock.now = at;
      const before = smtp.mails.length;
      for (let n = 0; n < 2; n++) {
        await Promise.all([site.app.app.report(), other.app.report()]);
        await Promise.all([site.app.app.idle(), other.app.idle()]);
      }
      return smtp.mails.slice(before);
    }
    const who = (mails: readonly ReceivedMail[]) => mails.map(({ to }) => to.split('@')[0]).sort();
    const shown = async (reportId: string) => (await call('owner', 'GET', `/${reportId}`)).body.result;
    const states = async (reportId: string) => {
      const { last } = await shown(reportId);
      return Object.fromEntries(
        last.mails.map(({ to, state }: { to: string; state: string }) => [to.split('@')[0], state]),
      );
    };
    const page = (method: 'GET' | 'POST', url: string) => site.app.send({ method, url });
    const linkIn = (mail: ReceivedMail | undefined, path: string) =>
      new RegExp(`http://pharos\\.test(/${path}\\?token=[\\w-]+)`).exec(textIn(mail))?.[1] ?? '';

    let report = '';
    const everybody = ['owner', 'near', 'anna'];

    test('are set up by those who may, for those who may see the figures', async () => {
      const body = {
        venueId: venue,
        every: 'week',
        isOn: true,
        administrators: everybody.map(idOf),
        addresses: ['director@x.example'],
      };
      assert.equal((await call('anna', 'POST', '', body)).status, 403);
      const wrong = await call('owner', 'POST', '', { ...body, administrators: [idOf('far')] });
      assert.deepEqual([wrong.status, wrong.body.error.details[0].field], [400, 'administrators']);
      for (const bad of [{ administrators: [], addresses: [] }, { addresses: ['no address'] }, { venueId: 'nowhere' }])
        assert.equal((await call('owner', 'POST', '', { ...body, ...bad })).status, 400, JSON.stringify(bad));
      const whole = await call('near', 'POST', '', { ...body, venueId: null });
      assert.equal(whole.status, 403, 'limited to a venue');
      const made = await call('near', 'POST', '', body);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      report = made.body.result.reportId;
      assert.deepEqual(made.body.result.next, { day: '2026-10-19', time: '07:00' });
      assert.equal((await call('far', 'GET', `/${report}`)).status, 404);
      assert.deepEqual((await call('far', 'GET', '')).body.results, []);
      assert.deepEqual(
        (await call('near', 'GET', '')).body.candidates.map(({ name }: { name: string }) => name),
        ['near'],
      );
      const seen = (await call('anna', 'GET', `/${report}`)).body.result;
      assert.deepEqual([seen.addresses, seen.recipients.at(-1).email], [['d…@x.example'], null]);
    });

    test('go to other addresses only once these have confirmed, by the button and not by opening the page', async () => {
      await site.app.app.idle();
      const asked = smtp.mails.find(({ to }) => to === 'director@x.example');
      const link = linkIn(asked, 'report-address');
      assert.match((await page('GET', link)).body, /Old &#38; &#60;New&#62; house/);
      assert.equal((await shown(report)).recipients.at(-1).state, 'waits');
      assert.equal((await page('POST', link)).status, 200);
      assert.equal((await page('POST', link)).status, 404, 'once');
      assert.equal((await shown(report)).recipients.at(-1).state, 'gets');
    });

    test('come once, on Monday at seven of the venue, with the figures of the console', async () => {
      site.app.clock.now = Date.UTC(2026, 9, 13, 9);
      await visit(3, 'a');
      site.app.clock.now = Date.UTC(2026, 9, 17, 12);
      await visit(7, 'b');
      const monday = Date.UTC(2026, 9, 19, 5);
      assert.deepEqual(await look(monday - 60_000), []);
      const mails = await look(monday);
      assert.deepEqual(who(mails), ['anna', 'director', 'near', 'owner']);
      const query = new URLSearchParams({ from: '2026-10-12', until: '2026-10-19', interval: 'day', venueId: venue });
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
      const address = `http://pharos.test/console/apps/${site.app.appId}/activity/analytics?unit=week&on=2026-10-12&venue=${venue}`;
      assert.ok(text.includes(address) && html.includes(address.replaceAll('&', '&#38;')));
      assert.equal(
        partsOf(mail ?? { data: '' })
          .get('application/pdf')
          ?.subarray(0, 5)
          .toString(),
        '%PDF-',
      );
      // Who is limited to the venue gets what the console tells her.
      assert.doesNotMatch(textIn(mails.find(({ to }) => to === 'near@x.example')), /MOST AT ONCE/);
      assert.ok(mails.every((one) => /^List-Unsubscribe:/m.test(one.data) === (one.to === 'director@x.example')));
      assert.deepEqual(new Set(Object.values(await states(report))), new Set(['sent']));

      // Whatever the clock does, and whoever looks.
      for (const at of [monday + hour, monday - 2 * hour, monday + 1, monday + 30 * hour])
        assert.deepEqual(await look(at), []);
      const again = await openNode(site);
      await again.app.report();
      await again.app.idle();
      await again.close();
      assert.equal(smtp.mails.filter(({ to }) => to === 'owner@x.example').length, 1);
    });

    test('come not to whoever may no longer see the figures, and say that nobody came', async () => {
      await change('anna', { disabled: true });
      await change('near', { apps: [{ appId: site.app.appId, venues: [elsewhere] }] });
      // Clocks have been set back by an hour.
      assert.deepEqual(await look(Date.UTC(2026, 9, 26, 6) - 1), []);
      const mails = await look(Date.UTC(2026, 9, 26, 6));
      assert.deepEqual(who(mails), ['owner'], 'the address was added by somebody who may no longer see it');
      assert.match(textIn(mails[0]), /No visitor was seen in this week\. In the week before there were 10\./);
      assert.deepEqual(await states(report), {
        owner: 'sent',
        anna: 'withheld',
        near: 'withheld',
        director: 'withheld',
      });
      // Whoever saves it answers for the address.
      const saved = await call('owner', 'PUT', `/${report}`, { administrators: [idOf('owner')] });
      assert.equal(saved.status, 200, JSON.stringify(saved.body));
      assert.deepEqual(
        saved.body.result.recipients.map(({ state }: { state: string }) => state),
        ['gets', 'gets'],
      );
    });

    test('are tried again while the mail server is away, and what was not sent in the end is an alert', async () => {
      const monday = Date.UTC(2026, 10, 2, 6);
      smtp.recipientAnswer = '451 later';
      assert.deepEqual(await look(monday), []);
      assert.equal((await shown(report)).last.mails[0].state, 'waits');
      smtp.recipientAnswer = '250 ok';
      assert.deepEqual(who(await look(monday + 2 * hour)), ['director', 'owner']);
      // Cut off after all of it: it may have arrived.
      smtp.cutsAfterData = true;
      assert.equal((await look(monday + 7 * day)).length, 2);
      smtp.cutsAfterData = false;
      assert.deepEqual(await look(monday + 7 * day + 3 * hour), []);
      assert.deepEqual(await states(report), { owner: 'unsure', director: 'unsure' });
      smtp.recipientAnswer = '550 nobody here';
      await look(monday + 14 * day);
      smtp.recipientAnswer = '250 ok';
      const attention = async () =>
        (
          await (await as('owner')).send({ method: 'GET', url: `/apps/${site.app.appId}/attention` })
        ).body.result.findings.filter(({ kind }: { kind: string }) => kind === 'reports');
      const [found] = await attention();
      assert.match(
        `${found?.title} ${found?.text}`,
        /Old & <New> house was not sent Nobody got it\. The mail server refused it: .*550/,
      );
      assert.deepEqual(who(await look(monday + 21 * day)), ['director', 'owner']);
      assert.deepEqual(await attention(), []);
    });

    test('come once when a node was killed: again before a mail was handed over, and never after that was noted', async () => {
      const monday = Date.UTC(2026, 10, 30, 6);
      smtp.recipientAnswer = '451 later';
      await look(monday);
      assert.deepEqual(await states(report), { owner: 'waits', director: 'waits' });
      // What a node leaves that notes that it hands a mail over, and is gone; that of the director it had only written.
      await site.app.storage.db.run(
        sql`update report_mails set state = 'sending' where report_id = ${report} and recipient = ${`admin ${idOf('owner')}`}
          and state = 'waits'`,
      );
      smtp.recipientAnswer = '250 ok';
      assert.deepEqual(who(await look(monday + 2 * hour)), ['director']);
      const { mails } = (await shown(report)).last;
      const told = mails.find(({ state }: { state: string }) => state === 'unsure');
      assert.match(
        told?.message ?? '',
        /ended while the mail was handed over\. It may have arrived, so it is not sent again/,
      );
      assert.deepEqual(await states(report), { owner: 'unsure', director: 'sent' });
      assert.deepEqual(await look(monday + 5 * hour), []);
    });

    test('come late, but not many at once and not too late; and end with the link in the mail', async () => {
      // Off for five weeks, until a Thursday and then a Friday.
      assert.deepEqual(await look(Date.UTC(2026, 11, 25, 12)), []);
      assert.match((await shown(report)).last.problem, /off for more than 3 days/);
      const mails = await look(Date.UTC(2026, 11, 31, 6, 30));
      assert.deepEqual(who(mails), ['director', 'owner']);
      const stop = linkIn(
        mails.find(({ to }) => to === 'director@x.example'),
        'report-stop',
      );
      assert.equal((await page('GET', stop)).status, 200);
      assert.equal((await page('POST', stop)).status, 200);
      assert.deepEqual((await shown(report)).addresses, []);
      assert.deepEqual(who(await look(Date.UTC(2027, 0, 4, 6))), ['owner']);
    });

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
      const hung = { method: 'PATCH', url: `/api/v2/beacons/${far}`, body: { venueId: pointer('Venue', elsewhere) } };
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
      await visit(2, 'sale');
      site.app.clock.now = Date.UTC(2027, 0, 11, 8);
      const body = { venueId: null, every: 'week', isOn: true, administrators: [idOf('owner')], addresses: [] };
      const { reportId } = (await call('owner', 'POST', '', body)).body.result;
      const whole = (await call('owner', 'GET', `/${reportId}/preview`)).body.result;
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
      const pdf = await call('owner', 'GET', `/${reportId}/pdf`);
      assert.equal(pdf.raw.subarray(0, 5).toString(), '%PDF-');
      const links = pdf.raw.toString('latin1').match(/\/URI \(.*?\)/g) ?? [];
      assert.ok(
        links.some((link) => link.includes('activity/messages?unit=week')),
        links.join(),
      );
      // Of one venue only its own campaigns are told, and no messages.
      const one = (await call('owner', 'GET', `/${report}/preview`)).body.result;
      assert.match(
        one.text,
        /Campaigns in this time: Sale & more \(Tue 5 Jan to Fri 8 Jan\), Tour: Night \(Wed 6 Jan\)\./,
      );
      assert.doesNotMatch(one.text, /Far away|WHAT MESSAGES LED TO/);
      assert.equal((await call('owner', 'DELETE', `/${reportId}`)).status, 200);
    });

    test('protect small groups as the endpoints do, each month, and can be looked at before', async () => {
      await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'protected' } }, service);
      site.app.clock.now = Date.UTC(2027, 0, 12, 9);
      const body = { venueId: null, every: 'month', isOn: true, administrators: [idOf('owner')], addresses: [] };
      const { reportId } = (await call('owner', 'POST', '', body)).body.result;
      await visit(3, 'c');
      site.app.clock.now = Date.UTC(2027, 0, 16, 9);
      await visit(13, 'd');
      site.app.clock.now = Date.UTC(2027, 1, 1, 6);
      const preview = (await call('owner', 'GET', `/${reportId}/preview`)).body.result;
      assert.match(preview.text, /Tue 12 Jan +1–4 /);
      assert.match(preview.text, /Sat 16 Jan +15 /);
      assert.doesNotMatch(`${preview.text} ${preview.html}`, /\b(3|13|16) visitors|>(3|13|16)</);
      const pdf = await call('owner', 'GET', `/${reportId}/pdf`);
      assert.deepEqual([pdf.headers['content-type'], pdf.raw.subarray(0, 5).toString()], ['application/pdf', '%PDF-']);
      const before = smtp.mails.length;
      assert.deepEqual((await call('owner', 'POST', `/${reportId}/send`)).body.result, {
        to: 'owner@x.example',
        ok: true,
        message: '',
      });
      assert.equal(smtp.mails.length, before + 1);
      const mails = await look(Date.UTC(2027, 1, 1, 6));
      assert.ok(mails.some((mail) => textIn(mail).includes(preview.text.slice(0, 200))));
      // With the app go its reports.
      assert.equal((await call('owner', 'DELETE', `/${reportId}`)).status, 200);
      assert.equal((await call('owner', 'GET', `/${reportId}`)).status, 404);
    });
  });
}

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
