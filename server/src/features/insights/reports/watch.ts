import { dayIn } from '../../zone-day.ts';
import { daysBetween, duePeriod, maxLateDays, type ReportPeriod } from './content/periods.ts';
import { reportMailJob } from './mails.ts';
import type { ReportDeps } from './service.ts';
import * as store from './store.ts';

export interface ReportWatchDeps
  extends Pick<ReportDeps, 'db' | 'now' | 'canMail' | 'enqueue' | 'findApp' | 'findVenue' | 'listAdmins'> {
  readonly onError: (what: string, error: unknown) => void;
}

const dayMs = 86_400_000;
export const name = 'looking for reports that are due';
/** How long mails are kept: longer than any period can be late, so that the console can say what became of the last ones. */
const keptMs = 400 * dayMs;
const noServer = 'No mail server is configured for this service (PHAROS_SMTP_URL).';

/**
 * Looks for reports that are due. A period is made in one transaction with a row that is there once, whichever node
 * looks, however often, and whatever the clock does.
 */
export class ReportWatch {
  readonly #deps: ReportWatchDeps;
  /** The periods that are known to be made, so that they are not asked for each minute; by report. */
  readonly #made = new Map<string, string>();
  #checking: Promise<void> | undefined;

  constructor(deps: ReportWatchDeps) {
    this.#deps = deps;
  }

  async check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  sweep(): Promise<void> {
    const { db, now } = this.#deps;
    return store.deleteOldMails(db, now() - keptMs);
  }

  async #check(): Promise<void> {
    const { db, onError } = this.#deps;
    const wanted = await store.listWanted(db);
    const present = new Set(wanted.map(({ report_id }) => report_id));
    for (const reportId of this.#made.keys()) if (!present.has(reportId)) this.#made.delete(reportId);
    // One that cannot be made must not keep the others from being sent.
    for (const row of wanted) await this.#consider(row).catch((error: unknown) => onError(name, error));
  }

  async #consider(row: store.ReportRow): Promise<void> {
    const { db, now, findApp, findVenue } = this.#deps;
    const key = { appId: row.app_id, reportId: row.report_id };
    const app = await findApp(key.appId);
    if (!app || app.isDisabled) return;
    const venue = row.venue_id === null ? undefined : await findVenue(key.appId, row.venue_id);
    const timeZone = venue?.timeZone ?? app.timeZone;
    const period = duePeriod(row.every, timeZone, now());
    // Where the clocks of the app are behind those of the venue, its last day may not be over.
    if (period.until <= row.begins_after || dayIn(app.timeZone, now()).day < period.until) return;
    if (this.#made.get(key.reportId) === period.until) return;
    if (!(await store.hasPeriod(db, key, period.from))) {
      const isGone = row.venue_id !== null && !venue;
      await this.#make(key, period, { isGone, lateDays: daysBetween(period.until, dayIn(timeZone, now()).day) });
    }
    this.#made.set(key.reportId, period.until);
  }

  async #make(
    key: store.ReportKey,
    period: ReportPeriod,
    { isGone, lateDays }: { readonly isGone: boolean; readonly lateDays: number },
  ): Promise<void> {
    const { db, now, canMail } = this.#deps;
    const at = now();
    const made =
      lateDays > maxLateDays
        ? ({ state: 'missed', message: `The service was off for more than ${maxLateDays} days.` } as const)
        : isGone
          ? ({ state: 'failed', message: 'The venue has been deleted.' } as const)
          : canMail
            ? ({ state: 'made', message: '' } as const)
            : ({ state: 'failed', message: noServer } as const);
    await db.transaction(async (db) => {
      const row = await store.lockReport(db, key);
      // Changed since it was read: the next check will see it.
      if (!row || row.is_on === 0 || period.until <= row.begins_after) return;
      if (!(await store.beginPeriod(db, key, { ...period, ...made, now: at })) || made.state !== 'made') return;
      await this.#queue(db, row, period, at);
    });
  }

  async #queue(
    db: Parameters<ReportDeps['enqueue']>[0],
    row: store.ReportRow,
    period: ReportPeriod,
    at: number,
  ): Promise<void> {
    const { enqueue, listAdmins } = this.#deps;
    const { app_id: appId, report_id: reportId } = row;
    const names = new Map((await listAdmins(db)).map(({ adminId, email }) => [adminId, email]));
    const admins = (JSON.parse(row.administrators) as string[]).map((id) => ({
      recipient: `admin ${id}`,
      email: names.get(id) ?? '',
    }));
    const addresses = (await store.listAddresses(db, appId, reportId)).map(({ address_id, email }) => ({
      recipient: `address ${address_id}`,
      email,
    }));
    for (const { recipient, email } of [...admins, ...addresses]) {
      await store.insertMail(
        db,
        { appId, reportId, from: period.from, recipient },
        { until: period.until, email, now: at },
      );
      const payload = { reportId, ...period, recipient };
      await enqueue(db, {
        appId,
        kind: reportMailJob,
        payload,
        subject: reportId,
        expiresAt: at + maxLateDays * dayMs,
      });
    }
  }
}
