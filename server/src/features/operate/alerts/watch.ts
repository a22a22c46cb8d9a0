import { serviceTimeZone } from '../../../base/clock.ts';
import { deleteSetting, findSetting, insertSetting } from '../../../db/settings.ts';
import { Pace, sweepRest } from '../../../jobs/pace.ts';
import type { ServiceCondition } from '../../condition.ts';
import type { Context } from '../../context.ts';
import { type AlertScope, AlertService } from './service.ts';
import * as store from './store.ts';

export const everyMs = 60_000;
/** Apps are counted by one node at a time, this often. */
const appsEveryMs = 5 * 60_000;
/** Apps are asked one after the other, at a pace at which there are answers to others meanwhile, and soon enough for the next turn. */
const appsWithinMs = 4 * 60_000;
const turnName = 'alerts_checked';
const keptMs = 90 * 86_400_000;

/** Checks every minute for what may need a person. */
export class AlertWatch {
  readonly #context: Context;
  readonly #service: AlertService;
  #isLooking = false;
  #isLookingAtApps = false;
  #isStopped = false;

  constructor(context: Context) {
    this.#context = context;
    this.#service = new AlertService(context);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** One check of the service, and of the apps if it is this node's turn. */
  async check(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#checkService();
    } finally {
      this.#isLooking = false;
    }
    if (this.#isLookingAtApps) return;
    this.#isLookingAtApps = true;
    try {
      if (await this.#takeTurn()) await this.#checkApps();
    } finally {
      this.#isLookingAtApps = false;
    }
  }

  /**
   * Follows what one finder has found in an app; `covers`: the keys of conditions that it can find. In an app that is switched off no
   * alert begins, but open ones end with a notice.
   */
  async follow(appId: string, found: readonly ServiceCondition[], covers: (key: string) => boolean): Promise<void> {
    const { db, listApps } = this.#context;
    const app = (await listApps(db)).find((one) => one.app_id === appId);
    if (app && (app.disabled_at === null || found.length === 0))
      await this.#service.follow(this.#scopeOf(app), found, covers);
  }

  sweep(): Promise<void> {
    const { db, now } = this.#context;
    return store.deleteOldAlerts(db, now() - keptMs);
  }

  #scopeOf(app: Awaited<ReturnType<Context['listApps']>>[number]): AlertScope {
    return { appId: app.app_id, name: app.name, timeZone: this.#context.policyOf(app).timeZone };
  }

  async #checkService(): Promise<void> {
    const { findServiceConditions, backupSchedule, node } = this.#context;
    // Digests about the service come in its morning.
    const scope = { appId: store.serviceScope, name: 'Pharos', timeZone: serviceTimeZone() };
    const found = [...(await findServiceConditions()), ...(await backupSchedule.conditions())];
    const own = (key: string) => !key.includes('@') || key.endsWith(`@${node}`);
    await this.#service.follow(scope, found, own);
    await this.#service.digest(scope);
  }

  async #checkApps(): Promise<void> {
    const { db, listApps, readAttention } = this.#context;
    const asked = new Set([...(await appsToLookAt(this.#context)), ...(await store.appsWithOpenAlerts(db))]);
    const apps = (await listApps(db)).filter(({ disabled_at }) => disabled_at === null);
    // Some of them have nothing to be asked, so the rests are rather too short.
    let left = apps.length;
    const pace = new Pace({ rest: sweepRest, withinMs: appsWithinMs });
    let failure: unknown;
    for (const app of apps) {
      if (this.#isStopped) break;
      const scope = this.#scopeOf(app);
      let isAsked = asked.has(scope.appId);
      try {
        if (isAsked) await this.#service.follow(scope, (await readAttention(scope.appId)).findings);
        if (await this.#service.digest(scope)) isAsked = true;
      } catch (error) {
        // One app that cannot be counted must not hide the others.
        failure = error;
      }
      left--;
      if (isAsked) await pace.rest(left);
    }
    if (failure) throw failure;
  }

  /** Several nodes checking at once would send nothing twice, but do the work twice. */
  async #takeTurn(): Promise<boolean> {
    const { db, now } = this.#context;
    const last = await findSetting(db, turnName);
    // A time in the future is that of a clock that was set back.
    if (last !== undefined && Number(last) <= now() && now() - Number(last) < appsEveryMs - everyMs / 2) return false;
    return db.transaction(async (db) => {
      if (last !== undefined && !(await deleteSetting(db, turnName, last))) return false;
      return insertSetting(db, turnName, String(now()));
    });
  }
}

/**
 * The apps in which anything may need a person; the others are not asked. What is found in an app has its row in one of these tables, unless
 * it is of a quota, which may be nothing at all.
 */
async function appsToLookAt(context: Context): Promise<ReadonlySet<string>> {
  const { db, appsWith, listApps, policyOf, dataTables, insightTables, messageTables, operateTables } = context;
  const { buckets, files, trash } = dataTables;
  const { crowdedPlaces, reportMails } = insightTables;
  const tables = [context.beaconTable, context.installationTable, files, ...Object.values(messageTables)];
  const others = [...Object.values(operateTables), crowdedPlaces, reportMails, trash, buckets];
  const found = new Set<string>();
  for (const table of [...tables, ...others]) for (const appId of await appsWith(table)) found.add(appId);
  for (const app of await listApps(db)) if (Object.values(policyOf(app).quotas).includes(0)) found.add(app.app_id);
  return found;
}
