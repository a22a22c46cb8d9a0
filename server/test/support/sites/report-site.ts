import assert from 'node:assert/strict';
import { service } from '../../../src/access/audit.ts';
import type { AppGrant } from '../../../src/access/reach.ts';
import type { AdminRole } from '../../../src/access/roles.ts';
import type { Answer, DatabaseKind } from '../build-app.ts';
import { create } from '../cases.ts';
import { type Browser, browserOf, password, signInToConsole } from '../console.ts';
import { type ReceivedMail, type SmtpSink, startSmtpSink } from '../servers/smtp-sink.ts';
import { type Node, openNode, openSite, pointer, type Site } from '../site.ts';

/** The parts of a mail by their type, decoded. */
export function partsOf({ data }: Pick<ReceivedMail, 'data'>): ReadonlyMap<string, Buffer> {
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
export const textIn = (mail: Pick<ReceivedMail, 'data'> | undefined) =>
  String(partsOf(mail ?? { data: '' }).get('text/plain') ?? partsOf({ data: mail?.data ?? '' }).get(''));
export const htmlIn = (mail: ReceivedMail | undefined) => String(partsOf(mail ?? { data: '' }).get('text/html'));

/** A museum with two venues, and administrators who may see the one or the other; two nodes send its reports. */
export class ReportSite {
  readonly smtp: SmtpSink;
  readonly site: Site;
  readonly #other: Node;
  /** A venue with opening hours and a zone, another one, and one in New York. */
  venue = '';
  elsewhere = '';
  abroad = '';
  readonly #ids = new Map<string, string>();

  constructor({ smtp, site }: Pick<ReportSite, 'smtp' | 'site'>, other: Node) {
    this.smtp = smtp;
    this.site = site;
    this.#other = other;
  }

  async close(): Promise<void> {
    await this.#other.close();
    await this.site.close();
    await this.smtp.close();
  }

  #make(path: string, body: object): Promise<string> {
    return create(this.site.app, `/api/v2${path}`, body, this.site.user.headers);
  }

  async makeVenues(): Promise<void> {
    const { site } = this;
    const hours = ['Tue', 'Sat', 'Sun'].map((dayName) => ({ dayName, from: '10:00', until: '18:00' }));
    const exceptions = [{ date: '2026-10-15', name: 'Founding day', hours: [] }];
    const house = { name: 'Old & <New> house', timeZone: 'Europe/Vienna', openingHours: hours, exceptions };
    this.venue = await this.#make('/venues', house);
    this.elsewhere = await this.#make('/venues', { name: 'Elsewhere' });
    this.abroad = await this.#make('/venues', { name: 'Abroad', timeZone: 'America/New_York' });
    const floor = { venueId: pointer('Venue', this.venue), name: 'Ground', level: 0 };
    const floorId = pointer('Floor', await this.#make('/floors', floor));
    const polygon = [0, 9, 9, 0].map((x, index) => ({ x, y: index < 2 ? 0 : 9 }));
    const zone = await this.#make('/zones', { floorId, name: 'Příčná síň', kind: 'queue', polygon });
    const body = { zoneId: pointer('Zone', zone) };
    const hung = await site.ask({ method: 'PATCH', url: `/api/v2/beacons/${site.hall}`, body });
    assert.equal(hung.status, 200, JSON.stringify(hung.body));
    await site.app.app.rollups.settle(site.app.appId);
  }

  async person(name: string, role: AdminRole, apps: readonly AppGrant[] | null = null): Promise<void> {
    const email = `${name}@x.example`;
    const { adminId } = await this.site.app.app.admins.create({ email, name, role, password, apps }, service);
    this.#ids.set(name, adminId);
  }

  idOf(name: string): string {
    return this.#ids.get(name) ?? '';
  }

  /** Sessions end as time passes. */
  async as(name: string): Promise<Browser> {
    return browserOf(this.site.app, await signInToConsole(this.site.app, `${name}@x.example`));
  }

  async call(name: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', rest: string, body?: object): Promise<Answer> {
    const url = `/apps/${this.site.app.appId}/reports${rest}`;
    return (await this.as(name)).send({ method, url, ...(body ? { body } : {}) });
  }

  /** The owner changes an administrator. */
  async change(name: string, members: object): Promise<void> {
    const request = { method: 'PUT', url: `/administrators/${this.idOf(name)}`, body: members } as const;
    const answer = await (await this.as('owner')).send(request);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }

  /** So many phones come and stay for five minutes. */
  async visit(count: number, name: string): Promise<void> {
    const { site } = this;
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
  async check(at: number): Promise<readonly ReceivedMail[]> {
    const { app } = this.site.app;
    this.site.app.clock.now = at;
    const before = this.smtp.mails.length;
    for (let n = 0; n < 2; n++) {
      await Promise.all([app.report(), this.#other.app.report()]);
      await this.idle();
    }
    return this.smtp.mails.slice(before);
  }

  /** Either node may send what the other was asked for. */
  async idle(): Promise<void> {
    await Promise.all([this.site.app.app.idle(), this.#other.app.idle()]);
  }

  /** A report, as the owner sees it. */
  async shown(reportId: string): Promise<Answer['body']> {
    return (await this.call('owner', 'GET', `/${reportId}`)).body.result;
  }

  /** What became of the last mails, by the name of who should get them. */
  async states(reportId: string): Promise<Record<string, string>> {
    const { last } = await this.shown(reportId);
    return Object.fromEntries(
      last.mails.map(({ to, state }: { to: string; state: string }) => [to.split('@')[0], state]),
    );
  }
}

/** On a Tuesday. */
export async function openReportSite(database: DatabaseKind): Promise<ReportSite> {
  const smtp = await startSmtpSink();
  const site = await openSite(database, { PHAROS_SMTP_URL: smtp.url });
  const reports = new ReportSite({ smtp, site }, await openNode(site));
  site.app.clock.now = Date.UTC(2026, 9, 13, 8);
  await site.app.app.apps.change(site.app.appId, { policy: { timeZone: 'Europe/Vienna' } }, service);
  await reports.makeVenues();
  const { appId } = site.app;
  await reports.person('owner', 'owner');
  await reports.person('near', 'manager', [{ appId, venues: [reports.venue] }]);
  await reports.person('far', 'analyst', [{ appId, venues: [reports.elsewhere] }]);
  await reports.person('anna', 'editor');
  return reports;
}
