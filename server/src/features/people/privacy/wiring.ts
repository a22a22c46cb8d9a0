import { join } from 'node:path';
import { withoutOthers } from '../../../access/audit.ts';
import type { Caller } from '../../../access/caller.ts';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import type { Services } from '../../services.ts';
import type { PrivacyConsoleDeps } from './console-routes.ts';
import type { ErasureDeps } from './erase.ts';
import type { Withholding } from './export.ts';
import { addToLedger, ledgerName } from './ledger.ts';
import { idsOf } from './person.ts';
import type { PrivacyRouteDeps } from './routes.ts';

export interface PrivacyOptions {
  readonly blobs: BlobStore;
  readonly dataFolder: string;
  readonly publicUrl: () => string;
  readonly listBackups: ErasureDeps['listBackups'];
}

/** What the export and the erasure of a person need of all features; the same for the service and the command line. */
export function privacyDeps(
  services: Services,
  options: PrivacyOptions,
): PrivacyRouteDeps & PrivacyConsoleDeps & ErasureDeps {
  const { db, now, personParts, fileUrl, blobKeyOf, findHeld, findInstallationsOf } = services;
  const { blobs, dataFolder, publicUrl, listBackups } = options;
  return {
    db,
    now,
    listBackups,
    parts: personParts,
    sentTo: services.listHostsSentTo,
    more: {
      files: ({ stored_name: name, app_id: appId, sha256 }) => ({
        url: fileUrl(publicUrl(), String(appId), String(name)),
        sha256,
      }),
    },
    withholding: (caller) => withholding(services, caller),
    conceal: {
      pushes: (row) => (services.hasChosenAudience(row) ? services.withoutCounts(row) : row),
      audit: (row, person) => withoutOthers(row, idsOf(person)),
    },
    eraseFiles: (appId, userId, count) => services.eraseFilesOf(db, blobs, { appId, userId }, count),
    eraseDeletedFiles: (appId, userId, count) =>
      services.eraseDeletedFilesOf(
        { db, removeBytes: (appId, storedName) => blobs.remove(blobKeyOf(appId, storedName)) },
        { appId, userId },
        count,
      ),
    noteErasure: (entry) => addToLedger(join(dataFolder, ledgerName), [entry]),
    findOwn: async (appId, userId) => {
      const held = await findHeld(appId, userId);
      const installationIds = held.map(({ objectId }) => objectId);
      return { appId, userId, installationIds, since: new Map(held.map((one) => [one.objectId, one.heldSince])) };
    },
    findUser: async (appId, userId) => {
      if (!(await services.userExists(db, appId, userId))) return undefined;
      return { appId, userId, installationIds: await findInstallationsOf(db, appId, userId) };
    },
    findInstallation: async (appId, objectId) =>
      (await services.findHolder(db, appId, objectId)) === undefined
        ? undefined
        : { appId, userId: undefined, installationIds: [objectId] },
  };
}

/**
 * What rules hide from somebody in records stays hidden in what they export of themselves. The account is shown as `GET /users/me`
 * shows it.
 */
function withholding({ db, resources, dataTables, findBucketName }: Services, caller: Caller): Withholding {
  const { records, versions, trash } = dataTables;
  const { rules } = caller.app;
  const names = new Map<string, Promise<string | undefined>>();
  const inBuckets = [rules.bucket(''), ...Object.keys(rules.stored.buckets ?? {}).map((name) => rules.bucket(name))];
  const hiddenSomewhere = [...new Set(inBuckets.flatMap((one) => one.hiddenFrom(caller)))];
  const ofBucket = async (bucketId: string) => {
    const found = names.get(bucketId) ?? findBucketName(db, caller.app.appId, bucketId);
    names.set(bucketId, found);
    const name = await found;
    // One in the trash has no name here, and its records wait for it.
    return name === undefined ? hiddenSomewhere : rules.bucket(name).hiddenFrom(caller);
  };
  const ofKind = (kind: string) => {
    const resource = resources.find(({ table, rules }) => table.name === kind || rules === kind);
    return resource ? rules.of(resource.rules).hiddenFrom(caller) : [];
  };
  const some = [
    ...resources.map(({ table }) => table.name).filter((name) => ofKind(name).length > 0),
    ...(hiddenSomewhere.length > 0 ? [records.name] : []),
  ];
  return {
    tables: some.length === 0 ? [] : [...some, versions.name, trash.name],
    async membersOf({ table }, row) {
      if (table === records) {
        const hidden = await ofBucket(String(row['bucket_id']));
        return hidden.length === 0 ? [] : [...hidden.map((member) => inDocument('doc', member)), ...columnsOfMembers];
      }
      if (table !== versions && table !== trash) return ofKind(table.name);
      const kind = String(row['kind']);
      if (kind === records.name) {
        const hidden = await ofBucket(String(row['within_id']));
        return hidden.length === 0 ? [] : [...hidden.map((member) => inDocument('state', member)), 'title'];
      }
      // What was deleted with it is of another kind.
      const within = kind === 'storylines' ? ofKind('scenarios') : [];
      const hidden = ofKind(kind).map((member) => `state.${member}`);
      return [...hidden, ...(hidden.length > 0 ? ['title'] : []), ...(within.length > 0 ? ['children'] : [])];
    },
  };
}

/** Where a member of a record is in what is stored of it. */
const inDocument = (column: string, member: string) => member.replace(/^metadata\b/, column);

/** Members of documents that have a column as well. */
const columnsOfMembers = [1, 2, 3, 4, 5, 6].flatMap((n) => [`n${n}`, `t${n}`]);
