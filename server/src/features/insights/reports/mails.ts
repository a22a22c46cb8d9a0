import { randomBytes } from 'node:crypto';
import { secretHash } from '../../../access/access.ts';
import type { Db } from '../../../db/db.ts';
import { GiveUp, type Job, type JobContext, type JobHandler, RetryLater } from '../../../jobs/job.ts';
import { mailHandler } from '../../../jobs/mail-handler.ts';
import { type Mail, MailRefused, type MailSender, MailUnsure } from '../../../mail/mail-sender.ts';
import { type MailWords, mailWords } from '../../../mail/words/mail-words.ts';
import { type AddressMail, confirmDays } from './addresses.ts';
import { type ComposeDeps, type Composed, compose, consoleUrl } from './compose.ts';
import { type Foot, htmlOf } from './content/html.ts';
import { pdfOf } from './content/pdf.ts';
import type { ReportPeriod } from './content/periods.ts';
import { textOf } from './content/text.ts';
import { type Sight, sightOf } from './people.ts';
import type { ReportDeps } from './service.ts';
import * as store from './store.ts';

export const reportMailJob = 'mail.report';

export type ReportMailDeps = Pick<ReportDeps, 'db' | 'now' | 'findApp' | 'listAdmins'> &
  ComposeDeps & { readonly mail: MailSender };

interface ReportMail extends ReportPeriod {
  readonly reportId: string;
  /** `admin ID` or `address ID` */
  readonly recipient: string;
}

/** How long after it is due a report waits for visits that are still being counted. */
const countingMs = 3 * 3_600_000;
const againMs = 10 * 60_000;
/** Tries end when the job expires, not before. */
const anyNumber = 10_000;

interface Reader {
  readonly email: string;
  readonly sight: Sight;
  readonly words: MailWords;
  readonly foot: Foot;
  readonly stopUrl?: string;
}

export async function letterOf(
  { document }: Composed,
  { foot, stopUrl }: Pick<Reader, 'foot' | 'stopUrl'>,
  now: number,
  period: ReportPeriod,
): Promise<Omit<Mail, 'to'>> {
  return {
    subject: document.subject,
    text: textOf(document, foot),
    html: htmlOf(document, foot),
    attachments: [{ name: fileName(period), type: 'application/pdf', bytes: await pdfOf(document, now) }],
    ...(stopUrl === undefined ? {} : { stopUrl }),
  };
}

export const fileName = ({ from }: ReportPeriod): string => `report-${from}.pdf`;

/** Below what an administrator gets. */
export const adminFoot = (publicUrl: string, appId: string, words: MailWords): Foot => ({
  text: words.t('You get this as an administrator of the app.'),
  link: { text: words.t('Reports in the console'), url: `${consoleUrl(publicUrl, appId)}/activity/analytics/reports` },
});

/**
 * Sends one report to one person who may still have it. The note written before the mail is handed over keeps it from being sent
 * twice: a process that finds the note cannot know whether the mail arrived, and does not send it again.
 */
export function createReportMailHandler(deps: ReportMailDeps): JobHandler {
  const { db, now } = deps;
  return {
    concurrency: 1,
    maxAttempts: anyNumber,
    baseDelayMs: 30_000,
    maxDelayMs: 3_600_000,
    async run(job, context) {
      const asked = job.payload as ReportMail;
      const key = { appId: job.appId, ...asked };
      const row = await store.findMail(db, key);
      if (!row || (row.state !== 'waits' && row.state !== 'sending')) return;
      const end = (state: store.MailState, message: string) =>
        db.transaction((db) => store.noteMail(db, key, { within: ['waits', 'sending'], state, message, now: now() }));
      if (row.state === 'sending') {
        await end(
          'unsure',
          'The service ended while the mail was handed over. It may have arrived, so it is not sent again.',
        );
        return;
      }
      const report = await store.findReport(db, key);
      const app = await deps.findApp(job.appId);
      if (!report || report.is_on === 0 || !app || app.isDisabled) {
        await end('withheld', 'The report was switched off.');
        return;
      }
      const reader = await readerOf(deps, report, asked.recipient);
      if (typeof reader === 'string') {
        await end('withheld', reader);
        return;
      }
      const composed = await compose(deps, report, asked, reader.sight, reader.words);
      if (!composed) {
        await end('failed', 'The venue has been deleted.');
        return;
      }
      if (!composed.figures.visits.isComplete && now() - row.made_at < countingMs)
        throw new RetryLater('visits of the period are still being counted', againMs);
      const letter = await letterOf(composed, reader, now(), asked);
      await handOver(deps, { key, job, context }, { to: reader.email, ...letter, id: job.jobId });
    },
  };
}

interface Handing {
  readonly key: store.MailKey;
  readonly job: Job;
  readonly context: JobContext;
}

async function handOver({ db, now, mail }: ReportMailDeps, { key, context }: Handing, letter: Mail): Promise<void> {
  const note = (db: Db, within: readonly store.MailState[], state: store.MailState, message = '') =>
    store.noteMail(db, key, { within, state, message, now: now() });
  const later = (...given: Parameters<typeof note> extends [Db, ...infer Rest] ? Rest : never) =>
    db.transaction((db) => note(db, ...given));
  const isMine = await db.transaction(async (db) => {
    await context.assertHeld(db);
    return note(db, ['waits'], 'sending');
  });
  if (!isMine) return;
  try {
    await mail.send(letter);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof MailRefused) {
      await later(['sending'], 'failed', `The mail server refused it: ${message}`);
      throw new GiveUp(message);
    }
    if (error instanceof MailUnsure) {
      await later(
        ['sending'],
        'unsure',
        `The connection broke while the mail was handed over (${message}). It may have arrived, so it is not sent again.`,
      );
      throw new GiveUp(message);
    }
    await later(['sending'], 'waits', message);
    throw error;
  }
  await later(['sending', 'unsure'], 'sent');
}

/** Who a mail is for, or why it is not sent. Decided when it is sent. */
async function readerOf(
  { db, listAdmins, publicUrl }: ReportMailDeps,
  report: store.ReportRow,
  recipient: string,
): Promise<Reader | string> {
  const about = { appId: report.app_id, venueId: report.venue_id };
  const admins = new Map((await listAdmins(db)).map((admin) => [admin.adminId, admin]));
  const [kind, id = ''] = recipient.split(' ');
  if (kind === 'admin') {
    if (!(JSON.parse(report.administrators) as string[]).includes(id))
      return 'No longer among those who get the report.';
    const admin = admins.get(id);
    const sight = sightOf(admin, about);
    if (!admin) return 'No longer an administrator.';
    if (!sight) return admin.isDisabled ? 'The account is switched off.' : 'May no longer see these figures.';
    const words = mailWords(admin.language);
    return { email: admin.email, sight, words, foot: adminFoot(publicUrl(), report.app_id, words) };
  }
  const address = await store.findAddress(db, { appId: report.app_id, reportId: report.report_id, addressId: id });
  if (!address) return 'Wants no more of these mails, or was taken out.';
  if (address.confirmed_at === null) return 'Has not confirmed yet.';
  const sight = sightOf(admins.get(address.added_by), about, 'reports.write');
  if (!sight)
    return 'Whoever added the address may no longer share these figures. Save the report again to answer for it.';
  // Nobody knows theirs; whoever added them does.
  const words = mailWords(admins.get(address.added_by)?.language);
  const stopUrl = `${publicUrl()}/report-stop?token=${address.stop_token}`;
  const foot = {
    text: words.t('You get this because you confirmed it.'),
    link: { text: words.t('No more of these mails'), url: stopUrl },
  };
  return { email: address.email, sight, words, foot, stopUrl };
}

/** Asks an address whether it wants a report. The token exists only in the mail. */
export function createAddressMailHandler(deps: ReportMailDeps): JobHandler {
  const { db, now, mail, publicUrl, findSubject, listAdmins } = deps;
  const letterOf = async (job: Job) => {
    const key = { appId: job.appId, ...(job.payload as AddressMail) };
    const report = await store.findReport(db, key);
    const address = report && (await store.findAddress(db, key));
    const subject = report && (await findSubject(job.appId, report.venue_id));
    if (!report || !address || !subject) return undefined;
    const token = randomBytes(32).toString('base64url');
    const isAsked = await db.transaction((db) =>
      store.setToken(db, key, secretHash(token), now() + confirmDays * 86_400_000),
    );
    if (!isAsked) return undefined;
    const name = subject.name.replace(/\p{C}/gu, ' ').trim();
    // Nobody knows theirs; whoever asks them does.
    const sender = (await listAdmins(db)).find(({ adminId }) => adminId === address.added_by);
    const words = mailWords(sender?.language);
    return {
      to: address.email,
      subject: words.t('A report about {name}?', { name }),
      text: [
        words.t('Hello,'),
        words.t(
          '{who} would like to send you the figures of {name} by mail {every, select, week {every week} other {every month}}: how many visitors came, when, and how long they stayed. If you want that, say so here:',
          { who: report.set_up_by, name, every: report.every },
        ),
        `${publicUrl()}/report-address?token=${token}`,
        words.t(
          'The link is good for {days, plural, one {# day} other {# days}}. If you do nothing, you get nothing.',
          { days: confirmDays },
        ),
        '',
      ].join('\n\n'),
    };
  };
  return mailHandler(mail, letterOf, { maxAttempts: 50, maxDelayMs: 3_600_000 });
}
