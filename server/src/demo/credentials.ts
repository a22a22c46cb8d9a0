import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomText } from '../base/id.ts';
import type { Database } from '../db/db.ts';
import type { AdminService } from '../features/operate/admins/accounts/service.ts';
import { type DemoMark, saveDemoMark } from '../features/operate/apps/demo-mark.ts';
import type { AppService } from '../features/operate/apps/service.ts';
import { demoAdministrator, findPasswordHash, type Made } from './make.ts';

/**
 * The sign-in of a demo, in a file of its folder that only its user can read, so that every start prints the same one.
 * A password that somebody has chosen is never replaced.
 */
export interface DemoSecrets {
  readonly appKey: string;
  /** Undefined when somebody has chosen another password. */
  readonly password: string | undefined;
}

export const secretsFile = (dataFolder: string) => join(dataFolder, 'demo.env');

interface Opening {
  readonly db: Database;
  readonly dataFolder: string;
  readonly url: string;
  readonly apps: AppService;
  readonly admins: AdminService;
}

const by = { name: 'demo', address: null };

export async function openSecrets(made: Made, opening: Opening): Promise<DemoSecrets> {
  const { mark } = made;
  const written = made.secrets ?? (await readSecrets(opening.dataFolder, mark.appId));
  const appKey = written?.appKey ?? (await opening.apps.keys.rotate(mark.appId, by)).appKey;
  const hash = await findPasswordHash(opening.db, mark.adminId);
  const isOurs = hash !== undefined && hash === mark.passwordHash;
  const password = isOurs ? (written?.password ?? (await newPassword(mark, opening))) : undefined;
  const lines = [
    `export APP_ID=${mark.appId}`,
    `export APP_KEY=${appKey}`,
    `export BASE_URL=${opening.url}`,
    ...(password === undefined ? [] : [`export DEMO_EMAIL=${demoAdministrator}`, `export DEMO_PASSWORD=${password}`]),
  ];
  await writeFile(secretsFile(opening.dataFolder), `${lines.join('\n')}\n`, { mode: 0o600 });
  return { appKey, password };
}

async function newPassword(mark: DemoMark, { db, admins }: Opening): Promise<string> {
  const password = randomText(16);
  const { password_hash: passwordHash } = await admins.setPassword(mark.adminId, password, by);
  await saveDemoMark(db, { ...mark, passwordHash: passwordHash ?? '' });
  return password;
}

async function readSecrets(dataFolder: string, appId: string): Promise<DemoSecrets | undefined> {
  const text = await readFile(secretsFile(dataFolder), 'utf8').catch(() => '');
  const value = (name: string) => new RegExp(`^export ${name}=(\\S+)$`, 'm').exec(text)?.[1];
  const [appKey, password] = [value('APP_KEY'), value('DEMO_PASSWORD')];
  return appKey !== undefined && value('APP_ID') === appId ? { appKey, password } : undefined;
}
