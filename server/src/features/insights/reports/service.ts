import { type Actor, recordChange } from '../../../access/audit.ts';
import { isAllowed } from '../../../access/roles.ts';
import { fail, type Problem } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import { lockName } from '../../../db/nodes/lock-name.ts';
import { type AssertUnchanged, entityTag } from '../../../resources/entity-tag.ts';
import { emailKey } from '../../../sign-in/email.ts';
import { type AddressDeps, ReportAddresses } from './addresses.ts';
import { duePeriod, type Every } from './content/periods.ts';
import { type Admin, sightOf } from './people.ts';
import * as store from './store.ts';

interface ReportApp {
  readonly appId: string;
  readonly name: string;
  readonly timeZone: string;
  readonly isDisabled: boolean;
}

interface ReportVenue {
  readonly name: string;
  /** Null: the app's. */
  readonly timeZone: string | null;
}

export interface ReportDeps extends AddressDeps {
  readonly findApp: (appId: string) => Promise<ReportApp | undefined>;
  readonly findVenue: (appId: string, venueId: string) => Promise<ReportVenue | undefined>;
}

/** The caller: an administrator, with the venues to which they are limited in the app. */
export interface Viewer extends Admin {
  readonly venues: readonly string[] | undefined;
}

export interface ReportBody {
  readonly venueId: string | null;
  readonly every: Every;
  readonly isOn: boolean;
  readonly administrators: readonly string[];
  readonly addresses: readonly string[];
}

interface Changing {
  readonly by: Actor;
  readonly viewer: Viewer;
  readonly assertUnchanged: AssertUnchanged | undefined;
}

const maxReports = 20;
/** The reports of apps: who gets which figures, and who may decide that. */
export class ReportService {
  readonly #deps: ReportDeps;
  readonly addresses: ReportAddresses;

  constructor(deps: ReportDeps) {
    this.#deps = deps;
    this.addresses = new ReportAddresses(deps);
  }

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
    this.#assertWithin(body, viewer);
    const zone = await this.#zoneOf(appId, body.venueId);
    this.addresses.takeMails(appId, body.addresses, at);
    const reportId = newObjectId(at);
    await db.transaction(async (db) => {
      await lockName(db, `reports ${appId}`);
      if ((await store.countReports(db, appId)) >= maxReports)
        throw fail('OperationForbidden', `An app has at most ${maxReports} reports. Delete one first.`);
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
      await this.addresses.set(db, { appId, reportId }, body.addresses, viewer.adminId);
      await recordChange(db, { by, action: 'report.create', subject: reportId, appId, after: auditOf(body), now: at });
    });
    return reportId;
  }

  /** Members that are left out stay. @throws Failure ObjectNotFound, ValidationError, PreconditionFailed, APICallLimit */
  async change(
    key: store.ReportKey,
    members: Partial<ReportBody>,
    { by, viewer, assertUnchanged }: Changing,
  ): Promise<void> {
    const { db, now } = this.#deps;
    const at = now();
    const found = await this.bodyOf(db, await this.get(key, viewer));
    const wanted = { ...found, ...members };
    // First: whoever is limited is not told which other venues there are.
    this.#assertWithin(wanted, viewer);
    // One whose venue is gone can still be switched off, or given to others.
    const isKept = wanted.venueId === found.venueId && (found.isOn || !wanted.isOn);
    const zone = await this.#zoneOf(key.appId, wanted.venueId, isKept);
    const known = new Set(found.addresses.map(emailKey));
    this.addresses.takeMails(
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
      await this.addresses.set(db, key, body.addresses, viewer.adminId);
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

  /** @throws Failure ObjectNotFound, PreconditionFailed */
  async remove(key: store.ReportKey, { by, viewer, assertUnchanged }: Changing): Promise<void> {
    const { db, now } = this.#deps;
    await db.transaction(async (db) => {
      const row = await store.lockReport(db, key);
      if (!row || !sees(viewer, row)) throw noReport(key.reportId);
      const body = await this.bodyOf(db, row);
      assertUnchanged?.(reportTag(body));
      const before = auditOf(body);
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
    await this.get(key, viewer);
    await this.addresses.askAgain(key, by);
  }

  /** The clocks by which a report is sent. @throws Failure ValidationError */
  async #zoneOf(appId: string, venueId: string | null, mayBeGone = false): Promise<string> {
    const { findApp, findVenue } = this.#deps;
    const app = await findApp(appId);
    if (!app) throw fail('ObjectNotFound', `There is no app ${appId}.`);
    const venue = venueId === null ? undefined : await findVenue(appId, venueId);
    if (venueId !== null && !venue && !mayBeGone)
      throw invalid([{ field: 'venueId', problem: `there is no venue ${venueId}` }]);
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

  /** The report's settings, as they were sent. */
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

/** The tag of a report, which changes with its settings only. */
export const reportTag = ({ venueId, every, isOn, administrators, addresses }: ReportBody): string =>
  entityTag(JSON.stringify([venueId, every, isOn, administrators, addresses]));

/** What the audit keeps; of addresses only the number, since they are personal. */
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
const invalid = (details: Problem[]) =>
  fail('ValidationError', { message: `${details[0]?.field} ${details[0]?.problem}.`, details });

/** Whether somebody is shown the addresses of others. */
export const seesAddresses = ({ role }: Viewer): boolean => isAllowed(role, 'reports.write');
