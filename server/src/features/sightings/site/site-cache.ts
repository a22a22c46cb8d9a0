import type { CacheVersion } from '../../../db/cache-version.ts';
import type { Database, Db } from '../../../db/db.ts';
import {
  type AddressParts,
  findBeaconsByAddress,
  findBeaconsById,
  findTriggers,
  type SiteBeacon,
  type SiteTrigger,
} from './site-store.ts';

/** What intake and decisions ask about a place. `db` is the transaction that asks. */
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
  readonly #beacons = new Map<string, SiteBeacon[]>();
  readonly #triggers = new Map<string, readonly SiteTrigger[]>();
  /** Counts drops, so that what was read before a change is not kept after it. */
  #generation = 0;

  constructor(db: Database, cacheVersion: CacheVersion) {
    this.#db = db;
    this.#cacheVersion = cacheVersion;
    cacheVersion.onChange(() => {
      this.#generation++;
      this.#beacons.clear();
      this.#triggers.clear();
    });
  }

  /** Call it once before a batch. */
  fresh(): Promise<void> | undefined {
    return this.#cacheVersion.fresh();
  }

  beaconsById(db: Db, appId: string, ids: readonly string[]): Promise<SiteBeacon[]> {
    const load = (missing: readonly string[]) => findBeaconsById(this.#source(db), appId, missing);
    return this.#find(ids, (id) => `${appId} ${id}`, { load, keyOf: ({ objectId }) => `${appId} ${objectId}` });
  }

  beaconsByAddress(db: Db, appId: string, addresses: readonly AddressParts[]): Promise<SiteBeacon[]> {
    const load = (missing: readonly AddressParts[]) => findBeaconsByAddress(this.#source(db), appId, missing);
    const keyOf = ({ uuidKey, major, minor }: SiteBeacon) => `${appId} ${addressText({ uuid: uuidKey, major, minor })}`;
    return this.#find(addresses, (address) => `${appId} ${addressText(address)}`, { load, keyOf });
  }

  async triggers(db: Db, appId: string, beaconId: string): Promise<readonly SiteTrigger[]> {
    const key = `${appId} ${beaconId}`;
    const known = this.#triggers.get(key);
    if (known) return known;
    const generation = this.#generation;
    const found = await storedSite.triggers(this.#source(db), appId, beaconId);
    if (generation === this.#generation) keep(this.#triggers, key, found);
    return found;
  }

  /** The embedded writer shares a transaction among requests, of which what is not committed must not be remembered. */
  #source(db: Db): Db {
    return this.#db.readsAreLocal ? this.#db : db;
  }

  async #find<Item>(
    items: readonly Item[],
    keyOfItem: (item: Item) => string,
    { load, keyOf }: { load(missing: readonly Item[]): Promise<SiteBeacon[]>; keyOf(beacon: SiteBeacon): string },
  ): Promise<SiteBeacon[]> {
    const known = items.flatMap((item) => this.#beacons.get(keyOfItem(item)) ?? []);
    const missing = items.filter((item) => !this.#beacons.has(keyOfItem(item)));
    if (missing.length === 0) return known;
    const generation = this.#generation;
    const loaded = await load(missing);
    if (generation === this.#generation) {
      for (const [key, beacons] of Map.groupBy(loaded, keyOf)) keep(this.#beacons, key, beacons);
    }
    return [...known, ...loaded];
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= mostEntries) map.clear();
  map.set(key, value);
}
