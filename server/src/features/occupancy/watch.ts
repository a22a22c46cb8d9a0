import type { InBackground } from '../feature.ts';

export interface OccupancyWatchDeps {
  readonly inBackground: InBackground;
  readonly look: (appId: string) => Promise<void>;
  /** The apps that have limits, or places that are over one. */
  readonly listApps: () => Promise<readonly string[]>;
  /** Whether this node does the work of an app. */
  readonly owns: (appId: string) => boolean;
  readonly onError: (what: string, error: unknown) => void;
}

const everyMs = 10_000;
const name = 'looking at how many are inside';

/** Looks every ten seconds at the apps that have limits; where none has, it asks nothing. */
export class OccupancyWatch {
  readonly #deps: OccupancyWatchDeps;
  #timer: NodeJS.Timeout | undefined;
  #apps: readonly string[] | undefined;
  #looking: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(deps: OccupancyWatchDeps) {
    this.#deps = deps;
  }

  start(): void {
    const look = () => {
      // A look that takes longer than it should is not followed by a queue of others.
      if (this.#waiting === 0) this.#deps.inBackground(name, () => this.look());
    };
    // What was over its limit when the service stopped may be over it still, or no longer.
    look();
    this.#timer = setInterval(look, everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Limits may have changed. */
  readonly forget = (): void => {
    this.#apps = undefined;
  };

  /** One look at all apps of this node, after those that are under way: what these have read may be from before. */
  async look(): Promise<void> {
    this.#waiting++;
    const before = this.#looking;
    const own = before.then(() => this.#look());
    this.#looking = own.catch(() => undefined);
    await own.finally(() => this.#waiting--);
  }

  async #look(): Promise<void> {
    const { listApps, look, owns, onError } = this.#deps;
    if (!this.#apps) {
      // A change while the list is read is found by the next look.
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
      if (owns(appId)) await look(appId).catch((error: unknown) => onError(name, error));
  }
}
