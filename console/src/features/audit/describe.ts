import type { Audit } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';

/** Each kind of change, as the end of a sentence that begins with its author. */
const sentences: Readonly<Record<string, (subject: string, app: string) => string>> = {
  'app.create': (_, app) => t('created the app {app}.', { app }),
  'app.import': (_, app) => t('imported the app {app}.', { app }),
  'app.change': (_, app) => t('changed the app {app}.', { app }),
  'app.delete': (_, app) => t('deleted the app {app}.', { app }),
  'app.rules': (_, app) => t('changed the rules of the app {app}.', { app }),
  'app.dryRun': (_, app) => t('changed the dry run of the app {app}.', { app }),
  'traces.purge': (_, app) => t('deleted records of {app} that were older than it keeps them.', { app }),
  'key.trial': (_, app) => t('made a key for a pretend phone of the app {app}.', { app }),
  'key.rotate': (_, app) => t('added a key to the app {app}.', { app }),
  'key.disable': (_, app) => t('switched off a key of the app {app}.', { app }),
  'key.restore': (_, app) => t('switched a key of the app {app} on again.', { app }),
  'secretKey.create': (_, app) => t('made a secret key for the app {app}.', { app }),
  'secretKey.revoke': (_, app) => t('revoked a secret key of the app {app}.', { app }),
  'secretKey.restore': (_, app) => t('made a secret key of the app {app} valid again.', { app }),
  'agent.create': (subject, app) => t('lets the agent {subject} work in {app}.', { subject, app }),
  'agent.remove': (subject, app) => t('no longer lets the agent {subject} work in {app}.', { subject, app }),
  'bucket.create': (subject, app) => t('created the bucket {subject} in {app}.', { subject, app }),
  'bucket.delete': (subject, app) => t('deleted the bucket {subject} of {app}.', { subject, app }),
  'user.change': (subject, app) =>
    subject === 'erased'
      ? t('changed a user of {app}, who is erased by now.', { app })
      : t('changed the user {subject} of {app}.', { subject, app }),
  'user.removeFactor': (subject, app) =>
    subject === 'erased'
      ? t('removed a second factor or passkey of a user of {app}, who is erased by now.', { app })
      : t('removed a second factor or passkey of the user {subject} of {app}.', { subject, app }),
  'user.endSession': (subject, app) =>
    subject === 'erased'
      ? t('ended a session of a user of {app}, who is erased by now.', { app })
      : t('ended a session of the user {subject} of {app}.', { subject, app }),
  'user.erase': (subject, app) => t('erased a user of {app} ({subject}).', { app, subject }),
  'person.export': (subject, app) =>
    subject === 'erased'
      ? t('exported what {app} knew of a person, who is erased by now.', { app })
      : t('exported what {app} knows of {subject}.', { app, subject }),
  'sender.save': (subject, app) => t('set up the push service {subject} of {app}.', { subject, app }),
  'sender.remove': (subject, app) => t('removed the push service {subject} of {app}.', { subject, app }),
  'sender.restore': (subject, app) =>
    t('brought the former credentials of the push service {subject} of {app} back.', { subject, app }),
  'notification.toStoryline': (subject, app) =>
    t('gave the message {subject} of {app} days or several places.', { subject, app }),
  'push.resume': (subject, app) => t('took back the cancellation of the push {subject} of {app}.', { subject, app }),
  'identity-provider.create': (_, app) => t('added an identity provider to {app}.', { app }),
  'identity-provider.change': (_, app) => t('changed an identity provider of {app}.', { app }),
  'identity-provider.delete': (_, app) => t('deleted an identity provider of {app}.', { app }),
  'device.issueCredentials': (subject, app) =>
    t('issued credentials for the device {subject} of {app}.', { subject, app }),
  'device.revokeCredentials': (subject, app) =>
    t('revoked the credentials of the device {subject} of {app}.', { subject, app }),
  'device.restoreCredentials': (subject, app) =>
    t('brought the former credentials of the device {subject} of {app} back.', { subject, app }),
  'webhook.create': (_, app) => t('added a webhook to {app}.', { app }),
  'webhook.change': (_, app) => t('changed a webhook of {app}.', { app }),
  'webhook.delete': (_, app) => t('deleted a webhook of {app}.', { app }),
  'webhook.rotate': (_, app) => t('created a new signing secret for a webhook of {app}.', { app }),
  'webhook.disable': (_, app) => t('switched off a webhook of {app}.', { app }),
  'webhook.redeliver': (_, app) => t('sent a call of a webhook of {app} again.', { app }),
  'report.create': (_, app) => t('set up a report by mail about {app}.', { app }),
  'report.change': (_, app) => t('changed a report by mail about {app}.', { app }),
  'report.delete': (_, app) => t('deleted a report by mail about {app}.', { app }),
  'report.askAgain': (_, app) => t('asked an address again whether it wants a report about {app}.', { app }),
  'report.confirm': (_, app) => t('confirmed a report by mail about {app}.', { app }),
  'report.stop': (_, app) => t('wants no more reports by mail about {app}.', { app }),
  'administrator.create': (subject) => t('added the administrator {subject}.', { subject }),
  'administrator.change': (subject) => t('changed the administrator {subject}.', { subject }),
  'administrator.password': (subject) => t('set the password of {subject}.', { subject }),
  'administrator.invite': (subject) => t('invited {subject} as an administrator.', { subject }),
  'administrator.uninvite': (subject) => t('withdrew the invitation of {subject}.', { subject }),
  'administrator.join': () => t('accepted the invitation and became an administrator.'),
  'administrator.link': (subject) => t('made a link to a new password for {subject}.', { subject }),
  'administrator.resetPassword': () => t('chose a new password with a link.'),
  'many.change': (subject, app) => t('changed {subject} in {app} at once.', { subject, app }),
  'many.delete': (subject, app) => t('deleted {subject} in {app} at once.', { subject, app }),
  'many.restore': (subject, app) => t('restored {subject} from the trash of {app} at once.', { subject, app }),
  'trash.restore': (subject, app) => t('restored {subject} from the trash of {app}.', { subject, app }),
  'trash.delete': (subject, app) => t('deleted {subject} in the trash of {app} for good.', { subject, app }),
  'version.restore': (subject, app) => t('went back to an earlier version of {subject} in {app}.', { subject, app }),
  'backup.create': (subject) => t('started the backup {subject}.', { subject }),
  'backup.download': (subject) => t('downloaded the backup {subject}.', { subject }),
  'backup.delete': (subject) => t('deleted the backup {subject}.', { subject }),
  'backup.plan': () => t('changed when backups are made.'),
  'backup.drill': (subject) => t('had the backup {subject} restored for trial.', { subject }),
  'backup.restore': (subject) => t('prepared going back to the backup {subject} at the next start.', { subject }),
  'backup.startRestore': (subject) => t('started the service again to go back to the backup {subject}.', { subject }),
  'backup.restored': (subject) =>
    t('went back to the backup {subject}: everything after it is gone from here.', { subject }),
  'backup.cancelRestore': (subject) => t('no longer wants to go back to the backup {subject}.', { subject }),
  'ownPhone.pair': (_, app) => t('paired a phone to test messages of {app} on.', { app }),
  'ownPhone.test': (_, app) => t('tested a message of {app} on a phone of their own.', { app }),
  'ownPhone.unpair': (_, app) => t('no longer tests messages of {app} on a phone.', { app }),
  'session.begin': () => t('signed in.'),
  'session.end': () => t('signed out.'),
  'session.refuse': (subject) => t('was refused when signing in as {subject}.', { subject }),
  'session.revoke': () => t('ended a session on another device.'),
  'session.revokeOthers': () => t('ended all other sessions.'),
  'factor.enable': () => t('set up an authenticator app.'),
  'factor.disable': () => t('removed the authenticator app.'),
  'factor.renewCodes': () => t('made new recovery codes.'),
  'factor.reset': (subject) => t('removed the second factors of {subject}.', { subject }),
  'passkey.create': (subject) => t('added the passkey {subject}.', { subject }),
  'passkey.delete': (subject) => t('removed the passkey {subject}.', { subject }),
  'administrator.openLocal': (subject) => t('opened a way in without single sign-on for {subject}.', { subject }),
  'administrator.connect': () => t('connected the account with single sign-on.'),
  'administrator.disconnect': () => t('ended the connection of the account with single sign-on.'),
  'single-sign-on.join': () => t('became an administrator through single sign-on.'),
  'single-sign-on.create': (subject) => t('added the provider {subject} of single sign-on.', { subject }),
  'single-sign-on.change': (subject) => t('changed the provider {subject} of single sign-on.', { subject }),
  'single-sign-on.delete': (subject) => t('deleted the provider {subject} of single sign-on.', { subject }),
  'single-sign-on.only': () => t('changed whether single sign-on is the only way to sign in.'),
  'security.change': () => t('changed what administrators need to sign in.'),
};

export function describe(
  { action, subject, appId, before, after, createdAt }: Audit,
  appName: string | undefined,
): string {
  if (action.startsWith('data.'))
    return dataSentence(action, subject, { before, after, app: appName ?? appId ?? '', at: createdAt });
  const app = appName ?? nameIn(after) ?? nameIn(before) ?? appId ?? '';
  const what = /^(trash|version)\./.test(action) ? (calledIn(after) ?? calledIn(before) ?? subject) : subject;
  return sentences[action]?.(what, app) ?? `${action} ${subject}`;
}

interface DataChange {
  readonly before: unknown;
  readonly after: unknown;
  readonly app: string;
  /** When it was made. */
  readonly at: string;
}

/** Of a push: whether it was to go out later than it was written. */
const isLater = (after: unknown, at: string): boolean =>
  Date.parse(String(membersOf(after)['sendAt'])) > Date.parse(at);

/** `data.createStorylineDetail` of the record 0Vn…: `added the storyline detail Welcome in Museum guide.` */
function dataSentence(action: string, subject: string, { before, after, app, at }: DataChange): string {
  const [verb = '', ...words] = action
    .slice('data.'.length)
    .split(/(?=[A-Z])/)
    .map((word) => word.toLowerCase());
  if (verb === 'send')
    return isLater(after, at) ? t('scheduled a push in {app}.', { app }) : t('sent a push in {app}.', { app });
  if (verb === 'approve') return t('approved the push {subject} in {app}.', { subject, app });
  const name = calledIn(after) ?? calledIn(before) ?? subject;
  if (words.at(-1) === 'owner')
    return t(
      'gave the {kind, select, beacon {beacon} notification {message} storyline {message} venue {venue} floor {floor} zone {zone} device {device} storylineDetail {message} file {file} other {{words}}} {name} in {app} to another user.',
      { kind: camel(words.slice(0, -1)), words: words.slice(0, -1).join(' '), name, app },
    );
  return t(
    '{verb, select, create {added} update {changed} patch {changed} delete {deleted} upload {uploaded} calibrate {calibrated} other {{verb}}} the {kind, select, beacon {beacon} notification {message} storyline {message} storylineDetail {message} venue {venue} floor {floor} zone {zone} device {device} file {file} schema {schema} user {account} installation {phone} push {push} log {log} record {record} other {{words}}} {name} in {app}.',
    { verb, kind: camel(words), words: words.join(' '), name, app },
  );
}

/** `storylineDetail` */
const camel = (words: readonly string[]) =>
  words.map((word, index) => (index === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1))).join('');

function calledIn(state: unknown): string | undefined {
  const members = membersOf(state);
  const found = ['name', 'title', 'description', 'deviceName'].find((member) => typeof members[member] === 'string');
  return found && String(members[found]);
}

function nameIn(state: unknown): string | undefined {
  const name = (state as { name?: unknown } | null)?.name;
  return typeof name === 'string' ? name : undefined;
}

export interface ChangedMember {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The members that differ, as text; none if the sentence already says everything. */
export function changedMembers(before: unknown, after: unknown): ChangedMember[] {
  const [old, now] = [membersOf(before), membersOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  // The sentence already says what was created or deleted.
  if ((before === null || after === null) && names.join() === 'name') return [];
  return names.flatMap((name) => differences(name, old[name], now[name]));
}

/** Compares objects member by member, with dotted names, so that only what differs is shown. */
function differences(name: string, before: unknown, after: unknown): ChangedMember[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ name, before: show(before), after: show(after) }];
  const inside = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return inside.flatMap((member) => differences(`${name}.${member}`, before[member], after[member]));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function membersOf(state: unknown): Readonly<Record<string, unknown>> {
  return state !== null && typeof state === 'object' ? (state as Readonly<Record<string, unknown>>) : {};
}

function show(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
