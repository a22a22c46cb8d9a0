import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from '../../access/audit.ts';
import { createServices } from '../../app/services.ts';
import { type Config, databaseFile, filesFolder } from '../../config/config.ts';
import { lockFolder } from '../../db/folder-lock.ts';
import { secretsFile } from '../../demo/credentials.ts';
import { removeDemo } from '../../demo/remove.ts';
import { findDemoMark } from '../../features/operate/apps/demo-mark.ts';
import { type Command, confirmDeletion, yesOption } from '../support/command.ts';
import { demoSettings } from './demo-service.ts';
import { withDatabase } from './storage.ts';

const noDemo = (where: string) =>
  `There is no demo in ${where}. Nothing was removed. Name its folder with --data or PHAROS_DATA.`;

/** @throws Error unless the configured database is a demo and holds nothing else */
async function assertDemoAlone(config: Config, where: string): Promise<void> {
  if (!config.databaseUrl && !existsSync(databaseFile(config))) throw new Error(noDemo(where));
  await withDatabase(config, async (db) => {
    // A database without our tables is not a demo either.
    const mark = await findDemoMark(db).catch(() => undefined);
    if (!mark) throw new Error(noDemo(where));
    const others = (await createServices({ db, now: Date.now }).apps.list()).filter(
      ({ appId }) => mark.state === 'ready' && appId !== mark.appId,
    );
    if (others.length === 0) return;
    const names = others.map(({ appId, name }) => `${name} (${appId})`).join(', ');
    throw new Error(
      `There are other apps besides the demo in ${where}: ${names}. Nothing was removed. Delete them first with: pharos app delete ID`,
    );
  });
}

async function removeFolder(config: Config): Promise<void> {
  const { dataFolder } = config;
  // Only what Pharos has put there; anything else in the folder stays.
  const file = databaseFile(config);
  const names = [file, `${file}-wal`, `${file}-shm`, filesFolder(config), secretsFile(dataFolder)];
  const own = [...names, ...['secret.key', 'serve.lock', 'backups'].map((name) => join(dataFolder, name))];
  for (const path of own) await rm(path, { recursive: true, force: true });
  await rmdir(dataFolder).catch(() => undefined);
}

export const demoCommand: Command = {
  name: 'demo remove',
  summary: 'delete a demo that pharos serve --demo has made',
  details: 'The folder is ./data-demo unless you name another. Stop the service first.',
  options: { yes: yesOption },
  async run(call) {
    const config = call.config(demoSettings);
    const where = config.databaseUrl ? 'the database' : config.dataFolder;
    if (!config.databaseUrl && !existsSync(databaseFile(config))) throw new Error(noDemo(where));
    const lock = config.databaseUrl ? undefined : await lockFolder(config.dataFolder);
    try {
      await assertDemoAlone(config, where);
      confirmDeletion(call, `the demo in ${where}`);
      if (config.databaseUrl) {
        await withDatabase(config, (db) => removeDemo(db, createServices({ db, now: Date.now }), commandLine));
        await rm(secretsFile(config.dataFolder), { force: true });
      }
    } finally {
      lock?.release();
    }
    if (!config.databaseUrl) await removeFolder(config);
    return { text: `Removed the demo in ${where}.`, json: { removed: where } };
  },
};
