import type { Audit } from '../../lib/wire.ts';

/** Each kind of change, as the end of a sentence that begins with its author. */
const sentences: Readonly<Record<string, (subject: string, app: string) => string>> = {
  'app.create': (_, app) => `created the app ${app}.`,
  'app.change': (_, app) => `changed the app ${app}.`,
  'app.delete': (_, app) => `deleted the app ${app}.`,
  'app.rules': (_, app) => `changed the rules of the app ${app}.`,
  'app.dryRun': (_, app) => `changed the dry run of the app ${app}.`,
  'traces.purge': (_, app) => `deleted records of ${app} that were older than it keeps them.`,
  'key.rotate': (_, app) => `added a key to the app ${app}.`,
  'key.disable': (_, app) => `switched off a key of the app ${app}.`,
  'secretKey.create': (_, app) => `made a secret key for the app ${app}.`,
  'secretKey.revoke': (_, app) => `revoked a secret key of the app ${app}.`,
  'bucket.create': (subject, app) => `created the bucket ${subject} in ${app}.`,
  'bucket.delete': (subject, app) => `deleted the bucket ${subject} of ${app}.`,
  'user.change': (subject, app) =>
    subject === 'erased' ? `changed a user of ${app}, who is erased by now.` : `changed the user ${subject} of ${app}.`,
  'user.erase': (subject, app) => `erased a user of ${app} (${subject}).`,
  'person.export': (subject, app) =>
    subject === 'erased'
      ? `exported what ${app} knew of a person, who is erased by now.`
      : `exported what ${app} knows of ${subject}.`,
  'sender.save': (subject, app) => `set up the sender ${subject} of ${app}.`,
  'sender.remove': (subject, app) => `removed the sender ${subject} of ${app}.`,
  'identity-provider.create': (_, app) => `added an identity provider to ${app}.`,
  'identity-provider.change': (_, app) => `changed an identity provider of ${app}.`,
  'identity-provider.delete': (_, app) => `deleted an identity provider of ${app}.`,
  'device.issueCredentials': (subject, app) => `issued credentials for the device ${subject} of ${app}.`,
  'device.revokeCredentials': (subject, app) => `revoked the credentials of the device ${subject} of ${app}.`,
  'webhook.create': (_, app) => `added a webhook to ${app}.`,
  'webhook.change': (_, app) => `changed a webhook of ${app}.`,
  'webhook.delete': (_, app) => `deleted a webhook of ${app}.`,
  'webhook.rotate': (_, app) => `created a new signing secret for a webhook of ${app}.`,
  'webhook.disable': (_, app) => `switched off a webhook of ${app}.`,
  'webhook.redeliver': (_, app) => `sent a call of a webhook of ${app} again.`,
  'administrator.create': (subject) => `added the administrator ${subject}.`,
  'administrator.change': (subject) => `changed the administrator ${subject}.`,
  'administrator.password': (subject) => `set the password of ${subject}.`,
  'administrator.invite': (subject) => `invited ${subject} as an administrator.`,
  'administrator.uninvite': (subject) => `withdrew the invitation of ${subject}.`,
  'administrator.join': () => 'accepted the invitation and became an administrator.',
  'administrator.link': (subject) => `made a link to a new password for ${subject}.`,
  'administrator.resetPassword': () => 'chose a new password with a link.',
  'backup.create': (subject) => `started the backup ${subject}.`,
  'backup.download': (subject) => `downloaded the backup ${subject}.`,
  'backup.delete': (subject) => `deleted the backup ${subject}.`,
  'session.begin': () => 'signed in.',
  'session.end': () => 'signed out.',
  'session.refuse': (subject) => `was refused when signing in as ${subject}.`,
  'session.revoke': () => 'ended a session on another device.',
  'session.revokeOthers': () => 'ended all other sessions.',
  'factor.enable': () => 'set up an authenticator app.',
  'factor.disable': () => 'removed the authenticator app.',
  'factor.renewCodes': () => 'made new recovery codes.',
  'factor.reset': (subject) => `removed the second factors of ${subject}.`,
  'passkey.create': (subject) => `added the passkey ${subject}.`,
  'passkey.delete': (subject) => `removed the passkey ${subject}.`,
  'administrator.openLocal': (subject) => `opened a way in without single sign-on for ${subject}.`,
  'administrator.connect': () => 'connected the account with single sign-on.',
  'administrator.disconnect': () => 'ended the connection of the account with single sign-on.',
  'single-sign-on.join': () => 'became an administrator through single sign-on.',
  'single-sign-on.create': (subject) => `added the provider ${subject} of single sign-on.`,
  'single-sign-on.change': (subject) => `changed the provider ${subject} of single sign-on.`,
  'single-sign-on.delete': (subject) => `deleted the provider ${subject} of single sign-on.`,
  'single-sign-on.only': () => 'changed whether single sign-on is the only way to sign in.',
  'security.change': () => 'changed what administrators need to sign in.',
};

export function describe({ action, subject, appId, before, after }: Audit, appName: string | undefined): string {
  if (action.startsWith('data.')) return dataSentence(action, subject, { before, after, app: appName ?? appId ?? '' });
  const app = appName ?? nameIn(after) ?? nameIn(before) ?? appId ?? '';
  return sentences[action]?.(subject, app) ?? `${action} ${subject}`;
}

const done: Readonly<Record<string, string>> = {
  create: 'added',
  update: 'changed',
  patch: 'changed',
  delete: 'deleted',
  upload: 'uploaded',
  calibrate: 'calibrated',
  send: 'sent',
};

interface DataChange {
  readonly before: unknown;
  readonly after: unknown;
  readonly app: string;
}

/** `data.createStorylineDetail` of the record 0Vn…: `added the storyline detail Welcome in Museum guide.` */
function dataSentence(action: string, subject: string, { before, after, app }: DataChange): string {
  const [verb = '', ...words] = action
    .slice('data.'.length)
    .split(/(?=[A-Z])/)
    .map((word) => word.toLowerCase());
  if (verb === 'send') return `sent a push in ${app}.`;
  const name = calledIn(after) ?? calledIn(before) ?? subject;
  return `${done[verb] ?? verb} the ${words.join(' ')} ${name} in ${app}.`;
}

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
