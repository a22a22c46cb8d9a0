import { PairCache } from '../../../base/caches/pair-cache.ts';
import type { Database, Db } from '../../../db/db.ts';
import type { CacheVersion } from '../../../db/nodes/cache-version.ts';
import { Generations } from '../../../db/nodes/generations.ts';
import { type AddressParts, findBeaconsByAddress, findBeaconsById, type SiteBeacon } from './site-store.ts';
import { findTriggers, type SiteTrigger } from './trigger-store.ts';

/** What intake and decisions read about a place. `db` is their transaction. */
export interface SiteReads {
  beaconsById(db: Db, appId: string, ids: readonly string[]): Promise<SiteBeacon[]>;
  beaconsByAddress(db: Db, appId: string, addresses: readonly AddressParts[]): Promise<SiteBeacon[]>;
  triggers(db: Db, appId: string, beaconId: string): Promise<readonly SiteTrigger[]>;
}

/** Straight from the database. */
export const storedSite: SiteReads = {
  beaconsById: findBeaconsById,
  beaconsByAddress: findBeaconsByAddress,
  triggers: async (db, appId, beaconId) => (await findTriggers(db, appId, [beaconId])).get(beaconId) ?? [],
};

const mostEntries = 20_000;
const addressText = ({ uuid, major, minor }: AddressParts) => `${uuid}:${major}:${minor}`;

/**
 * The same from memory. Beacons and messages change rarely and are asked for with every batch; every write of them notes
 * the `site` cache version, and then all of it is dropped. What does not exist is not remembered.
 */
export class SiteCache implements SiteReads {
  readonly #db: Database;
  readonly #cacheVersion: CacheVersion;
  /** By app and id, or by app and address. */
  readonly #beacons = new PairCache<SiteBeacon[]>(mostEntries);
  /** By app and beacon. */
  readonly #triggers = new PairCache<readonly SiteTrigger[]>(mostEntries);
  readonly #generations = new Generations();

  constructor(db: Database, cacheVersion: CacheVersion) {
    this.#db = db;
    this.#cacheVersion = cacheVersion;
    cacheVersion.onChange((appId) => {
      this.#generations.drop(appId);
      for (const kept of [this.#beacons, this.#triggers]) {
        if (appId === undefined) kept.clear();
        else kept.forget(appId);
      }
    });
  }

  /** Call it once before a batch. */
  fresh(): Promise<void> | undefined {
    return this.#cacheVersion.fresh();
  }

  beaconsById(db: Db, appId: string, ids: readonly string[]): Promise<SiteBeacon[]> {
    const load = (missing: readonly string[]) => findBeaconsById(this.#source(db), appId, missing);
    return this.#find(appId, ids, { load, keyOfItem: (id) => id, keyOf: ({ objectId }) => objectId });
  }

  beaconsByAddress(db: Db, appId: string, addresses: readonly AddressParts[]): Promise<SiteBeacon[]> {
    const load = (missing: readonly AddressParts[]) => findBeaconsByAddress(this.#source(db), appId, missing);
    const keyOf = ({ uuidKey, major, minor }: SiteBeacon) => addressText({ uuid: uuidKey, major, minor });
    return this.#find(appId, addresses, { load, keyOfItem: addressText, keyOf });
  }

  async triggers(db: Db, appId: string, beaconId: string): Promise<readonly SiteTrigger[]> {
    const known = this.#triggers.get(appId, beaconId);
    if (known) return known;
    const generation = this.#generations.of(appId);
    const found = await storedSite.triggers(this.#source(db), appId, beaconId);
    if (generation === this.#generations.of(appId)) this.#triggers.set(appId, beaconId, found);
    return found;
  }

  /** The embedded writer shares a transaction among requests, of which what is not committed must not be remembered. */
  #source(db: Db): Db {
    return this.#db.readsAreLocal ? this.#db : db;
  }

  async #find<Item>(
    appId: string,
    items: readonly Item[],
    { load, keyOfItem, keyOf }: Finding<Item>,
  ): Promise<SiteBeacon[]> {
    const known: SiteBeacon[] = [];
    const missing: Item[] = [];
    for (const item of items) {
      const kept = this.#beacons.get(appId, keyOfItem(item));
      if (kept) known.push(...kept);
      else missing.push(item);
    }
    if (missing.length === 0) return known;
    const generation = this.#generations.of(appId);
    const loaded = await load(missing);
    if (generation === this.#generations.of(appId)) {
      for (const [key, beacons] of Map.groupBy(loaded, keyOf)) this.#beacons.set(appId, key, beacons);
    }
    return [...known, ...loaded];
  }
}

interface Finding<Item> {
  load(missing: readonly Item[]): Promise<SiteBeacon[]>;
  keyOfItem(item: Item): string;
  keyOf(beacon: SiteBeacon): string;
}
