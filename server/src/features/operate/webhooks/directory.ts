import { BoundedMap } from '../../../base/caches/bounded-map.ts';
import type { Db } from '../../../db/db.ts';
import type { CacheVersion } from '../../../db/nodes/cache-version.ts';
import { Generations } from '../../../db/nodes/generations.ts';
import * as store from './store.ts';

const maxCachedApps = 1_000;

export interface LiveWebhook {
  readonly row: store.WebhookRow;
  readonly events: ReadonlySet<string>;
}

/** The webhooks of an app that are switched on, in memory until one of them changes. */
export class WebhookDirectory {
  readonly #known = new BoundedMap<string, readonly LiveWebhook[]>(maxCachedApps);
  readonly #generations = new Generations();

  constructor(cacheVersion: Pick<CacheVersion, 'onChange'>) {
    cacheVersion.onChange((appId) => {
      this.#generations.drop(appId);
      if (appId === undefined) this.#known.clear();
      else this.#known.delete(appId);
    });
  }

  /** Those in memory. One that was added at another node a second ago may be missing. */
  known(appId: string): readonly LiveWebhook[] | undefined {
    return this.#known.get(appId);
  }

  async load(db: Db, appId: string): Promise<readonly LiveWebhook[]> {
    const before = this.#generations.of(appId);
    const rows = await store.listWebhooks(db, appId);
    const live = rows
      .filter((row) => row.is_enabled === 1)
      .map((row) => ({ row, events: new Set(JSON.parse(row.events) as string[]) }));
    if (before === this.#generations.of(appId)) this.#known.set(appId, live);
    return live;
  }
}
