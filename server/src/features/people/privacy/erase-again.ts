import { commandLine } from '../../../access/audit.ts';
import type { Services } from '../../services.ts';
import type { Entry } from './ledger.ts';
import { findErasure, hashOf, insertEarlier } from './store.ts';

/** What was erased after a backup was made is erased again after it was restored. */

const pageSize = 500;

interface Found {
  readonly userIds: string[];
  readonly installationIds: string[];
}

/**
 * Begins the erasures that the restored database does not know; the service finishes them when it runs. Accounts and installations
 * are gone at once. Answers how many were found.
 */
export async function eraseAgain(
  services: Services,
  { entries, now }: { readonly entries: readonly Entry[]; readonly now: number },
): Promise<number> {
  const { db, users, apps, beginErasure, findInstallationsOf, deleteInstallation } = services;
  const known = new Set((await apps.list()).map(({ appId }) => appId));
  let begun = 0;
  for (const [appId, ofApp] of Map.groupBy(entries, (entry) => entry.appId)) {
    if (!known.has(appId)) continue;
    const missing: Entry[] = [];
    for (const entry of ofApp) if (!(await findErasure(db, entry))) missing.push(entry);
    if (missing.length === 0) continue;
    const found = await findSubjects(services, appId, missing);
    for (const entry of missing) {
      const { userIds = [], installationIds: all = [] } = found.get(entry) ?? {};
      if (userIds.length + all.length > 0) begun++;
      const withUser = new Set<string>();
      for (const userId of userIds) {
        for (const id of await findInstallationsOf(db, appId, userId)) withUser.add(id);
        await users.erase({ appId, userId }, commandLine);
      }
      // Linked to the user only after the backup.
      const installationIds = all.filter((id) => !withUser.has(id));
      await db.transaction(async (db) => {
        // Known from here on: an interruption before it begins anew.
        await insertEarlier(db, entry, now);
        if (installationIds.length === 0) return;
        const kind = entry.kind === 'installation' ? 'installation' : 'traces';
        await beginErasure(db, { kind, appId, userId: undefined, installationIds, askedBy: 'restore' });
        if (kind === 'installation') for (const id of installationIds) await deleteInstallation(db, appId, id);
      });
    }
  }
  return begun;
}

async function findSubjects(
  { db, walkUsers, walkInstallations }: Services,
  appId: string,
  entries: readonly Entry[],
): Promise<Map<Entry, Found>> {
  const byHash = new Map<string, Entry[]>();
  for (const entry of entries)
    for (const subject of entry.subjects) byHash.set(subject, [...(byHash.get(subject) ?? []), entry]);
  const found = new Map<Entry, Found>();
  const find = async (walk: typeof walkUsers, list: keyof Found) => {
    for (let after = ''; ; ) {
      const ids = await walk(db, appId, after, pageSize);
      for (const id of ids)
        for (const entry of byHash.get(hashOf(appId, id)) ?? []) {
          const of = found.get(entry) ?? { userIds: [], installationIds: [] };
          of[list].push(id);
          found.set(entry, of);
        }
      if (ids.length < pageSize) return;
      after = ids.at(-1) ?? '';
    }
  };
  await find(walkUsers, 'userIds');
  await find(walkInstallations, 'installationIds');
  return found;
}
