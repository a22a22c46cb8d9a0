import { t } from '../words/words.ts';
import { call, confirmed, dataOf } from './api.ts';

/** What belongs to a person, and its erasure. */

/** Condition for records that belong to some installations. */
export const ofPhones = (ids: readonly string[]) => ({
  installationId: {
    $in: ids.map((objectId) => ({ __type: 'Pointer', className: '_Installation', objectId }) as const),
  },
});

/** Condition for installations that belong to a user. */
export const ofUser = (objectId: string) => ({
  userId: { __type: 'Pointer', className: '_User', objectId } as const,
});

export const eraseInstallation = (appId: string, objectId: string): Promise<void> =>
  confirmed(() => dataOf(appId).installations.delete(objectId));

export async function eraseUser(appId: string, userId: string): Promise<void> {
  await call('eraseAppUser', { params: { appId, userId } });
}

export const erasureReceipt = (appId: string) => ({
  label: t('Show the receipt'),
  to: '/apps/$appId/privacy',
  params: { appId },
  hash: 'erasures',
});
