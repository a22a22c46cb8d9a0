import type { Sensitivity } from '@pharos/engine';
import {
  type BeaconPlace,
  type LearnedOfPower,
  placeOfBeacon,
  type SiteTrigger,
  type SiteVenue,
  siteVenue,
} from '@pharos/engine/decide';
import { PairCache } from '../../../../base/caches/pair-cache.ts';
import { type Sql, sql } from '../../../../base/sql.ts';
import type { Database, Db, Row } from '../../../../db/db.ts';
import type { CacheVersion } from '../../../../db/nodes/cache-version.ts';
import { Generations } from '../../../../db/nodes/generations.ts';
import { findSignals } from './signals.ts';
import { findByEach, findTriggers } from './triggers.ts';

/** The beacons of a place and the phones there, as the engine needs them. Read only; other features write it. */

/** A beacon as the engine needs it. */
export interface SiteBeacon extends BeaconPlace {
  readonly uuidKey: string;
  readonly major: number;
  readonly minor: number;
  readonly gatewayKey: string | null;
}

interface BeaconRow extends Row {
  readonly object_id: string;
  readonly uuid_key: string;
  readonly major: number;
  readonly minor: number;
  readonly gateway_key: string | null;
  readonly metadata: string;
  readonly measured_power: number | null;
  readonly sensitivity: string | null;
  readonly radius: number | null;
  readonly location: string | null;
  readonly venue_id: string | null;
  readonly learned: string | null;
}

const beaconColumns = sql`object_id, uuid_key, major, minor, gateway_key, metadata, measured_power, sensitivity, radius, location, venue_id,
  (select learned from beacon_radio where beacon_radio.app_id = beacons.app_id and beacon_id = object_id) as learned`;

function toBeacon(row: BeaconRow, venues: ReadonlyMap<string, SiteVenue>): SiteBeacon {
  const { object_id, uuid_key, major, minor, gateway_key, metadata, location, measured_power, learned } = row;
  const place = placeOfBeacon(
    {
      objectId: object_id,
      metadata: JSON.parse(metadata),
      measuredPower: measured_power,
      sensitivity: row.sensitivity as Sensitivity | null,
      radius: row.radius,
      location: location === null ? null : JSON.parse(location),
    },
    {
      venue: row.venue_id === null ? undefined : venues.get(row.venue_id),
      learned: learned === null ? undefined : (JSON.parse(learned) as LearnedOfPower),
    },
  );
  return { ...place, uuidKey: uuid_key, major, minor, gatewayKey: gateway_key };
}

interface VenueRow extends Row {
  readonly object_id: string;
  readonly time_zone: string | null;
  readonly opening_hours: string | null;
  readonly exceptions: string;
}

/** Beacons share the hours of their venue, which may have a thousand exceptions. */
async function withVenues(db: Db, appId: string, rows: readonly BeaconRow[]): Promise<SiteBeacon[]> {
  const ids = [...new Set(rows.flatMap(({ venue_id }) => venue_id ?? []))];
  const found =
    ids.length === 0
      ? []
      : await findByEach<VenueRow, string>(
          db,
          ids,
          (id) => sql`object_id = ${id}`,
          (conditions) => sql`select object_id, time_zone, opening_hours, exceptions from venues
            where app_id = ${appId} and (${conditions})`,
        );
  const venues = new Map(found.map((row) => [row.object_id, toVenue(row)]));
  return rows.map((row) => toBeacon(row, venues));
}

const toVenue = ({ time_zone, opening_hours, exceptions }: VenueRow): SiteVenue =>
  siteVenue({
    timeZone: time_zone,
    openingHours: opening_hours === null ? null : JSON.parse(opening_hours),
    exceptions: JSON.parse(exceptions),
  });

async function findBeacons<Item>(
  db: Db,
  appId: string,
  items: readonly Item[],
  condition: (item: Item) => Sql,
): Promise<SiteBeacon[]> {
  const rows = await findByEach<BeaconRow, Item>(
    db,
    items,
    condition,
    (conditions) =>
      sql`select ${beaconColumns} from beacons where app_id = ${appId} and (${conditions}) order by object_id limit 1000`,
  );
  return withVenues(db, appId, rows);
}

export const findBeaconsById = (db: Db, appId: string, ids: readonly string[]) =>
  findBeacons(db, appId, ids, (id) => sql`object_id = ${id}`);

/** Adds what surveys have taught about each beacon. */
async function surveyed(db: Db, appId: string, ids: readonly string[]): Promise<SiteBeacon[]> {
  const maps = await findSignals(db, appId, ids);
  return (await findBeaconsById(db, appId, ids)).map((one) => ({ ...one, map: maps.get(one.objectId) }));
}

export interface AddressParts {
  readonly uuid: string;
  readonly major: number;
  readonly minor: number;
}

/** Oldest first, since several beacons may have one address. */
export const findBeaconsByAddress = (db: Db, appId: string, addresses: readonly AddressParts[]) =>
  findBeacons(
    db,
    appId,
    addresses,
    ({ uuid, major, minor }) => sql`(uuid_key = ${uuid} and major = ${major} and minor = ${minor})`,
  );

/** The beacons of a region that names no minor, or neither major nor minor; two are enough to know that it is unclear. */
export async function findBeaconsInRegion(db: Db, appId: string, uuid: string, major: number): Promise<SiteBeacon[]> {
  const rows = await db.all<BeaconRow>(
    sql`select ${beaconColumns} from beacons where app_id = ${appId} and uuid_key = ${uuid}
      and (${major} = 0 or major = ${major}) order by object_id limit 2`,
  );
  return withVenues(db, appId, rows);
}

export const findBeaconsByGateway = (db: Db, appId: string, gateways: readonly string[]) =>
  findBeacons(db, appId, gateways, (gateway) => sql`gateway_key = ${gateway}`);

export interface Tagged {
  readonly object_id: string;
  readonly advertised_key: string;
}

export function findInstallationsByTag(db: Db, appId: string, keys: readonly string[]): Promise<Tagged[]> {
  return findByEach<Tagged, string>(
    db,
    keys,
    (key) => sql`advertised_key = ${key}`,
    (conditions) =>
      sql`select object_id, advertised_key from installations where app_id = ${appId} and (${conditions}) order by object_id`,
  );
}

const maxIrks = 1_000;

/** The keys of the tags whose address changes: 32 hexadecimal digits. */
export async function findIrks(db: Db, appId: string): Promise<readonly string[]> {
  const rows = await db.all<{ advertised_key: string }>(
    sql`select advertised_key from installations where app_id = ${appId} and advertised_key like 'irk:%' limit ${maxIrks}`,
    { tenant: appId },
  );
  return rows.flatMap(({ advertised_key: key }) => /^irk:([0-9a-f]{32})$/.exec(key)?.[1] ?? []);
}

/** The objectId of the installation that is meant, by the client's own id or by ours. */
export async function findInstallationId(db: Db, appId: string, id: string): Promise<string | undefined> {
  const own = await db.one<{ object_id: string }>(
    sql`select object_id from installations where app_id = ${appId} and installation_id = ${id}`,
  );
  if (own) return own.object_id;
  const ours = await db.one<{ object_id: string }>(
    sql`select object_id from installations where app_id = ${appId} and object_id = ${id}`,
  );
  return ours?.object_id;
}

/** The language and region that an installation has reported. */
export async function findLocale(db: Db, appId: string, installationId: string): Promise<string | null> {
  const row = await db.one<{ locale_identifier: string | null }>(
    sql`select locale_identifier from installations where app_id = ${appId} and object_id = ${installationId}`,
  );
  return row?.locale_identifier ?? null;
}

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

const maxEntries = 20_000;
const addressText = ({ uuid, major, minor }: AddressParts) => `${uuid}:${major}:${minor}`;

/** A cache of the site. Beacons and messages change rarely and are asked for with every batch; every write of them notes
 * the `site` cache version, and then all of it is dropped. What does not exist is not remembered.
 */
export class SiteCache implements SiteReads {
  readonly #db: Database;
  readonly #cacheVersion: CacheVersion;
  /** By app and id, or by app and address. */
  readonly #beacons = new PairCache<SiteBeacon[]>(maxEntries);
  /** By app and beacon. */
  readonly #triggers = new PairCache<readonly SiteTrigger[]>(maxEntries);
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

  /** Makes sure that nothing outdated is answered; call it once before a batch. */
  fresh(): Promise<void> | undefined {
    return this.#cacheVersion.fresh();
  }

  beaconsById(db: Db, appId: string, ids: readonly string[]): Promise<SiteBeacon[]> {
    const load = (missing: readonly string[]) => surveyed(this.#source(db), appId, missing);
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
