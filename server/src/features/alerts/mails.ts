import { isAllowed } from '../../access/roles.ts';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../db/db.ts';
import { GiveUp, type JobHandler } from '../../jobs/job.ts';
import { type Mail, MailRefused, type MailSender } from '../../mail/mail-sender.ts';
import { conditionKinds } from '../condition.ts';
import { momentIn } from '../zone-day.ts';
import { digestOf, isWanted } from './choices.ts';
import {
  type AlertMail,
  type AlertRecipient,
  type AlertScope,
  type ConditionChange,
  type ListRecipients,
  opening,
} from './service.ts';
import * as store from './store.ts';

export interface AlertMailDeps {
  readonly db: Database;
  readonly now: Clock;
  readonly mail: MailSender;
  readonly publicUrl: () => string;
  readonly listRecipients: ListRecipients;
}

/** Sends alerts and digests to administrators who still want them when the mail goes. */
export function createAlertMailHandler(deps: AlertMailDeps): JobHandler {
  const { db, mail, listRecipients } = deps;
  return {
    concurrency: 2,
    maxAttempts: 20,
    baseDelayMs: 5_000,
    maxDelayMs: 600_000,
    async run(job) {
      const asked = job.payload as AlertMail;
      const told = await listRecipients(db, asked.scope, asked.alert?.venueId);
      const recipient = told.find(({ adminId }) => adminId === asked.adminId);
      const letter = recipient && (await write(deps, asked, recipient));
      if (!letter) return;
      try {
        await mail.send({ ...letter, id: job.jobId });
      } catch (error) {
        throw error instanceof MailRefused ? new GiveUp(error.message) : error;
      }
    },
  };
}

async function write(deps: AlertMailDeps, asked: AlertMail, { email, role, adminId }: AlertRecipient) {
  const chosen = await store.listChoices(deps.db, adminId);
  if (asked.what === 'digest') {
    const digest = digestOf(chosen);
    if (digest === 'off') return undefined;
    const rows = await store.listAlerts(deps.db, asked.scope.appId, asked.since ?? 0);
    const seen = rows.filter(({ kind }) => isAllowed(role, conditionKinds[kind].permission));
    // Once a week the mail comes in any case, so that silence is not taken for good news.
    if (seen.length === 0 && digest === 'daily') return undefined;
    return digestMail({ to: email, scope: asked.scope, url: deps.publicUrl() }, seen);
  }
  const { alert } = asked;
  if (!alert || !isWanted(role, alert.kind, chosen)) return undefined;
  return alertMail({ to: email, scope: asked.scope, url: deps.publicUrl() }, asked.what, alert);
}

interface Letter {
  readonly to: string;
  readonly scope: AlertScope;
  readonly url: string;
}

/** The name of an app goes into the subject, a line of its own. */
const clean = (text: string) => text.replace(/\p{C}/gu, ' ').trim();

function alertMail({ to, scope, url }: Letter, what: ConditionChange, alert: NonNullable<AlertMail['alert']>): Mail {
  const since = momentIn(scope.timeZone, alert.begunAt);
  const body =
    what === 'ended'
      ? [`This is over: ${alert.title}.`, `It began on ${since}.`]
      : [`${alert.title}.`, alert.text, `${what === 'still' ? 'It has lasted since' : 'It began on'} ${since}.`];
  return {
    to,
    subject: clean(`[${clean(scope.name)}] ${opening[what]}${alert.title}`),
    text: paragraphs(...body, `The console: ${pageOf(scope, url)}`, howToChange(url)),
  };
}

function digestMail({ to, scope, url }: Letter, rows: readonly store.AlertRow[]): Mail {
  const line = (row: store.AlertRow) =>
    `- ${row.title}\n  since ${momentIn(scope.timeZone, row.begun_at ?? row.first_seen_at)}`;
  const open = rows.filter(({ ended_at }) => ended_at === null);
  const over = rows.filter(({ ended_at }) => ended_at !== null);
  const body = [
    open.length === 0 ? 'All is well: nothing needs a person.' : `What needs a person:\n\n${open.map(line).join('\n')}`,
    ...(over.length === 0 ? [] : [`What is over:\n\n${over.map(line).join('\n')}`]),
  ];
  const news =
    open.length === 0 ? 'all is well' : `${open.length} ${open.length === 1 ? 'thing needs' : 'things need'} a person`;
  return {
    to,
    subject: clean(`[${clean(scope.name)}] Digest: ${news}`),
    text: paragraphs(...body, `The console: ${pageOf(scope, url)}`, howToChange(url)),
  };
}

const pageOf = ({ appId }: AlertScope, url: string) =>
  `${url}/console${appId === store.serviceScope ? '/system' : `/apps/${appId}/home`}`;

const howToChange = (url: string) => `What you are told by mail is chosen at ${url}/console/account`;

const paragraphs = (...texts: readonly string[]) => `${texts.filter((text) => text !== '').join('\n\n')}\n`;
