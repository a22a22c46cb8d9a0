import { isAllowed } from '../../../access/roles.ts';
import type { Job, JobHandler } from '../../../jobs/job.ts';
import { mailHandler } from '../../../jobs/mail-handler.ts';
import type { Mail, MailSender } from '../../../mail/mail-sender.ts';
import { type MailWords, mailWords } from '../../../mail/words/mail-words.ts';
import { conditionKinds } from '../../condition.ts';
import type { Context } from '../../context.ts';
import { type ConditionChange, titleOf } from './alert-title.ts';
import { digestOf, isWanted } from './choices.ts';
import { type AlertMail, type AlertRecipient, type AlertScope, listRecipients } from './service.ts';
import * as store from './store.ts';

export interface AlertMailDeps extends Pick<Context, 'db' | 'now' | 'publicUrl' | 'listAdmins'> {
  readonly mail: MailSender;
}

/** Sends alerts and digests to administrators who still want them when the mail goes. */
export function createAlertMailHandler(deps: AlertMailDeps): JobHandler {
  const letterOf = async ({ payload, jobId }: Job) => {
    const asked = payload as AlertMail;
    const recipients = await listRecipients(deps, deps.db, { scope: asked.scope, venueId: asked.alert?.venueId });
    const recipient = recipients.find(({ adminId }) => adminId === asked.adminId);
    const letter = recipient && (await write(deps, asked, recipient));
    return letter && { ...letter, id: jobId };
  };
  return mailHandler(deps.mail, letterOf, { maxAttempts: 20 });
}

async function write(deps: AlertMailDeps, asked: AlertMail, { email, role, adminId, language }: AlertRecipient) {
  const letter = { to: email, scope: asked.scope, url: deps.publicUrl(), words: mailWords(language) };
  const chosen = await store.listChoices(deps.db, adminId);
  if (asked.what === 'digest') {
    const digest = digestOf(chosen);
    if (digest === 'off') return undefined;
    const rows = await store.listAlerts(deps.db, asked.scope.appId, asked.since ?? 0);
    const seen = rows.filter(({ kind }) => isAllowed(role, conditionKinds[kind].permission));
    // Once a week the mail comes in any case, so that silence is not taken for good news.
    if (seen.length === 0 && digest === 'daily') return undefined;
    return digestMail(letter, seen);
  }
  const { alert } = asked;
  if (!alert || !isWanted(role, alert.kind, chosen)) return undefined;
  return alertMail(letter, asked.what, alert);
}

interface Letter {
  readonly to: string;
  readonly scope: AlertScope;
  readonly url: string;
  readonly words: MailWords;
}

/** The name of an app goes into the subject, a line of its own. */
const clean = (text: string) => text.replace(/\p{C}/gu, ' ').trim();

function alertMail(letter: Letter, what: ConditionChange, alert: NonNullable<AlertMail['alert']>): Mail {
  const { to, scope, words } = letter;
  const when = words.moment(scope.timeZone, alert.begunAt);
  const title = words.translated(alert.title);
  const begun = words.t('It began on {when}.', { when });
  const body =
    what === 'ended'
      ? [words.t('This is over: {title}.', { title }), begun]
      : [
          `${title}.`,
          words.translated(alert.text),
          what === 'still' ? words.t('It has lasted since {when}.', { when }) : begun,
        ];
  return {
    to,
    subject: clean(`[${clean(scope.name)}] ${titleOf(words, what, alert.title)}`),
    text: paragraphs(...body, ...footOf(letter)),
  };
}

function digestMail(letter: Letter, rows: readonly store.AlertRow[]): Mail {
  const { to, scope, words } = letter;
  const line = (row: store.AlertRow) => {
    const when = words.moment(scope.timeZone, row.begun_at ?? row.first_seen_at);
    return `- ${words.translated(row.title)}\n  ${words.t('since {when}', { when })}`;
  };
  const open = rows.filter(({ ended_at }) => ended_at === null);
  const over = rows.filter(({ ended_at }) => ended_at !== null);
  const body = [
    open.length === 0
      ? words.t('All is well: nothing needs a person.')
      : `${words.t('What needs a person:')}\n\n${open.map(line).join('\n')}`,
    ...(over.length === 0 ? [] : [`${words.t('What is over:')}\n\n${over.map(line).join('\n')}`]),
  ];
  const news = words.t(
    'Digest: {count, plural, =0 {all is well} one {# thing needs a person} other {# things need a person}}',
    { count: open.length },
  );
  return { to, subject: clean(`[${clean(scope.name)}] ${news}`), text: paragraphs(...body, ...footOf(letter)) };
}

const pageOf = ({ appId }: AlertScope, url: string) =>
  `${url}/console${appId === store.serviceScope ? '/system' : `/apps/${appId}/home`}`;

/** Where the console is, and where the mails are chosen. */
const footOf = ({ scope, url, words }: Letter): readonly string[] => [
  words.t('The console: {url}', { url: pageOf(scope, url) }),
  words.t('What you are told by mail is chosen at {url}', { url: `${url}/console/account` }),
];

const paragraphs = (...texts: readonly string[]) => `${texts.filter((text) => text !== '').join('\n\n')}\n`;
