import { deleteSetting, findSetting, insertSetting } from '../../../db/settings.ts';
import { Pace, sweepRest } from '../../../jobs/pace.ts';
import type { ServiceCondition } from '../../condition.ts';
import type { Context } from '../../context.ts';
import type { AlertScope, AlertService } from './service.ts';
import * as store from './store.ts';

export interface AlertWatchDeps
  extends Pick<Context, 'db' | 'now' | 'inBackground' | 'findServiceConditions' | 'node'> {
  readonly service: AlertService;
  /** Of the service; digests about it come in its morning. */
  readonly timeZone: string;
  readonly listApps: () => Promise<readonly (AlertScope & { readonly isDisabled: boolean })[]>;
  /** Those in which there may be conditions; of the others nothing has to be found out. */
  readonly listAppsToLookAt: () => Promise<ReadonlySet<string>>;
  readonly findAppConditions: (appId: string) => Promise<readonly ServiceCondition[]>;
}

const everyMs = 60_000;
/** Apps are counted by one node at a time, this often. */
const appsEveryMs = 5 * 60_000;
/** Apps are asked one after the other, at a pace at which there are answers to others meanwhile, and soon enough for the next turn. */
const appsWithinMs = 4 * 60_000;
const turnName = 'alerts_checked';
const keptMs = 90 * 86_400_000;

/** Checks every minute for what may need a person. */
export class AlertWatch {
  readonly #deps: AlertWatchDeps;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isLookingAtApps = false;
  #isStopped = false;

  constructor(deps: AlertWatchDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { inBackground } = this.#deps;
    this.#timer = setInterval(() => inBackground('looking for what needs a person', () => this.check()), everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
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
   * One check of what one kind of finder knows about an app; `covers`: the keys that it can find to be gone. Of an app that is switched off
   * nothing begins, but whoever was told of something is told that it is over.
   */
  async follow(appId: string, found: readonly ServiceCondition[], covers: (key: string) => boolean): Promise<void> {
    const { service, listApps } = this.#deps;
    const app = (await listApps()).find((one) => one.appId === appId);
    if (app && (!app.isDisabled || found.length === 0)) await service.follow(app, found, covers);
  }

  sweep(): Promise<void> {
    const { db, now } = this.#deps;
    return store.deleteOldAlerts(db, now() - keptMs);
  }

  async #checkService(): Promise<void> {
    const { service, findServiceConditions, node, timeZone } = this.#deps;
    const scope = { appId: store.serviceScope, name: 'Pharos', timeZone };
    const found = await findServiceConditions();
    const own = (key: string) => !key.includes('@') || key.endsWith(`@${node}`);
    await service.follow(scope, found, own);
    await service.digest(scope);
  }

  async #checkApps(): Promise<void> {
    const { db, service, listApps, listAppsToLookAt, findAppConditions } = this.#deps;
    const asked = new Set([...(await listAppsToLookAt()), ...(await store.appsWithOpenAlerts(db))]);
    const apps = (await listApps()).filter(({ isDisabled }) => !isDisabled);
    // Some of them have nothing to be asked, so the rests are rather too short.
    let left = apps.length;
    const pace = new Pace({ rest: sweepRest, withinMs: appsWithinMs });
    let failure: unknown;
    for (const { isDisabled: _, ...scope } of apps) {
      if (this.#isStopped) break;
      let isAsked = asked.has(scope.appId);
      try {
        if (isAsked) await service.follow(scope, await findAppConditions(scope.appId));
        if (await service.digest(scope)) isAsked = true;
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
    const { db, now } = this.#deps;
    const last = await findSetting(db, turnName);
    // A time in the future is that of a clock that was set back.
    if (last !== undefined && Number(last) <= now() && now() - Number(last) < appsEveryMs - everyMs / 2) return false;
    return db.transaction(async (db) => {
      if (last !== undefined && !(await deleteSetting(db, turnName, last))) return false;
      return insertSetting(db, turnName, String(now()));
    });
  }
}
