import type { Variants } from '../../../access/experiment.ts';
import { joinSql, type Sql, sql } from '../../../base/sql.ts';
import type { Db, Row } from '../../../db/db.ts';
import type { Translations, Worded } from '../../../delivery/push/translations.ts';
import {
  type HoursException,
  type PresenceSettings,
  readHours,
  type Sensitivity,
  type ShownDay,
  siteTimeZone,
  type Trigger,
  type VenueHours,
  type WeeklyOpening,
} from '../../../proximity/index.ts';
import type { StoredLearned } from './radio.ts';
import { type StoredDelivery, toTimeZone, toTriggerPolicy } from './trigger-policy.ts';

/** What is configured at a place: its beacons and what they may trigger. Read only; other features write it. */

/** A beacon as the engine needs it. */
export interface SiteBeacon {
  readonly objectId: string;
  readonly uuidKey: string;
  readonly major: number;
  readonly minor: number;
  readonly gatewayKey: string | null;
  /** Its own, else that of its venue. */
  readonly timeZone: string | undefined;
  /** The opening hours of its venue. */
  readonly hours: VenueHours | undefined;
  readonly settings: PresenceSettings;
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

/** Lists are cut and padded to a few lengths, so that a few prepared statements serve all batches. */
const lengths = [1, 4, 16, 64] as const;

/** Runs one statement for each up to 64 items and joins the rows. `condition` is repeated with `or` for each item. */
async function findByEach<T extends object, Item>(
  db: Db,
  items: readonly Item[],
  condition: (item: Item) => Sql,
  select: (conditions: Sql) => Sql,
): Promise<T[]> {
  const found: T[] = [];
  for (let start = 0; start < items.length; start += 64) {
    const part = items.slice(start, start + 64);
    const length = lengths.find((candidate) => candidate >= part.length) ?? 64;
    const conditions = Array.from({ length }, (_, index) => condition(part[Math.min(index, part.length - 1)] as Item));
    found.push(...(await db.all<T>(select(joinSql(conditions, ' or ')))));
  }
  return found;
}

function toBeacon(row: BeaconRow, venues: ReadonlyMap<string, SiteVenue>): SiteBeacon {
  const metadata = JSON.parse(row.metadata) as Readonly<Record<string, unknown>>;
  const { timeZone, receiverOffsets } = metadata;
  const venue = row.venue_id === null ? undefined : venues.get(row.venue_id);
  return {
    objectId: row.object_id,
    uuidKey: row.uuid_key,
    major: row.major,
    minor: row.minor,
    gatewayKey: row.gateway_key,
    timeZone: ownZone(timeZone) ?? venue?.timeZone,
    hours: venue?.hours,
    settings: {
      ...(row.measured_power === null ? {} : { measuredPower: row.measured_power }),
      ...(row.sensitivity === null ? {} : { sensitivity: row.sensitivity as Sensitivity }),
      ...(row.radius === null ? {} : { radius: row.radius }),
      ...offsets(receiverOffsets),
      ...placeOf(row.location),
      ...learnedUnder(row),
    },
  };
}

/** A name that is no time zone is passed over, as it always was. */
const ownZone = (name: unknown): string | undefined =>
  typeof name === 'string' && siteTimeZone([name]) === name ? name : undefined;

interface SiteVenue {
  readonly timeZone: string | undefined;
  readonly hours: VenueHours | undefined;
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

function toVenue({ time_zone, opening_hours, exceptions }: VenueRow): SiteVenue {
  const timeZone = time_zone ?? undefined;
  const week = opening_hours === null ? undefined : (JSON.parse(opening_hours) as WeeklyOpening[]);
  const others = JSON.parse(exceptions) as HoursException[];
  const isKnown = week !== undefined || others.length > 0;
  return { timeZone, hours: isKnown ? readHours(timeZone, week, others) : undefined };
}

/** What was learned under another measured power says nothing. */
function learnedUnder({ learned, measured_power }: BeaconRow): Pick<PresenceSettings, 'learned'> {
  if (learned === null) return {};
  const { power, ...correction } = JSON.parse(learned) as StoredLearned;
  return power === measured_power ? { learned: correction } : {};
}

/** A location without numeric x and y is for the owner's eyes only. */
function placeOf(location: string | null): Pick<PresenceSettings, 'location'> {
  const { x, y, z, floor } = (location === null ? {} : JSON.parse(location)) as Readonly<Record<string, unknown>>;
  if (!isMetres(x) || !isMetres(y)) return {};
  return { location: { x, y, ...(isMetres(z) ? { z } : {}), ...(isMetres(floor) ? { floor } : {}) } };
}

/** No site is larger than this, m; beyond it a location is in another unit. */
const FARTHEST = 100_000;
const isMetres = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= FARTHEST;

function offsets(value: unknown): Pick<PresenceSettings, 'receiverOffsets'> {
  if (typeof value !== 'object' || value === null) return {};
  const usable = Object.entries(value).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
  return usable.length === 0 ? {} : { receiverOffsets: Object.fromEntries(usable) };
}

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

/** What an app shows when a trigger fires: the notification's or the scenario's own members. */
export type Content = Readonly<Record<string, unknown>>;

export interface SiteTrigger {
  readonly trigger: Trigger;
  readonly content: Content;
  /** The same of each variant, by its name. */
  readonly variants?: ReadonlyMap<string, Content>;
  /** The languages that it is written in. */
  readonly words: Worded;
}

interface NotificationRow extends Row {
  readonly object_id: string;
  readonly beacon_id: string;
  readonly description: string;
  readonly event: string;
  readonly type: string;
  readonly message: string;
  readonly is_enabled: number;
  readonly delivery: string | null;
  readonly holdout: number | null;
  readonly variants: string | null;
  readonly language: string | null;
  readonly translations: string | null;
}

interface ScenarioRow extends Row {
  readonly object_id: string;
  readonly beacon_id: string;
  readonly storyline_id: string;
  readonly title: string;
  readonly campaign: string;
  readonly event: string;
  readonly show_on: string;
  readonly url_image_android: string | null;
  readonly url_image_ios: string | null;
  readonly url_page: string | null;
  readonly url_video: string | null;
  readonly alert_title: string | null;
  readonly alert_message: string | null;
  readonly delivery: string | null;
  readonly is_enabled: number;
  readonly holdout: number | null;
  readonly variants: string | null;
  readonly language: string | null;
  readonly translations: string | null;
}

function readDelivery(text: string | null): StoredDelivery | undefined {
  return text === null ? undefined : (JSON.parse(text) as StoredDelivery);
}

const readVariants = ({ variants }: NotificationRow | ScenarioRow): Variants =>
  variants === null ? [] : (JSON.parse(variants) as Variants);

/** What is shown of each variant. */
function variantsOf(row: NotificationRow | ScenarioRow, contentOf: (words: object) => Content) {
  const variants = readVariants(row);
  if (variants.length === 0) return {};
  return {
    variants: new Map(variants.map(({ name, message = {} }) => [name, { ...contentOf(message), variant: name }])),
  };
}

function common(row: NotificationRow | ScenarioRow): Omit<Trigger, 'kind' | 'showOn'> {
  const delivery = readDelivery(row.delivery);
  const variants = readVariants(row).map(({ name, weight = 1 }) => ({ name, weight }));
  const timeZone = toTimeZone(delivery);
  return {
    id: row.object_id,
    enabled: row.is_enabled !== 0,
    event: row.event as Trigger['event'],
    beaconIds: [row.beacon_id],
    ...(delivery === undefined ? {} : { policy: toTriggerPolicy(delivery) }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(row.holdout === null ? {} : { holdout: row.holdout }),
    ...(variants.length === 0 ? {} : { variants }),
  };
}

const wordsOf = ({ language, translations }: NotificationRow | ScenarioRow): Worded => ({
  language,
  translations: translations === null ? null : (JSON.parse(translations) as Translations),
});

function fromNotification(row: NotificationRow): SiteTrigger {
  const message = JSON.parse(row.message) as object;
  const content = { objectId: row.object_id, description: row.description, type: row.type, message };
  return {
    trigger: { ...common(row), kind: 'notification' },
    content,
    words: wordsOf(row),
    ...variantsOf(row, (words) => ({ ...content, message: { ...message, ...words } })),
  };
}

function fromScenario(row: ScenarioRow): SiteTrigger {
  const optional = {
    alertTitle: row.alert_title,
    alertMessage: row.alert_message,
    urlImageAndroid: row.url_image_android,
    urlImageIOS: row.url_image_ios,
    urlPage: row.url_page,
    urlVideo: row.url_video,
  };
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null));
  const content = {
    objectId: row.object_id,
    storylineId: row.storyline_id,
    title: row.title,
    campaign: row.campaign,
    ...given,
  };
  return {
    trigger: { ...common(row), kind: 'scenario', showOn: JSON.parse(row.show_on) as ShownDay[] },
    content,
    words: wordsOf(row),
    ...variantsOf(row, (words) => ({ ...content, ...words })),
  };
}

/** In two steps: joined in one, SQLite reads all scenarios of the app first. */
async function findScenarios(db: Db, appId: string, beaconIds: readonly string[]): Promise<ScenarioRow[]> {
  const links = await findByEach<{ beacon_id: string; detail_id: string }, string>(
    db,
    beaconIds,
    (id) => sql`beacon_id = ${id}`,
    (conditions) => sql`select beacon_id, detail_id from scenario_beacons where app_id = ${appId} and (${conditions})`,
  );
  const details = await findByEach<Omit<ScenarioRow, 'beacon_id'>, string>(
    db,
    [...new Set(links.map(({ detail_id }) => detail_id))],
    (id) => sql`detail.object_id = ${id}`,
    (conditions) => sql`select detail.object_id, detail.storyline_id, header.title, detail.campaign, detail.event,
        detail.show_on, detail.url_image_android, detail.url_image_ios, detail.url_page, detail.url_video,
        detail.alert_title, detail.alert_message, detail.delivery, detail.language, detail.translations,
        detail.holdout, detail.variants, header.is_enabled
      from storyline_details detail
      join storylines header on header.app_id = detail.app_id and header.object_id = detail.storyline_id
      where detail.app_id = ${appId} and (${conditions})`,
  );
  const byId = new Map(details.map((row) => [row.object_id, row]));
  return links.flatMap(({ beacon_id, detail_id }) => {
    const detail = byId.get(detail_id);
    return detail ? [{ ...detail, beacon_id } as ScenarioRow] : [];
  });
}

/** By beacon, oldest first: everything that an event there may set off, enabled or not. */
export async function findTriggers(
  db: Db,
  appId: string,
  beaconIds: readonly string[],
): Promise<ReadonlyMap<string, readonly SiteTrigger[]>> {
  const notifications = await findByEach<NotificationRow, string>(
    db,
    beaconIds,
    (id) => sql`beacon_id = ${id}`,
    (conditions) => sql`select object_id, beacon_id, description, event, type, message, is_enabled, delivery,
        language, translations, holdout, variants
      from notifications where app_id = ${appId} and (${conditions})`,
  );
  const scenarios = await findScenarios(db, appId, beaconIds);
  const all = [
    ...notifications.map((row) => ({ beaconId: row.beacon_id, found: fromNotification(row) })),
    ...scenarios.map((row) => ({ beaconId: row.beacon_id, found: fromScenario(row) })),
  ].sort((a, b) => (a.found.trigger.id < b.found.trigger.id ? -1 : 1));
  const byBeacon = new Map<string, SiteTrigger[]>();
  for (const { beaconId, found } of all) byBeacon.set(beaconId, [...(byBeacon.get(beaconId) ?? []), found]);
  return byBeacon;
}

/** A message as it is, with all its beacons; undefined: there is none. */
export async function findTrigger(db: Db, appId: string, triggerId: string): Promise<Trigger | undefined> {
  const places = await db.all<{ beacon_id: string }>(
    sql`select beacon_id from notifications where app_id = ${appId} and object_id = ${triggerId}
      union select beacon_id from scenario_beacons where app_id = ${appId} and detail_id = ${triggerId}`,
  );
  const beaconIds = places.map(({ beacon_id }) => beacon_id);
  const all = [...(await findTriggers(db, appId, beaconIds)).values()].flat();
  const found = all.find(({ trigger }) => trigger.id === triggerId);
  return found && { ...found.trigger, beaconIds };
}
