import type { Services } from '../app/services.ts';
import { randomText } from '../base/id.ts';
import { sql } from '../base/sql.ts';
import type { Database, Db } from '../db/db.ts';
import { type DemoMark, findDemoMark, saveDemoMark } from '../features/apps/demo-mark.ts';
import { appName, type Guest } from './guests.ts';
import { museum } from './halls.ts';
import { insertRows } from './rows.ts';
import { buildStructure, type Stage } from './structure.ts';
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
  readonly onStage: <T>(clock: { now: number }, work: (stage: Stage) => Promise<T>) => Promise<T>;
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
  const row = await db.one<{ password_hash: string }>(
    sql`select password_hash from admins where admin_id = ${adminId} and disabled_at is null`,
  );
  return row?.password_hash;
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
    const used = sql`select 1 as used from apps union all select 1 from admins union all select 1 from settings limit 1`;
    isUsed = (await db.one(used)) !== undefined;
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
  await db.run(sql`delete from admins`);
}

const installationColumns =
  'app_id object_id installation_id device_type device_token push_type channels time_zone locale_identifier app_identifier app_name app_version user_id metadata token_dead_at token_dead_reason token_at created_at updated_at';

async function writeInstallations(db: Db, appId: string, guests: readonly Guest[]): Promise<void> {
  const users = await db.all<{ object_id: string }>(
    sql`select object_id from users where app_id = ${appId} and role = 'user' order by object_id`,
  );
  const rows = guests.map((guest, index) => {
    // Each user has one phone, that of a friend of the museum.
    const userId = index % 7 === 0 ? (users[index / 7]?.object_id ?? null) : null;
    const { objectId, installationId, deviceType, deviceToken, pushType, tokenDeadAt, tokenDeadReason } = guest;
    const token = [tokenDeadAt, tokenDeadReason, deviceToken === null ? null : guest.createdAt];
    const home = [JSON.stringify(guest.channels), guest.timeZone, guest.locale];
    const app = [museum.appIdentifier, appName, guest.appVersion, userId, '{"demo":true}'];
    const head = [appId, objectId, installationId, deviceType, deviceToken, pushType];
    return [...head, ...home, ...app, ...token, guest.createdAt, guest.createdAt];
  });
  for (let start = 0; start < rows.length; start += 512)
    await db.transaction((db) =>
      insertRows(db, {
        table: 'installations',
        columns: installationColumns.split(' '),
        rows: rows.slice(start, start + 512),
      }),
    );
}
