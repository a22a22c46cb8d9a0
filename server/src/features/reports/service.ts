import { randomBytes } from 'node:crypto';
import { secretHash } from '../../access/access.ts';
import { type Actor, recordChange } from '../../access/audit.ts';
import { isAllowed } from '../../access/roles.ts';
import type { Clock } from '../../base/clock.ts';
import { fail, type Problem } from '../../base/errors.ts';
import { newObjectId } from '../../base/id.ts';
import type { Database, Db } from '../../db/db.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { RateLimiter, RateRule } from '../../limits/rate-limit.ts';
import { type AssertUnchanged, entityTag } from '../../resources/entity-tag.ts';
import { emailKey } from '../../sign-in/email.ts';
import { duePeriod, type Every } from './content/periods.ts';
import { type Admin, sightOf } from './people.ts';
import * as store from './store.ts';

export interface ReportApp {
  readonly appId: string;
  readonly name: string;
  /** In which days are counted. */
  readonly timeZone: string;
  readonly isDisabled: boolean;
}

export interface ReportVenue {
  readonly name: string;
  /** Null: that of the app. */
  readonly timeZone: string | null;
}

export interface ReportDeps {
  readonly db: Database;
  readonly now: Clock;
  /** False while no mail server is configured. */
  readonly canMail: boolean;
  readonly enqueue: (db: Db, job: NewJob) => Promise<void>;
  readonly limiter: RateLimiter;
  readonly findApp: (appId: string) => Promise<ReportApp | undefined>;
  readonly findVenue: (appId: string, venueId: string) => Promise<ReportVenue | undefined>;
  readonly listAdmins: (db: Db) => Promise<readonly Admin[]>;
}

/** Who asks: an administrator, with the venues to which she is limited in the app. */
export interface Viewer extends Admin {
  readonly venues: readonly string[] | undefined;
}

/** What somebody says of a report. */
export interface ReportBody {
  readonly venueId: string | null;
  readonly every: Every;
  readonly isOn: boolean;
  readonly administrators: readonly string[];
  readonly addresses: readonly string[];
}

export const mostReports = 20;
export const addressMailJob = 'mail.report-address';
/** A link that confirms is good for so long. */
export const confirmDays = 7;
const dayMs = 86_400_000;

/** So that nobody's mailbox is flooded. */
const mailsToOne: RateRule = { perSecond: 1 / 600, burst: 3 };
const mailsOfApp: RateRule = { perSecond: 1 / 60, burst: 40 };

export interface AddressMail {
  readonly reportId: string;
  readonly addressId: string;
}

/** The reports of apps: who gets which figures, and who may say so. */
export class ReportService {
  readonly #deps: ReportDeps;

  constructor(deps: ReportDeps) {
    this.#deps = deps;
  }

  /** Those that the viewer may see. */
  async list(appId: string, viewer: Viewer): Promise<readonly store.ReportRow[]> {
    return (await store.listReports(this.#deps.db, appId)).filter((row) => sees(viewer, row));
  }

  /** @throws Failure ObjectNotFound, also for one that the viewer may not see */
  async get(key: store.ReportKey, viewer: Viewer, db: Db = this.#deps.db): Promise<store.ReportRow> {
    const row = await store.findReport(db, key);
    if (!row || !sees(viewer, row)) throw noReport(key.reportId);
    return row;
  }

  /** @throws Failure ValidationError, OperationForbidden, APICallLimit */
  async create(appId: string, body: ReportBody, by: Actor, viewer: Viewer): Promise<string> {
    const { db, now } = this.#deps;
    const at = now();
    const zone = await this.#zoneOf(appId, body.venueId);
    this.#assertWithin(body, viewer);
    this.#takeMails(appId, body.addresses, at);
    const reportId = newObjectId(at);
    await db.transaction(async (db) => {
      if ((await store.countReports(db, appId)) >= mostReports)
        throw fail('OperationForbidden', `An app has at most ${mostReports} reports. Delete one first.`);
      await this.#assertRecipients(db, appId, body, []);
      await store.insertReport(db, {
        app_id: appId,
        report_id: reportId,
        venue_id: body.venueId,
        every: body.every,
        is_on: body.isOn ? 1 : 0,
        administrators: JSON.stringify([...new Set(body.administrators)]),
        begins_after: duePeriod(body.every, zone, at).until,
        set_up_by: by.name,
        created_at: at,
        updated_at: at,
      });
      await this.#setAddresses(db, { appId, reportId }, body.addresses, viewer);
      await recordChange(db, { by, action: 'report.create', subject: reportId, appId, after: auditOf(body), now: at });
    });
    return reportId;
  }

  /** Members that are left out stay. @throws Failure ObjectNotFound, ValidationError, PreconditionFailed, APICallLimit */
  async change(
    key: store.ReportKey,
    members: Partial<ReportBody>,
    {
      by,
      viewer,
      assertUnchanged,
    }: { readonly by: Actor; readonly viewer: Viewer; readonly assertUnchanged: AssertUnchanged | undefined },
  ): Promise<void> {
    const { db, now } = this.#deps;
    const at = now();
    const found = await this.bodyOf(db, await this.get(key, viewer));
    const zone = await this.#zoneOf(key.appId, { ...found, ...members }.venueId);
    const known = new Set(found.addresses.map(emailKey));
    this.#takeMails(
      key.appId,
      (members.addresses ?? []).filter((email) => !known.has(emailKey(email))),
      at,
    );
    await db.transaction(async (db) => {
      const row = await store.lockReport(db, key);
      if (!row || !sees(viewer, row)) throw noReport(key.reportId);
      const before = await this.bodyOf(db, row);
      assertUnchanged?.(reportTag(before));
      const body = { ...before, ...members };
      this.#assertWithin(body, viewer);
      await this.#assertRecipients(db, key.appId, body, body.venueId === before.venueId ? before.administrators : []);
      const isAnother = row.every !== body.every || row.venue_id !== body.venueId || (row.is_on === 0 && body.isOn);
      await store.saveReport(db, {
        ...row,
        venue_id: body.venueId,
        every: body.every,
        is_on: body.isOn ? 1 : 0,
        administrators: JSON.stringify([...new Set(body.administrators)]),
        // What has passed meanwhile is not sent afterwards.
        begins_after: isAnother ? duePeriod(body.every, zone, at).until : row.begins_after,
        updated_at: at,
      });
      await this.#setAddresses(db, key, body.addresses, viewer);
      const change = { before: auditOf(before), after: auditOf(body) };
      await recordChange(db, {
        by,
        action: 'report.change',
        subject: key.reportId,
        appId: key.appId,
        ...change,
        now: at,
      });
    });
  }

  /** @throws Failure ObjectNotFound */
  async remove(key: store.ReportKey, by: Actor, viewer: Viewer): Promise<void> {
    const { db, now } = this.#deps;
    await db.transaction(async (db) => {
      const row = await store.lockReport(db, key);
      if (!row || !sees(viewer, row)) throw noReport(key.reportId);
      const before = auditOf(await this.bodyOf(db, row));
      await store.deleteReport(db, key);
      await recordChange(db, {
        by,
        action: 'report.delete',
        subject: key.reportId,
        appId: key.appId,
        before,
        now: now(),
      });
    });
  }

  /** Another mail with a link to confirm. @throws Failure ObjectNotFound, OperationForbidden, APICallLimit */
  async askAgain(key: store.AddressKey, by: Actor, viewer: Viewer): Promise<void> {
    const { db, now } = this.#deps;
    await this.get(key, viewer);
    const row = await store.findAddress(db, key);
    if (!row || row.confirmed_at !== null)
      throw fail('ObjectNotFound', 'There is no address here that waits to be confirmed.');
    this.#takeMails(key.appId, [row.email], now());
    await db.transaction(async (db) => {
      await this.#ask(db, key);
      await recordChange(db, { by, action: 'report.askAgain', subject: key.reportId, appId: key.appId, now: now() });
    });
  }

  /** Whether a link of a mail is good: to confirm, or to get no more mails. */
  async open(kind: 'confirm' | 'stop', token: string): Promise<store.AddressRow | undefined> {
    const { db, now } = this.#deps;
    if (token === '' || token.length > 128) return undefined;
    return kind === 'stop' ? store.findByStop(db, token) : store.findByToken(db, secretHash(token), now());
  }

  /** @throws Failure ObjectNotFound */
  async confirm(token: string, address: string): Promise<void> {
    await this.#answer('confirm', token, address, async (db) =>
      store.confirmAddress(db, secretHash(token), this.#deps.now()),
    );
  }

  /** @throws Failure ObjectNotFound */
  async stop(token: string, address: string): Promise<void> {
    await this.#answer('stop', token, address, (db, row) =>
      store.deleteAddress(db, { appId: row.app_id, reportId: row.report_id, addressId: row.address_id }),
    );
  }

  async #answer(
    kind: 'confirm' | 'stop',
    token: string,
    address: string,
    work: (db: Db, row: store.AddressRow) => Promise<boolean>,
  ): Promise<void> {
    const { db, now } = this.#deps;
    const row = await this.open(kind, token);
    if (!row) throw noLink();
    await db.transaction(async (db) => {
      if (!(await work(db, row))) throw noLink();
      const said = { by: { name: row.email, address }, subject: row.report_id, appId: row.app_id, now: now() };
      if (kind === 'confirm') await recordChange(db, { ...said, action: 'report.confirm' });
      else await recordChange(db, { ...said, action: 'report.stop' });
    });
  }

  /** The clocks by which a report is sent. @throws Failure ValidationError */
  async #zoneOf(appId: string, venueId: string | null): Promise<string> {
    const { findApp, findVenue } = this.#deps;
    const app = await findApp(appId);
    if (!app) throw fail('ObjectNotFound', `There is no app ${appId}.`);
    const venue = venueId === null ? undefined : await findVenue(appId, venueId);
    if (venueId !== null && !venue) throw invalid([{ field: 'venueId', problem: `there is no venue ${venueId}` }]);
    return venue?.timeZone ?? app.timeZone;
  }

  #assertWithin({ venueId }: ReportBody, { venues }: Viewer): void {
    if (venues === undefined || (venueId !== null && venues.includes(venueId))) return;
    throw fail('OperationForbidden', 'You are limited to some venues of this app. Choose one of them for the report.');
  }

  /** Those who get it already may stay, whatever they may see now: they are left out when it is sent. */
  async #assertRecipients(db: Db, appId: string, body: ReportBody, known: readonly string[]): Promise<void> {
    const { administrators, addresses, venueId } = body;
    if (administrators.length + addresses.length === 0)
      throw invalid([{ field: 'administrators', problem: 'name at least one person who gets the report' }]);
    const admins = new Map((await this.#deps.listAdmins(db)).map((admin) => [admin.adminId, admin]));
    const wrong = administrators.filter((id) => !known.includes(id) && !sightOf(admins.get(id), { appId, venueId }));
    if (wrong.length === 0) return;
    const problem =
      'must be administrators who can sign in and may see these figures; those who are limited to venues get the reports of these';
    throw invalid([{ field: 'administrators', problem }]);
  }

  async #setAddresses(db: Db, key: store.ReportKey, wanted: readonly string[], viewer: Viewer): Promise<void> {
    const { now, listAdmins } = this.#deps;
    const rows = await store.listAddresses(db, key.appId, key.reportId);
    const report = await store.findReport(db, key);
    const keys = new Map(wanted.map((email) => [emailKey(email), email.trim()]));
    const admins = new Map((await listAdmins(db)).map((admin) => [admin.adminId, admin]));
    for (const row of rows) {
      const own = { ...key, addressId: row.address_id };
      if (!keys.delete(row.email_key)) await store.deleteAddress(db, own);
      // Whoever saves it answers for addresses for which nobody answers any more.
      else if (
        !sightOf(admins.get(row.added_by), { appId: key.appId, venueId: report?.venue_id ?? null }, 'reports.write')
      )
        await store.setVoucher(db, own, viewer.adminId);
    }
    for (const [email_key, email] of keys) {
      const addressId = newObjectId(now());
      await store.insertAddress(db, {
        app_id: key.appId,
        report_id: key.reportId,
        address_id: addressId,
        email,
        email_key,
        added_by: viewer.adminId,
        token_hash: null,
        token_expires_at: null,
        confirmed_at: null,
        stop_token: randomBytes(24).toString('base64url'),
        created_at: now(),
      });
      await this.#ask(db, { ...key, addressId });
    }
  }

  async #ask(db: Db, { appId, reportId, addressId }: store.AddressKey): Promise<void> {
    const { canMail, enqueue, now } = this.#deps;
    if (!canMail) return;
    const payload: AddressMail = { reportId, addressId };
    await enqueue(db, { appId, kind: addressMailJob, payload, expiresAt: now() + dayMs });
  }

  /** @throws Failure OperationForbidden, APICallLimit */
  #takeMails(appId: string, emails: readonly string[], now: number): void {
    const { limiter, canMail } = this.#deps;
    if (emails.length === 0) return;
    if (!canMail)
      throw fail(
        'OperationForbidden',
        'No mail server is configured for this service (PHAROS_SMTP_URL), so that no address can be confirmed.',
      );
    for (const email of emails) {
      limiter.take(`report mails ${appId}`, mailsOfApp, now);
      limiter.take(`report mail ${secretHash(emailKey(email))}`, mailsToOne, now);
    }
  }

  /** What was said of a report. */
  async bodyOf(db: Db, row: store.ReportRow): Promise<ReportBody> {
    const addresses = await store.listAddresses(db, row.app_id, row.report_id);
    return {
      venueId: row.venue_id,
      every: row.every,
      isOn: row.is_on === 1,
      administrators: JSON.parse(row.administrators) as string[],
      addresses: addresses.map(({ email }) => email),
    };
  }
}

/** As long as nothing that is said of a report changes, it stays the same. */
export const reportTag = ({ venueId, every, isOn, administrators, addresses }: ReportBody): string =>
  entityTag(JSON.stringify([venueId, every, isOn, administrators, addresses]));

/** Of addresses only how many: they are people who have no say in the audit. */
const auditOf = ({ venueId, every, isOn, administrators, addresses }: ReportBody) => ({
  venueId,
  every,
  isOn,
  administrators,
  addresses: addresses.length,
});

const sees = ({ venues }: Viewer, { venue_id }: store.ReportRow) =>
  venues === undefined || (venue_id !== null && venues.includes(venue_id));

const noReport = (reportId: string) => fail('ObjectNotFound', `There is no report ${reportId}.`);
const noLink = () =>
  fail(
    'ObjectNotFound',
    'This link is not valid, has expired or has been used. Ask whoever sends you the report for a new mail.',
  );
const invalid = (details: Problem[]) =>
  fail('ValidationError', { message: `${details[0]?.field} ${details[0]?.problem}.`, details });

/** Whether somebody is shown the addresses of others. */
export const seesAddresses = ({ role }: Viewer): boolean => isAllowed(role, 'reports.write');
