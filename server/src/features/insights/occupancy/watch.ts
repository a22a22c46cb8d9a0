import type { Context } from '../../context.ts';

export interface OccupancyWatchDeps extends Pick<Context, 'onError'> {
  readonly check: (appId: string) => Promise<void>;
  /** The apps that have limits, or places that are over one. */
  readonly listApps: () => Promise<readonly string[]>;
  /** Whether this node does the work of an app. */
  readonly owns: (appId: string) => boolean;
}

export const name = 'looking at how many are inside';

/** Checks the apps that have limits; if none has, it queries nothing. */
export class OccupancyWatch {
  readonly #deps: OccupancyWatchDeps;
  #apps: readonly string[] | undefined;
  #checking: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(deps: OccupancyWatchDeps) {
    this.#deps = deps;
  }

  /** Skips the check while one is in progress, so that slow ones do not queue. */
  async checkIfIdle(): Promise<void> {
    if (this.#waiting === 0) await this.check();
  }

  /** Limits may have changed. */
  readonly forget = (): void => {
    this.#apps = undefined;
  };

  /** One check of all apps of this node, after those in progress: what these have read may be older. */
  async check(): Promise<void> {
    this.#waiting++;
    const before = this.#checking;
    const own = before.then(() => this.#check());
    this.#checking = own.catch(() => undefined);
    await own.finally(() => this.#waiting--);
  }

  async #check(): Promise<void> {
    const { listApps, check, owns, onError } = this.#deps;
    if (!this.#apps) {
      // A change while the list is read is found by the next check.
      this.#apps = [];
      try {
        const apps = await listApps();
        this.#apps &&= apps;
      } catch (error) {
        this.#apps = undefined;
        throw error;
      }
    }
    // One app that cannot be counted must not keep the others from being looked at.
    for (const appId of this.#apps ?? [])
      if (owns(appId)) await check(appId).catch((error: unknown) => onError(name, error));
  }
}
