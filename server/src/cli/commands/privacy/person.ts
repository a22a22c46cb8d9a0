import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { commandLine } from '../../../access/audit.ts';
import type { BlobStorage } from '../../../blobs/blob-store.ts';
import { backupsFolder, type Config } from '../../../config/config.ts';
import { BackupService } from '../../../features/operate/backups/service.ts';
import { finishErasure } from '../../../features/people/privacy/erase.ts';
import { exportPerson } from '../../../features/people/privacy/export.ts';
import type { Person } from '../../../features/people/privacy/person.ts';
import { receiptOf } from '../../../features/people/privacy/receipt.ts';
import { privacyDeps } from '../../../features/people/privacy/wiring.ts';
import { findUserByEmail } from '../../../features/people/users/store.ts';
import type { Services } from '../../../features/services.ts';
import { emailKey } from '../../../sign-in/email.ts';
import { type Command, type CommandCall, confirmDeletion, UsageError, yesOption } from '../../support/command.ts';
import { withBlobs, withServices } from '../storage.ts';

const who = {
  app: { value: 'APPID', help: 'the app', required: true },
  user: { value: 'USERID', help: 'a user, by the objectId' },
  email: { value: 'ADDRESS', help: 'a user, by the e-mail address' },
  installation: { value: 'INSTALLATIONID', help: 'an installation without an account, by its objectId' },
} as const;

type Deps = ReturnType<typeof depsOf>;

function depsOf(config: Config, services: Services, blobs: BlobStorage) {
  const { db, now } = services;
  const backups = new BackupService({
    db,
    blobs,
    folder: backupsFolder(config),
    now,
    keptDays: config.backupDays,
    inBackground: () => undefined,
    assertRoom: () => undefined,
  });
  return privacyDeps(services, {
    blobs,
    dataFolder: config.dataFolder,
    publicUrl: () => config.publicUrl ?? '',
    listBackups: () => backups.kept(),
  });
}

/** @throws UsageError, and Error where there is nobody */
async function findPerson(call: CommandCall, deps: Deps, { db, apps }: Services): Promise<Person> {
  const appId = call.text('app') ?? '';
  await apps.get(appId);
  const [user, email, installation] = ['user', 'email', 'installation'].map((name) => call.text(name));
  if ([user, email, installation].filter((text) => text !== undefined).length !== 1)
    throw new UsageError('Name one of --user, --email and --installation.');
  if (installation !== undefined) {
    const found = await deps.findInstallation(appId, installation);
    if (!found) throw new Error(`The app has no installation ${installation}.`);
    return found;
  }
  const userId = user ?? (await findUserByEmail(db, appId, emailKey(email ?? '')))?.object_id;
  const found = userId === undefined ? undefined : await deps.findUser(appId, userId);
  if (!found) throw new Error(`The app has no user ${user ?? email}.`);
  return found;
}

function withDeps<T>(config: Config, work: (services: Services, deps: Deps) => Promise<T>): Promise<T> {
  return withBlobs(config, (blobs) =>
    withServices(config, (services) => {
      services.guardFolder(services.db, blobs);
      return work(services, depsOf(config, services, blobs));
    }),
  );
}

export const personCommands: readonly Command[] = [
  {
    name: 'person export',
    summary: 'write everything that is known of a person into a file',
    details: 'One JSON document. Passwords, tokens and device tokens are not in it.',
    options: { ...who, to: { value: 'FILE', help: 'a file that does not exist yet', required: true } },
    async run(call) {
      const config = call.config();
      const file = resolve(call.text('to') ?? '');
      await withDeps(config, async (services, deps) => {
        const person = await findPerson(call, deps, services);
        const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
        await pipeline(Readable.from(exportPerson(deps, person)), target);
      });
      return { text: `Everything that is known is in ${file}.`, json: { file } };
    },
  },
  {
    name: 'person erase',
    summary: 'erase everything that is known of a person, and show the receipt',
    options: { ...who, yes: yesOption },
    async run(call) {
      const config = call.config();
      const receipt = await withDeps(config, async (services, deps) => {
        const person = await findPerson(call, deps, services);
        confirmDeletion(call, 'everything that is known of this person');
        const erasureId = await begin(services, person);
        return receiptOf(await finishErasure(deps, { appId: person.appId, erasureId }));
      });
      const rows = Object.values(receipt.erased).reduce((sum, count) => sum + count, 0);
      const hosts = (receipt.webhooks ?? []).map(({ host }) => host);
      const webhooks =
        hosts.length === 0 ? '' : ` Webhooks had sent something to ${hosts.join(', ')}: ask them to erase it.`;
      const backups = receipt.backups?.length
        ? ` ${receipt.backups.length} backups still hold it${heldText(receipt)}.`
        : '';
      return { text: `Erased ${rows} rows. The receipt is ${receipt.erasureId}.${webhooks}${backups}`, json: receipt };
    },
  },
];

const heldText = ({ backupsHoldUntil }: { readonly backupsHoldUntil: string | null }) =>
  backupsHoldUntil === null ? ' until somebody deletes them' : `, until ${backupsHoldUntil}`;

function begin({ db, users, beginErasure, deleteInstallation }: Services, person: Person): Promise<string> {
  const { appId, userId, installationIds } = person;
  if (userId !== undefined) return users.erase({ appId, userId }, commandLine);
  return db.transaction(async (db) => {
    const erasureId = await beginErasure(db, { ...person, kind: 'installation', askedBy: 'command line' });
    for (const id of installationIds) await deleteInstallation(db, appId, id);
    return erasureId;
  });
}
