import type { BlobStorage, BlobStore } from '../../../blobs/blob-store.ts';
import type { Database } from '../../../db/db.ts';
import { knownMigrations, newestMigration } from '../../../db/migrate.ts';
import { openTime } from '../../../db/nodes/shared-time.ts';
import { folderFault } from '../../../features/data/files/place/folder.ts';
import { readOwnership } from '../../../features/data/files/place/ownership.ts';
import type { AdminService } from '../../../features/operate/admins/accounts/service.ts';
import type { AppService, AppView } from '../../../features/operate/apps/service.ts';
import { type Finding, finder } from './finding.ts';

export async function checkDatabase(db: Database): Promise<Finding[]> {
  const { ok, fail } = finder('database');
  const described = await db.describe();
  try {
    await db.assertUsable();
    return [ok(`${described}.`)];
  } catch (error) {
    return [fail(`${described}. ${(error as Error).message}`)];
  }
}

/** Nodes go by the database's clock; a machine whose own differs is one of the two that is wrong. */
export async function checkClock(db: Database): Promise<Finding[]> {
  if (!db.time) return [];
  const { ok, warn } = finder('clock');
  const warning = (await openTime(db)).time.warning();
  return [warning === undefined ? ok('The clocks of this machine and of the database agree.') : warn(warning)];
}

export async function checkMigrations(db: Database): Promise<Finding> {
  const { ok, warn, fail } = finder('migrations');
  const newest = knownMigrations().at(-1)?.id ?? 0;
  const present = await newestMigration((statement) => db.all(statement));
  if (present > newest)
    return fail(`The database is at ${present}, but this version knows only ${newest}. Run a newer version of Pharos.`);
  if (present < newest) return warn(`The database is at ${present} of ${newest}. Run: pharos migrate`);
  return ok(`The database is at ${present}, as this version requires.`);
}

export async function checkIntegrity(db: Database): Promise<Finding[]> {
  const { ok, fail } = finder('integrity');
  const problems = await db.check();
  if (problems.length === 0) return [ok('The database is intact, can be read and can be written.')];
  return [
    fail(
      `The database is damaged: ${problems.slice(0, 5).join('; ')}. Restore a backup into a new data folder or database.`,
    ),
  ];
}

/** Whether the files can be reached, and whether they are this database's. */
export async function checkFileStorage(blobs: BlobStorage, db: Database): Promise<Finding[]> {
  const { ok, warn, fail } = finder('file storage');
  try {
    const fault = await folderFault(db, blobs);
    if (fault !== undefined) return [fail(fault)];
    if (!blobs.isRemote) return [];
    await blobs.check();
    if ((await readOwnership(db, blobs)) === 'foreign')
      return [
        warn(
          `${blobs.place} belongs to another database, so files without a record are not removed from it. If that database is given up, run: pharos files claim`,
        ),
      ];
  } catch (error) {
    const { cause, message } = error as Error;
    return [fail(cause instanceof Error ? cause.message : message)];
  }
  return [ok(`${blobs.place} answers.`)];
}

/** Uploaded files whose bytes are missing. */
export async function checkFiles(
  blobs: BlobStore,
  files: AsyncIterable<{ readonly blobKey: string; readonly name: string }>,
): Promise<Finding> {
  const { ok, fail } = finder('files');
  const lost: string[] = [];
  let count = 0;
  for await (const { blobKey, name } of files) {
    count++;
    if (!(await blobs.stat(blobKey))) lost.push(name);
  }
  if (lost.length === 0) return ok(`All ${count} uploaded files are complete.`);
  return fail(
    `${lost.length} of ${count} uploaded files have lost their bytes, such as ${lost.slice(0, 3).join(', ')}. Copy the folder files from a backup.`,
  );
}

export async function checkAdmins(admins: AdminService): Promise<Finding> {
  const { ok, warn } = finder('administrators');
  const owners = (await admins.list()).filter(({ role, disabled }) => role === 'owner' && !disabled);
  return owners.length > 0
    ? ok(`${owners.length} owner${owners.length === 1 ? '' : 's'}.`)
    : warn('Nobody can sign in to the console. Run: pharos admin create --email EMAIL');
}

const openDefaults: readonly { readonly applies: (app: AppView) => boolean; readonly says: string }[] = [
  {
    applies: ({ policy }) => policy.listUsers === 'app',
    says: 'everyone with the app key may list users with their e-mails (listUsers)',
  },
  { applies: ({ policy }) => policy.push === 'user', says: 'every signed-in user may send push messages (push)' },
  {
    applies: ({ policy }) => policy.writeContent === 'user',
    says: 'every signed-in user may change beacons and messages (writeContent)',
  },
  {
    applies: ({ policy }) => !policy.uploadNeedsUser,
    says: 'files can be uploaded without signing in (uploadNeedsUser)',
  },
  { applies: ({ policy }) => !policy.rateLimit.enabled, says: 'there is no limit on calls (rateLimit)' },
];

/** The specification's defaults are open, which is right for few apps. */
export async function checkPolicies(apps: AppService): Promise<Finding[]> {
  const findings = (await apps.list())
    .filter(({ disabled }) => !disabled)
    .map((app) => {
      const { ok, warn } = finder(`app ${app.name}`);
      const open = openDefaults.filter(({ applies }) => applies(app)).map(({ says }) => says);
      if (open.length === 0) return ok('Its policy is strict.');
      return warn(`${open.join('; ')}. Change with: pharos app policy --app ${app.appId} --set NAME=VALUE`);
    });
  return findings;
}
