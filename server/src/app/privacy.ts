import { join } from 'node:path';
import { withoutOthers } from '../access/audit.ts';
import type { Clock } from '../base/clock.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../db/db.ts';
import { eraseFilesOf } from '../features/files/erasure.ts';
import { blobKeyOf, fileUrl } from '../features/files/file-name.ts';
import { eraseDeletedFilesOf } from '../features/history/erasure.ts';
import { findHeld, findHolder, findInstallationsOf } from '../features/installations/store.ts';
import type { ErasureDeps } from '../features/privacy/erase.ts';
import type { PrivacyFeatureDeps } from '../features/privacy/feature.ts';
import { addToLedger, ledgerName } from '../features/privacy/ledger.ts';
import { idsOf } from '../features/privacy/person.ts';
import { hasChosenAudience, withoutCounts } from '../features/push/store.ts';
import { userExists } from '../features/users/store.ts';
import { listHostsSentTo } from '../features/webhooks/store.ts';
import { personParts } from './tables.ts';

export interface PrivacyOptions {
  readonly db: Database;
  readonly now: Clock;
  readonly blobs: BlobStore;
  readonly dataFolder: string;
  readonly publicUrl: () => string;
  readonly listBackups: ErasureDeps['listBackups'];
}

/** What the export and the erasure of a person need of all features; the same for the service and the command line. */
export function privacyDeps(options: PrivacyOptions): Omit<PrivacyFeatureDeps, 'assertApp' | 'factsOf'> {
  const { db, now, blobs, dataFolder, publicUrl, listBackups } = options;
  return {
    db,
    now,
    listBackups,
    parts: personParts,
    sentTo: listHostsSentTo,
    more: {
      files: ({ stored_name: name, app_id: appId, sha256 }) => ({
        url: fileUrl(publicUrl(), String(appId), String(name)),
        sha256,
      }),
    },
    conceal: {
      pushes: (row) => (hasChosenAudience(row) ? withoutCounts(row) : row),
      audit: (row, person) => withoutOthers(row, idsOf(person)),
    },
    eraseFiles: (appId, userId, count) => eraseFilesOf(db, blobs, { appId, userId }, count),
    eraseDeletedFiles: (appId, userId, count) =>
      eraseDeletedFilesOf(
        { db, removeBytes: (appId, storedName) => blobs.remove(blobKeyOf(appId, storedName)) },
        { appId, userId },
        count,
      ),
    noteErasure: (entry) => addToLedger(join(dataFolder, ledgerName), [entry]),
    findOwn: async (appId, userId) => {
      const held = await findHeld(db, appId, userId);
      const installationIds = held.map(({ objectId }) => objectId);
      return { appId, userId, installationIds, since: new Map(held.map((one) => [one.objectId, one.heldSince])) };
    },
    findUser: async (appId, userId) => {
      if (!(await userExists(db, appId, userId))) return undefined;
      return { appId, userId, installationIds: await findInstallationsOf(db, appId, userId) };
    },
    findInstallation: async (appId, objectId) =>
      (await findHolder(db, appId, objectId)) === undefined
        ? undefined
        : { appId, userId: undefined, installationIds: [objectId] },
  };
}
