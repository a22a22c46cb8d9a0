import { traceLists } from '../wire.ts';
import { allRecords } from './all-records.ts';
import { call, dataOf } from './api.ts';
import { type ListOperation, readPage } from './listed.ts';

/** Everything stored about a person: for an export, and what an erasure deletes. */

/** A list that the console cannot read does not compile. */
const traces = traceLists satisfies Readonly<Record<string, ListOperation>>;

/** Condition for records that belong to an installation. */
export const ofInstallation = (objectId: string) => ({
  installationId: { __type: 'Pointer', className: '_Installation', objectId } as const,
});

/** Condition for installations that belong to a user. */
export const ofUser = (objectId: string) => ({
  userId: { __type: 'Pointer', className: '_User', objectId } as const,
});

/** An installation with its records; `onRead` is called with the number of records of each page. */
export async function readInstallation(appId: string, installationId: string, onRead: (records: number) => void) {
  const everything: Record<string, unknown> = { installation: await dataOf(appId).installations.get(installationId) };
  onRead(1);
  for (const [name, operation] of Object.entries(traces)) {
    const found: unknown[] = [];
    const pages = allRecords((query) => readPage(appId, operation, query), ofInstallation(installationId));
    for await (const page of pages) {
      found.push(...page);
      onRead(page.length);
    }
    everything[name] = found;
  }
  return everything;
}

/** A user with all installations and their records; `onRead` is called with the number of records of each page. */
export async function readUser(appId: string, userId: string, onRead: (records: number) => void) {
  const user = (await call('getAppUser', { params: { appId, userId } })).result;
  onRead(1);
  const installations: unknown[] = [];
  for (const id of await installationIds(appId, userId)) installations.push(await readInstallation(appId, id, onRead));
  return { user, installations };
}

/** Erases a user. Installations go first, so that after a failure the user is still there to try again. */
export async function eraseUser(appId: string, userId: string, withInstallations: boolean): Promise<void> {
  if (withInstallations)
    for (const id of await installationIds(appId, userId)) await dataOf(appId).installations.delete(id);
  await call('eraseAppUser', { params: { appId, userId } });
}

async function installationIds(appId: string, userId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const page of allRecords(dataOf(appId).installations.list, ofUser(userId)))
    ids.push(...page.map(({ objectId }) => objectId));
  return ids;
}
