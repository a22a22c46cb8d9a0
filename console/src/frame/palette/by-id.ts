import { PharosError, type Query, where } from '@pharos/sdk';
import type { Standing } from '../../lib/data/access.ts';
import { call, dataOf, type Listed, type ListOperation, readPage } from '../../lib/data/api.ts';
import { pushName } from '../../lib/data/names.ts';
import { givenName } from '../../lib/data/own-files.ts';
import { deviceWords } from '../../lib/text/installation-words.ts';
import { userName } from '../../lib/text/user-name.ts';
import type { dataNeeds } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import type { PaletteEntry } from './entry.ts';

/** The kinds of records, each found by the id that somebody has copied from a log, a mail or a webhook, and some by name. */

export type Entry = Omit<PaletteEntry, 'key'>;
type Found = Entry | undefined;

/** One that can be asked, as far as the role may: what it has by this id. */
type Asked = (appId: string, id: string) => Promise<Found>;

/** Of one kind are shown. One more is asked for, to say that there are more. */
export const maxOfKind = 5;

const isObjectId = (text: string) => /^[0-9A-Za-z]{20}$/.test(text);
/** What an app has given a phone as its id is mostly a UUID. */
const isIdOfPhone = (text: string) => /^[\w.:-]{8,200}$/.test(text);

/** The searches for what has this id; none if the text cannot be an id. */
export function searchesById(standing: Standing, appId: string, text: string): readonly Promise<Found>[] {
  const byId: readonly Asked[] = isObjectId(text)
    ? [...kinds.filter(({ needs }) => standing.mayCall(needs)), ...(standing.may('webhooks.read') ? [findWebhook] : [])]
    : [];
  const isOfPhone = isIdOfPhone(text) && standing.may('installations.personal');
  return [
    ...byId.map((find) => find(appId, text)),
    ...(isOfPhone && standing.mayCall('listInstallations') ? [findPhone('installationId', appId, text)] : []),
  ];
}

export async function findRecordById(appId: string, bucketName: string, id: string): Promise<Found> {
  if (!isObjectId(id)) return undefined;
  const { results } = await dataOf(appId)
    .bucket(bucketName)
    .list({ where: { objectId: id }, limit: 1 });
  const params = { appId, bucketName, recordId: id };
  const to = '/apps/$appId/buckets/$bucketName/records/$recordId';
  return results.length > 0 ? { kind: bucketName, label: id, icon: 'table', to, params } : undefined;
}

type Kind = Asked & {
  readonly needs: keyof typeof dataNeeds;
  readonly named?: (appId: string, text: string) => Promise<readonly Entry[]>;
};

interface Shown<Id extends ListOperation> extends Pick<Entry, 'kind' | 'icon' | 'to'> {
  /** The member that names one, and by which it is found. */
  readonly by?: string & keyof Listed<Id>;
  /** What it is called: without, its name, or its id. */
  readonly labelOf?: (one: Listed<Id>) => string;
  /** What else its page has in its address: the app is there, and its id in the last place. */
  readonly params?: (one: Listed<Id>) => Readonly<Record<string, string>>;
  readonly search?: (one: Listed<Id>) => Readonly<Record<string, string>>;
}

function kind<Id extends ListOperation & keyof typeof dataNeeds>(
  needs: Id,
  { by, labelOf, params, search, ...shown }: Shown<Id>,
): Kind {
  const idParam = /\$(\w+)$/.exec(shown.to)?.[1];
  const read = async (appId: string, query: Query) =>
    (await readPage(appId, needs, query)).results.map((one) => ({
      ...shown,
      label: labelOf?.(one) ?? (by ? String(one[by]) : one.objectId),
      params: { appId, ...(idParam && { [idParam]: one.objectId }), ...params?.(one) },
      ...(search && { search: search(one) }),
    }));
  const find: Asked = async (appId, id) => (await read(appId, { where: { objectId: id }, limit: 1 }))[0];
  if (by === undefined) return Object.assign(find, { needs });
  const named = (appId: string, text: string) =>
    read(appId, { where: where().contains(by, text), order: by, limit: maxOfKind + 1 });
  return Object.assign(find, { needs, named });
}

export const searchesByName = ({ mayCall }: Standing, appId: string, text: string) =>
  kinds.flatMap(({ needs, named }) => (named && mayCall(needs) ? [named(appId, text)] : []));

const message = { kind: t('Message'), icon: 'bell', to: '/apps/$appId/messages/$messageId' } as const;
const floorPage = '/apps/$appId/beacons/venues/$venueId/floors/$floorId';

const kinds: readonly Kind[] = [
  kind('listNotifications', { ...message, by: 'description' }),
  kind('listStorylines', { ...message, by: 'title' }),
  kind('listAllStorylineDetails', {
    ...message,
    labelOf: ({ alertTitle }) => alertTitle || t('A message without a title'),
  }),
  kind('listPushes', {
    kind: t('Push message'),
    icon: 'megaphone',
    to: '/apps/$appId/push/$pushId',
    labelOf: pushName,
  }),
  kind('listDeliveries', {
    kind: t('Delivery'),
    icon: 'megaphone',
    to: '/apps/$appId/activity/deliveries/$deliveryId',
  }),
  kind('listEvents', { kind: t('Event'), icon: 'activity', to: '/apps/$appId/activity/events/$eventId' }),
  kind('listBeacons', { kind: t('Beacon'), icon: 'beacon', to: '/apps/$appId/beacons/$beaconId', by: 'name' }),
  kind('listVenues', { kind: t('Venue'), icon: 'map', to: '/apps/$appId/beacons/venues/$venueId', by: 'name' }),
  kind('listFloors', {
    kind: t('Floor'),
    icon: 'map',
    to: floorPage,
    by: 'name',
    params: ({ venueId }) => ({ venueId: venueId.objectId }),
  }),
  kind('listZones', {
    kind: t('Zone'),
    icon: 'map',
    to: floorPage,
    by: 'name',
    params: ({ venueId, floorId }) => ({ venueId: venueId?.objectId ?? '', floorId: floorId.objectId }),
  }),
  kind('listDevices', {
    kind: t('Device'),
    icon: 'device',
    to: '/apps/$appId/devices/$deviceId',
    by: 'deviceName',
  }),
  kind('listUsers', {
    kind: t('Account'),
    icon: 'user',
    to: '/apps/$appId/users/$userId',
    labelOf: (user) => userName({ ...user, email: user.validemail ?? '' }),
  }),
  kind('listFiles', {
    kind: t('File'),
    icon: 'file',
    to: '/apps/$appId/files',
    by: 'name',
    labelOf: ({ name }) => givenName(name),
    search: ({ objectId }) => ({ file: objectId }),
  }),
  Object.assign((appId: string, id: string) => findPhone('objectId', appId, id), {
    needs: 'listInstallations' as const,
  }),
];

async function findPhone(member: 'objectId' | 'installationId', appId: string, id: string): Promise<Found> {
  const phone = await readPhone(member, appId, id);
  return (
    phone && {
      kind: t('Phone'),
      label: `${deviceWords[phone.deviceType]} ${id}`,
      icon: 'phone',
      to: '/apps/$appId/installations/$installationId',
      params: { appId, installationId: phone.objectId },
    }
  );
}

async function readPhone(member: 'objectId' | 'installationId', appId: string, id: string) {
  try {
    return (await readPage(appId, 'listInstallations', { where: { [member]: id }, limit: 1 })).results[0];
  } catch (error) {
    // Phones have pseudonyms in the app, and the role may only count them.
    if (error instanceof PharosError && error.status === 403) return undefined;
    throw error;
  }
}

async function findWebhook(appId: string, id: string): Promise<Found> {
  const { results } = await call('listWebhooks', { params: { appId } });
  const webhook = results.find(({ objectId }) => objectId === id);
  return (
    webhook && {
      kind: t('Webhook'),
      label: webhook.description || webhook.url,
      icon: 'link',
      to: '/apps/$appId/webhooks/$webhookId',
      params: { appId, webhookId: id },
    }
  );
}
