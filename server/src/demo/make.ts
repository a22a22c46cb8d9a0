import { randomText } from '../base/id.ts';
import type { Database, Db } from '../db/db.ts';
import { hasSettings } from '../db/settings.ts';
import { deleteAllAdmins, findAdmin, hasAdmin } from '../features/operate/admins/accounts/store.ts';
import { type DemoMark, findDemoMark, saveDemoMark } from '../features/operate/apps/demo-mark.ts';
import { listApps } from '../features/operate/apps/store.ts';
import { installations } from '../features/people/installations/resource.ts';
import { listUserIds } from '../features/people/users/store.ts';
import type { Services } from '../features/services.ts';
import { appName, type Guest } from './guests.ts';
import { museum } from './halls.ts';
import { insertNew } from './rows.ts';
import { buildStructure, type DemoStage } from './structure.ts';
import { planYear, type Year } from './year.ts';

/** Creates a demo in an empty database, or finds the existing one. */

export const demoAdministrator = 'demo@skerrypoint.example';
const usualSeed = 'skerry-point';

export interface Made {
  readonly mark: DemoMark;
  /** Planned before the service listens, because it takes a moment. */
  readonly year: Year;
  /** Only when it was created just now. */
  readonly secrets?: { readonly appKey: string; readonly password: string };
}

export interface Making {
  readonly db: Database;
  readonly services: Pick<Services, 'apps'>;
  readonly now: number;
  readonly seed?: string;
  /** Opens a service on the same database with this clock while `work` runs. */
  readonly onStage: <T>(clock: { now: number }, work: (stage: DemoStage) => Promise<T>) => Promise<T>;
}

/** For a database that `assertDemoOrEmpty` has accepted. */
export async function makeDemo(making: Making): Promise<Made> {
  const { db, services, now, seed = usualSeed } = making;
  const found = await findDemoMark(db);
  if (found?.state === 'ready') return { mark: found, year: planYear(found.seed, found.madeAt) };
  if (found) await clearHalf(db, services);
  const nothing = { seed, madeAt: now, appId: '', userId: '', adminId: '', passwordHash: '', step: 0, rows: 0 };
  await saveDemoMark(db, { state: 'building', ...nothing });
  const password = randomText(16);
  const built = await making.onStage({ now }, async (stage) => {
    const { appId, appKey, userId } = await buildStructure(stage, now);
    const owner = { email: demoAdministrator, name: 'Demo owner', role: 'owner', password } as const;
    const { adminId } = await stage.admins.create(owner, { name: 'demo', address: null });
    return { appId, appKey, userId, adminId };
  });
  const { appId, appKey, userId, adminId } = built;
  const year = planYear(seed, now);
  await writeInstallations(db, appId, year.guests);
  const passwordHash = (await findPasswordHash(db, adminId)) ?? '';
  const mark: DemoMark = { ...nothing, state: 'ready', appId, userId, adminId, passwordHash };
  await saveDemoMark(db, mark);
  return { mark, year, secrets: { appKey, password } };
}

export async function findPasswordHash(db: Db, adminId: string): Promise<string | undefined> {
  const admin = await findAdmin(db, adminId);
  return admin?.disabled_at === null ? (admin.password_hash ?? undefined) : undefined;
}

/**
 * Call it before anything is changed, migrations included.
 *
 * @throws Error when the database holds something that is not a demo
 */
export async function assertDemoOrEmpty(db: Db): Promise<void> {
  let isUsed = false;
  try {
    if (await findDemoMark(db)) return;
    isUsed = (await listApps(db)).length > 0 || (await hasAdmin(db)) || (await hasSettings(db));
  } catch {
    // No tables yet. The migrations that follow report anything else that is wrong with the database.
  }
  if (isUsed) throw new Error(notEmpty('The database holds data that is not the demo of Pharos.'));
}

export const notEmpty = (what: string) =>
  `${what} Nothing was changed. Choose an empty folder with --data FOLDER, or leave --data and PHAROS_DATA out for ./data-demo.`;

/** The process ended during the creation, and nobody was served: everything that exists was created by it. */
async function clearHalf(db: Db, { apps }: Pick<Services, 'apps'>): Promise<void> {
  for (const { appId } of await apps.list()) await apps.remove(appId);
  await deleteAllAdmins(db);
}

async function writeInstallations(db: Db, appId: string, guests: readonly Guest[]): Promise<void> {
  const users = await listUserIds(db, appId, 'user');
  const rows = guests.map((guest, index) => {
    // Each user has one phone, that of a friend of the museum.
    const userId = index % 7 === 0 ? (users[index / 7] ?? null) : null;
    return {
      app_id: appId,
      object_id: guest.objectId,
      installation_id: guest.installationId,
      device_type: guest.deviceType,
      device_token: guest.deviceToken,
      push_type: guest.pushType,
      channels: JSON.stringify(guest.channels),
      time_zone: guest.timeZone,
      locale_identifier: guest.locale,
      app_identifier: museum.appIdentifier,
      app_name: appName,
      app_version: guest.appVersion,
      user_id: userId,
      metadata: '{"demo":true}',
      token_dead_at: guest.tokenDeadAt,
      token_dead_reason: guest.tokenDeadReason,
      token_at: guest.deviceToken === null ? null : guest.createdAt,
      created_at: guest.createdAt,
      updated_at: guest.createdAt,
    };
  });
  for (let start = 0; start < rows.length; start += 512)
    await db.transaction((db) => insertNew(db, installations.table, rows.slice(start, start + 512)));
}
