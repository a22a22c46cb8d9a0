import type { Db } from '../../../db/db.ts';
import type { ServiceCondition } from '../../condition.ts';
import { maxLateDays } from './content/periods.ts';
import * as store from './store.ts';

/** What became of the mails of a report, for the console and for alerts. */

const dayMs = 86_400_000;
/** Older failures need nobody. */
const lookBackMs = 14 * dayMs;

/** A mail that still waits when its time is over was not sent. */
export function outcomeOf({ state, made_at }: store.MailRow, now: number): store.MailState {
  const isOver = now > made_at + maxLateDays * dayMs;
  return isOver && (state === 'waits' || state === 'sending') ? 'failed' : state;
}

/** The mails of the last period of each report, its own row first. */
export function latestOf(rows: readonly store.MailRow[]): ReadonlyMap<string, readonly store.MailRow[]> {
  const latest = new Map<string, store.MailRow[]>();
  for (const row of rows.toSorted((a, b) => b.made_at - a.made_at || (a.recipient < b.recipient ? -1 : 1))) {
    const known = latest.get(row.report_id);
    if (!known) latest.set(row.report_id, [row]);
    else if (known[0]?.period_from === row.period_from) known.push(row);
  }
  return latest;
}

const wrong: readonly store.MailState[] = ['failed', 'unsure', 'missed'];

/** Reports whose last period did not reach everybody. `nameOf`: of a venue, or of the app; undefined: deleted. */
export async function reportConditions(
  db: Db,
  appId: string,
  now: number,
  nameOf: (venueId: string | null) => Promise<string | undefined>,
): Promise<readonly ServiceCondition[]> {
  const latest = latestOf(await store.listMails(db, appId, now - lookBackMs));
  if (latest.size === 0) return [];
  const conditions: ServiceCondition[] = [];
  for (const { report_id, venue_id, is_on } of await store.listReports(db, appId)) {
    const rows = latest.get(report_id) ?? [];
    const bad = rows.filter((row) => wrong.includes(outcomeOf(row, now)));
    if (is_on === 0 || bad.length === 0) continue;
    const mails = rows.filter(({ recipient }) => recipient !== '').length;
    const isWhole = bad.some(({ recipient }) => recipient === '') || bad.length === mails;
    const name = (await nameOf(venue_id))?.slice(0, 80);
    const reason = bad.find(({ message }) => message !== '')?.message ?? 'It could not be sent in time.';
    const many = isWhole ? 'Nobody got it.' : `${bad.length} of ${mails} did not get it, or it is not known.`;
    conditions.push({
      kind: 'reports',
      key: `reports ${report_id}`,
      isGrave: false,
      title: titleOf(name, isWhole),
      text: `${many} ${reason}`,
      ...(venue_id === null ? {} : { venueId: venue_id }),
    });
  }
  return conditions;
}

/** A name is not translated where the title is, so that what it stands for otherwise is a sentence of its own. */
function titleOf(name: string | undefined, isWhole: boolean): string {
  if (name === undefined)
    return isWhole
      ? 'The report about a deleted venue was not sent'
      : 'The report about a deleted venue was not sent to everybody';
  return isWhole ? `The report about ${name} was not sent` : `The report about ${name} was not sent to everybody`;
}
