import type { Actor } from '../access/audit.ts';
import type { Database } from '../db/db.ts';
import { deleteAllSettings } from '../db/settings.ts';
import { deleteAllAdmins } from '../features/operate/admins/accounts/store.ts';
import { findDemoMark } from '../features/operate/apps/demo-mark.ts';
import type { Services } from '../features/services.ts';

/** Removes a demo from a database that stays: its app, the administrators and all its settings. */
export async function removeDemo(db: Database, { apps }: Pick<Services, 'apps'>, by: Actor): Promise<void> {
  const mark = await findDemoMark(db);
  if (!mark) return;
  for (const { appId } of await apps.list()) await apps.remove(appId, by);
  await db.transaction(async (db) => {
    await deleteAllAdmins(db);
    // The mark of the demo is one of them.
    await deleteAllSettings(db);
  });
}
