import { commandLine, recordChange } from '../../../access/audit.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { CacheVersion } from '../../../db/nodes/cache-version.ts';
import { deleteSetting, findSetting, saveSetting } from '../../../db/settings.ts';
import type { Context } from '../../context.ts';
import { findApp } from './store.ts';

/** Which archive an app comes from, from the beginning of its import until it is deleted. */
const settingOf = (appId: string) => `arrival_${appId}`;

export const hasArrived = async (db: Db, appId: string): Promise<boolean> =>
  (await findSetting(db, settingOf(appId))) !== undefined;

export const forgetArrival = (db: Db, appId: string) => deleteSetting(db, settingOf(appId));

export interface Arrival {
  readonly appId: string;
  /** Of the archive. */
  readonly digest: string;
}

type ArrivalDeps = Pick<Context, 'db' | 'cacheVersion' | 'now' | 'emptyApp'>;

/**
 * An app that comes from another database: its rows first, then the app itself. An interrupted import of the same archive goes on;
 * what another one has left is removed.
 */
export class AppArrival {
  readonly #deps: ArrivalDeps;

  constructor(deps: ArrivalDeps) {
    this.#deps = deps;
  }

  /**
   * What an import would meet: `done` after the same archive, `begun` after its beginning, otherwise `new`.
   *
   * @throws Failure DuplicateValue when the app is there and did not come from this archive
   */
  async state({ appId, digest }: Arrival): Promise<'new' | 'begun' | 'done'> {
    const { db } = this.#deps;
    const known = await findSetting(db, settingOf(appId));
    const row = await findApp(db, appId);
    if (!row) return known === digest ? 'begun' : 'new';
    if (known === digest) return 'done';
    throw fail(
      'DuplicateValue',
      `The app ${appId} (${row.name}) is there already. Nothing was imported. To replace it, delete it first.`,
    );
  }

  /** Removes what is left of an app of this id, if it comes from elsewhere. */
  async begin(arrival: Arrival, state: 'new' | 'begun'): Promise<void> {
    const { db, emptyApp } = this.#deps;
    if (state === 'begun') return;
    // First, so that what a deletion has left to do is not done to what comes now.
    await saveSetting(db, settingOf(arrival.appId), 'cleaning');
    await emptyApp(db, arrival.appId);
    await saveSetting(db, settingOf(arrival.appId), arrival.digest);
  }

  /** `insert` writes the app's own row: from then on it can be called. */
  async finish({ appId }: Arrival, name: string, insert: (db: Db) => Promise<void>): Promise<void> {
    const { db, cacheVersion, now } = this.#deps;
    const site = new CacheVersion(db, 'site');
    await cacheVersion.change(appId, async (db) => {
      await insert(db);
      const what = { by: commandLine, action: 'app.import', subject: appId, appId };
      await recordChange(db, { ...what, after: { name }, now: now() });
      await site.note(db, appId);
    });
  }
}
