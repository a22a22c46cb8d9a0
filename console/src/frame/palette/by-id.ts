import { PharosError, type Query, where } from '@pharos/sdk';
import type { Standing } from '../../lib/data/access.ts';
import { call, dataOf, type Listed, type ListOperation, readPage } from '../../lib/data/api.ts';
import { pushName } from '../../lib/data/names.ts';
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

/** The record of a bucket that has this id. */
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

type EntryOf<Id extends ListOperation> = (
  one: Listed<Id>,
  params: { readonly appId: string; readonly id: string },
) => Entry;

const kind = <Id extends ListOperation & keyof typeof dataNeeds>(needs: Id, entryOf: EntryOf<Id>): Kind =>
  namedKind(needs, undefined, entryOf);

/** `by` is the member that names a record. */
function namedKind<Id extends ListOperation & keyof typeof dataNeeds>(
  needs: Id,
  by: string | undefined,
  entryOf: EntryOf<Id>,
): Kind {
  const read = async (appId: string, query: Query) =>
    (await readPage(appId, needs, query)).results.map((one) => entryOf(one, { appId, id: one.objectId }));
  const find: Asked = async (appId, id) => (await read(appId, { where: { objectId: id }, limit: 1 }))[0];
  if (by === undefined) return Object.assign(find, { needs });
  const named = (appId: string, text: string) =>
    read(appId, { where: where().contains(by, text), order: by, limit: maxOfKind });
  return Object.assign(find, { needs, named });
}

/** The searches for what has this text in its name. */
export const searchesByName = ({ mayCall }: Standing, appId: string, text: string) =>
  kinds.flatMap(({ needs, named }) => (named && mayCall(needs) ? [named(appId, text)] : []));

const kinds: readonly Kind[] = [
  namedKind('listNotifications', 'description', ({ description }, { appId, id }) => ({
    kind: t('Message'),
    label: description,
    icon: 'bell',
    to: '/apps/$appId/messages/$messageId',
    params: { appId, messageId: id },
  })),
  namedKind('listStorylines', 'title', ({ title }, { appId, id }) => ({
    kind: t('Message'),
    label: title,
    icon: 'bell',
    to: '/apps/$appId/messages/$messageId',
    params: { appId, messageId: id },
  })),
  kind('listAllStorylineDetails', ({ alertTitle }, { appId, id }) => ({
    kind: t('Message'),
    label: alertTitle || t('A message without a title'),
    icon: 'bell',
    to: '/apps/$appId/messages/$messageId',
    params: { appId, messageId: id },
  })),
  kind('listPushes', ({ data }, { appId, id }) => ({
    kind: t('Push message'),
    label: pushName({ data }),
    icon: 'megaphone',
    to: '/apps/$appId/push/$pushId',
    params: { appId, pushId: id },
  })),
  kind('listDeliveries', (_, { appId, id }) => ({
    kind: t('Delivery'),
    label: id,
    icon: 'megaphone',
    to: '/apps/$appId/activity/deliveries/$deliveryId',
    params: { appId, deliveryId: id },
  })),
  kind('listEvents', (_, { appId, id }) => ({
    kind: t('Event'),
    label: id,
    icon: 'activity',
    to: '/apps/$appId/activity/events/$eventId',
    params: { appId, eventId: id },
  })),
  namedKind('listBeacons', 'name', ({ name }, { appId, id }) => ({
    kind: t('Beacon'),
    label: name,
    icon: 'beacon',
    to: '/apps/$appId/beacons/$beaconId',
    params: { appId, beaconId: id },
  })),
  namedKind('listVenues', 'name', ({ name }, { appId, id }) => ({
    kind: t('Venue'),
    label: name,
    icon: 'map',
    to: '/apps/$appId/beacons/venues/$venueId',
    params: { appId, venueId: id },
  })),
  kind('listFloors', ({ name, venueId }, { appId, id }) => ({
    kind: t('Floor'),
    label: name,
    icon: 'map',
    to: '/apps/$appId/beacons/venues/$venueId/floors/$floorId',
    params: { appId, venueId: venueId.objectId, floorId: id },
  })),
  kind('listZones', ({ name, venueId, floorId }, { appId }) => ({
    kind: t('Zone'),
    label: name,
    icon: 'map',
    to: '/apps/$appId/beacons/venues/$venueId/floors/$floorId',
    params: { appId, venueId: venueId?.objectId ?? '', floorId: floorId.objectId },
  })),
  kind('listDevices', ({ deviceName }, { appId, id }) => ({
    kind: t('Device'),
    label: deviceName,
    icon: 'device',
    to: '/apps/$appId/devices/$deviceId',
    params: { appId, deviceId: id },
  })),
  kind('listUsers', (user, { appId, id }) => ({
    kind: t('Account'),
    label: userName({ ...user, email: user.validemail ?? '' }),
    icon: 'user',
    to: '/apps/$appId/users/$userId',
    params: { appId, userId: id },
  })),
  kind('listFiles', ({ name }, { appId, id }) => ({
    kind: t('File'),
    label: name,
    icon: 'file',
    to: '/apps/$appId/files',
    params: { appId },
    search: { file: id },
  })),
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
