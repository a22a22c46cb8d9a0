import { t } from '../words/words.ts';
import { allRecords } from './all-records.ts';
import { call, confirmed, dataOf } from './api.ts';

/** What belongs to a person, and its erasure. */

/** Condition for records that belong to an installation. */
export const ofInstallation = (objectId: string) => ({
  installationId: { __type: 'Pointer', className: '_Installation', objectId } as const,
});

/** Condition for installations that belong to a user. */
export const ofUser = (objectId: string) => ({
  userId: { __type: 'Pointer', className: '_User', objectId } as const,
});

/** Erases an installation with what was recorded of it. */
export const eraseInstallation = (appId: string, objectId: string): Promise<void> =>
  confirmed(() => dataOf(appId).installations.delete(objectId));

/** Erases a user. Installations go first, so that after a failure the user is still there to try again. */
export async function eraseUser(appId: string, userId: string, withInstallations: boolean): Promise<void> {
  if (withInstallations) for (const id of await installationIds(appId, userId)) await eraseInstallation(appId, id);
  await call('eraseAppUser', { params: { appId, userId } });
}

/** Where the receipt of an erasure is. */
export const erasureReceipt = (appId: string) => ({
  label: t('Show the receipt'),
  to: '/apps/$appId/privacy',
  params: { appId },
  hash: 'erasures',
});

async function installationIds(appId: string, userId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const page of allRecords(dataOf(appId).installations.list, ofUser(userId)))
    ids.push(...page.map(({ objectId }) => objectId));
  return ids;
}
