import { where } from '@pharos/sdk';
import { type AppSection, appSectionGroups, isShownTo } from '../../components/sections/app-sections.ts';
import { type Permission, type Standing, standingOf } from '../../lib/data/access.ts';
import { call, dataOf } from '../../lib/data/api.ts';
import { isSignedOut } from '../../lib/data/signing-in.ts';
import type { IconName } from '../../lib/icon-paths.ts';
import { deviceWords } from '../../lib/text/installation-words.ts';
import { policyLabels } from '../../lib/text/policy-labels.ts';
import { userName } from '../../lib/text/user-name.ts';
import { dataNeeds, type Session } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { findRecordById, maxOfKind, searchesById, searchesByName } from './by-id.ts';
import type { PaletteEntry } from './entry.ts';

type Needs = keyof typeof dataNeeds;

interface Action {
  readonly label: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly icon: IconName;
  /** An operation of the app's data, or what a role may do. */
  readonly needs: Needs | Permission;
  /** It is about the app as a whole. */
  readonly byApp?: true;
}

const actions: readonly Action[] = [
  { label: t('New message'), to: '/apps/$appId/messages/new', icon: 'plus', needs: 'createNotification' },
  { label: t('Write a push message'), to: '/apps/$appId/push/new', icon: 'plus', needs: 'sendPush' },
  { label: t('Add a venue'), to: '/apps/$appId/beacons/venues/new', icon: 'plus', needs: 'createVenue' },
  { label: t('Add a beacon'), to: '/apps/$appId/beacons/new', icon: 'plus', needs: 'createBeacon' },
  { label: t('Import beacons'), to: '/apps/$appId/beacons/import', icon: 'upload', needs: 'createBeacon' },
  { label: t('Replace a beacon'), to: '/apps/$appId/beacons', icon: 'beacon', needs: 'updateBeacon' },
  {
    label: t('See the battery of beacons'),
    to: '/apps/$appId/beacons/condition',
    icon: 'beacon',
    needs: 'listBeacons',
  },
  { label: t('Erase a person'), to: '/apps/$appId/users', icon: 'trash', needs: 'users.change' },
  { label: t('Erase a phone'), to: '/apps/$appId/installations', icon: 'trash', needs: 'deleteInstallation' },
  { label: t('Export what is known of a person'), to: '/apps/$appId/users', icon: 'download', needs: 'users.change' },
  {
    label: t('Read why a message was not shown'),
    to: '/apps/$appId/activity',
    search: { list: 'events' },
    icon: 'activity',
    needs: 'listEvents',
  },
  {
    label: t('Visits'),
    to: '/apps/$appId/activity',
    search: { list: 'visits' },
    icon: 'activity',
    needs: 'listVisits',
  },
  {
    label: t('Deliveries'),
    to: '/apps/$appId/activity',
    search: { list: 'deliveries' },
    icon: 'megaphone',
    needs: 'listDeliveries',
  },
  { label: t('Log records'), to: '/apps/$appId/activity', search: { list: 'logs' }, icon: 'list', needs: 'listLogs' },
  { label: t('Make a new app key'), to: '/apps/$appId/keys', icon: 'key', needs: 'keys.write' },
  { label: t('Switch the app off'), to: '/apps/$appId/settings', icon: 'settings', needs: 'apps.change' },
  { label: t('Delete the app'), to: '/apps/$appId/settings', icon: 'trash', needs: 'apps.delete' },
  {
    label: t('Restore something from the trash'),
    to: '/apps/$appId/trash',
    icon: 'trash',
    needs: 'listNotifications',
    byApp: true,
  },
];

const general = [
  { label: t('Apps'), to: '/apps', icon: 'apps', permission: 'apps.read' },
  { label: t('Administrators'), to: '/administrators', icon: 'people', permission: 'administrators.read' },
  { label: t('System'), to: '/system', icon: 'pulse', permission: 'system.read' },
  { label: t('Audit'), to: '/audit', icon: 'list', permission: 'audit.read' },
  { label: t('Your account'), to: '/account', icon: 'user', permission: 'session.own' },
] as const;

const generalActions = [
  { label: t('Change your password'), to: '/account', icon: 'key', permission: 'session.own' },
  { label: t('Invite an administrator'), to: '/administrators', icon: 'people', permission: 'administrators.write' },
  { label: t('Make a backup'), to: '/system', icon: 'download', permission: 'backups.manage' },
] as const;

const trash = { label: t('Trash'), to: '/apps/$appId/trash', icon: 'trash' } as const;

/** The settings of the policy by name. */
const settings = Object.values(policyLabels).map((label) => ({
  key: `setting ${label}`,
  label,
  kind: t('Setting · {page}', { page: t('Limits') }),
  icon: 'rules' as const,
  to: '/apps/$appId/policy',
  search: { find: label },
}));

const isOperation = (needs: Action['needs']): needs is Needs => needs in dataNeeds;

/** `Action · Users` */
const actionOn = (to: string) => {
  const page = [...appSectionGroups.flatMap(({ sections }) => [...sections] as AppSection[]), ...general]
    .filter((one) => to.startsWith(one.to))
    .toSorted((a, b) => b.to.length - a.to.length)[0];
  return page ? t('Action · {page}', { page: page.label }) : t('Action');
};

/** Pages and actions that the role has, by name. */
export function fixedEntries(session: Session, appId: string | undefined): readonly PaletteEntry[] {
  const standing = standingOf(session, appId);
  const outside = standingOf(session, undefined);
  const params = appId === undefined ? undefined : { appId };
  const ofApp = params
    ? [
        ...[
          ...appSectionGroups.flatMap(({ sections }) => sections.filter(isShownTo(standing))),
          ...(standing.mayCall('listStorylines') ? [trash] : []),
        ].map(({ to, label, icon }) => ({ key: to, label, kind: t('Page'), icon, to, params })),
        ...actions
          .filter(
            ({ needs, byApp }) =>
              (isOperation(needs) ? standing.mayCall(needs) : standing.may(needs)) &&
              (!byApp || standing.venues === undefined),
          )
          .map(({ label, to, search, icon }) => ({
            key: label,
            label,
            kind: actionOn(to),
            icon,
            to,
            params,
            ...(search && { search }),
          })),
        ...(standing.may('settings.read') && standing.venues === undefined
          ? settings.map((one) => ({ ...one, params }))
          : []),
      ]
    : [];
  const others = general
    .filter(({ permission }) => outside.may(permission))
    .map(({ to, label, icon }) => ({ key: to, label, kind: t('Page'), icon, to }));
  const acts = generalActions
    .filter(({ permission }) => outside.may(permission))
    .map(({ to, label, icon }) => ({ key: label, label, kind: actionOn(to), icon, to }));
  return [...ofApp, ...others, ...acts];
}

/** Entries in which every word occurs, or in what they are; those that begin with the text come first. */
export function matching(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const first = words[0] ?? '';
  return entries
    .filter(({ label, kind }) => words.every((word) => `${label} ${kind}`.toLowerCase().includes(word)))
    .toSorted(
      (a, b) => Number(b.label.toLowerCase().startsWith(first)) - Number(a.label.toLowerCase().startsWith(first)),
    );
}

export interface FoundRecords {
  readonly entries: readonly PaletteEntry[];
  /** Why some kinds could not be searched; the others were. */
  readonly failure?: string;
  /** Buckets whose records were not searched, of those that have a text to search by. */
  readonly unsearched?: readonly string[];
  readonly hasMore?: boolean;
}

/** Records whose name contains a text, or that have this id. @throws PharosError without a session */
export async function findRecords(session: Session, appId: string, text: string): Promise<FoundRecords> {
  const standing = standingOf(session, appId);
  const may = (operation: Needs) => standing.mayCall(operation);
  const found = await Promise.allSettled([
    ...searchesByName(standing, appId, text).map(async (named) => ({ entries: (await named).map(record) })),
    may('listSchemas') ? findInBuckets(standing, appId, text) : nothing,
    standing.may('users.read') ? findUsers(appId, text) : nothing,
    may('listInstallations') && standing.may('installations.personal') && isShortId(text)
      ? findPhones(appId, text)
      : nothing,
    ...searchesById(standing, appId, text).map(async (found) => {
      const entry = await found;
      return entry ? { entries: [record(entry)] } : nothing;
    }),
  ]);
  return firstOfKinds(withoutTwins(joined(found)));
}

/** What was found, and the first failure. @throws PharosError without a session: the page has to ask for it */
function joined(found: readonly PromiseSettledResult<FoundRecords>[]): FoundRecords {
  const parts = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const reasons = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const ended = reasons.find(isSignedOut);
  if (ended) throw ended;
  const failure = reasons[0]?.message ?? parts.find((part) => part.failure !== undefined)?.failure;
  const unsearched = parts.flatMap((part) => part.unsearched ?? []);
  return { entries: parts.flatMap((part) => part.entries), unsearched, ...(failure === undefined ? {} : { failure }) };
}

/** What has this id may have it in its name, too. */
function withoutTwins({ entries, ...rest }: FoundRecords): FoundRecords {
  const byPlace = new Map(entries.map((entry) => [`${entry.to} ${entry.key}`, entry]));
  return { entries: [...byPlace.values()], ...rest };
}

function firstOfKinds({ entries, ...rest }: FoundRecords): FoundRecords {
  const kinds = [...Map.groupBy(entries, ({ kind }) => kind).values()];
  const hasMore = kinds.some(({ length }) => length > maxOfKind);
  return { ...rest, entries: kinds.flatMap((some) => some.slice(0, maxOfKind)), hasMore };
}

const nothing: FoundRecords = { entries: [] };
const allOf = <T>(results: readonly T[], entryOf: (one: T) => PaletteEntry): FoundRecords => ({
  entries: results.map(entryOf),
});

const record = (entry: Omit<PaletteEntry, 'key'>): PaletteEntry => ({
  ...entry,
  key: JSON.stringify([entry.params, entry.search]),
});

/** By name or e-mail. */
async function findUsers(appId: string, text: string): Promise<FoundRecords> {
  const fields = ['email', 'firstname', 'lastname'] as const;
  const query = { where: { $or: fields.map((field) => where().contains(field, text)) }, limit: maxOfKind + 1 };
  const { results } = await call('listAppUsers', { params: { appId }, query: query as never });
  return allOf(results, (user) =>
    record({
      kind: t('Account'),
      label: [userName(user), user.email].filter(Boolean).join(', '),
      icon: 'user',
      to: '/apps/$appId/users/$userId',
      params: { appId, userId: user.objectId },
    }),
  );
}

/** The end of an id, by which events and visits call a visitor. */
const isShortId = (text: string) => /^[0-9A-Za-z]{6}$/.test(text);

async function findPhones(appId: string, text: string): Promise<FoundRecords> {
  const { installations } = dataOf(appId);
  const { results } = await installations.list({ where: where().contains('objectId', text), limit: maxOfKind + 1 });
  return allOf(
    results.filter(({ objectId }) => objectId.endsWith(text)),
    ({ objectId, deviceType }) =>
      record({
        kind: t('Phone'),
        label: `${deviceWords[deviceType]} ${text}`,
        icon: 'phone',
        to: '/apps/$appId/installations/$installationId',
        params: { appId, installationId: objectId },
      }),
  );
}

/** Buckets by name, and their records by the declared text that names them. */
async function findInBuckets({ mayCall }: Standing, appId: string, text: string): Promise<FoundRecords> {
  const { results } = await call('listBuckets', { params: { appId } });
  const byId = await Promise.allSettled(
    mayCall('listRecords')
      ? results.slice(0, maxBucketsById).map(async ({ name }) => {
          const entry = await findRecordById(appId, name, text);
          return entry ? { entries: [record(entry)] } : nothing;
        })
      : [],
  );
  const buckets = results.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).slice(0, maxOfKind + 1);
  const searchable = results.flatMap(({ name, columns }) => {
    const member = Object.keys(columns).find((column) => columns[column] === 'String');
    return member === undefined || !mayCall('listRecords') ? [] : [{ name, member }];
  });
  const searched = text.length < fewestLetters ? [] : searchable.slice(0, maxBuckets);
  const unsearched = searchable.slice(searched.length).map(({ name }) => name);
  const byName = await Promise.allSettled(searched.map(({ name, member }) => findInBucket(appId, name, member, text)));
  const named = buckets.map(({ name }) =>
    record({
      kind: t('Bucket'),
      label: name,
      icon: 'bucket',
      to: '/apps/$appId/buckets/$bucketName',
      params: { appId, bucketName: name },
    }),
  );
  const { entries, failure } = joined([...byId, ...byName]);
  return { entries: [...named, ...entries], unsearched, ...(failure === undefined ? {} : { failure }) };
}

const maxBuckets = 5;
/** An id is found at once. */
const maxBucketsById = 50;
/** Fewer are in almost every text, and no index finds them. */
const fewestLetters = 3;

async function findInBucket(appId: string, bucketName: string, member: string, text: string) {
  const { results } = await dataOf(appId)
    .bucket(bucketName)
    .list({ where: where().contains(`metadata.${member}`, text), limit: maxOfKind + 1 });
  return allOf(results, ({ objectId, metadata }) =>
    record({
      kind: bucketName,
      label: String(metadata[member]),
      icon: 'table',
      to: '/apps/$appId/buckets/$bucketName/records/$recordId',
      params: { appId, bucketName, recordId: objectId },
    }),
  );
}
