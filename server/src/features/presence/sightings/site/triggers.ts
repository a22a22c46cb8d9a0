import type { PolicyOverride, Rules, ShownDay, Trigger } from '@pharos/engine';
import { parseInstant } from '@pharos/query';
import type { DeliveryRules } from '../../../../access/delivery-rules.ts';
import type { Variants } from '../../../../access/experiment.ts';
import type { AppPolicy } from '../../../../access/policy.ts';
import { joinSql, type Sql, sql } from '../../../../base/sql.ts';
import type { Db, Row } from '../../../../db/db.ts';
import type { Translations, Worded } from '../../../../delivery/push/translations.ts';

/** `delivery` as it is stored: what the interface accepted, with times as text. */
export type StoredDelivery = DeliveryRules;

/** The engine's words for what the interface calls `delivery`. Absent members stay absent, null switches one off. */
export function toTriggerPolicy(delivery: StoredDelivery): PolicyOverride {
  const { timeZone: _site, validFrom, validUntil, ...rest } = delivery;
  return {
    ...(rest as PolicyOverride),
    ...(validFrom === undefined ? {} : { validFrom: instant(validFrom) }),
    ...(validUntil === undefined ? {} : { validUntil: instant(validUntil) }),
  };
}

function instant(text: string | null): number | null {
  return text === null ? null : (parseInstant(text) ?? null);
}

export function toTimeZone(delivery: StoredDelivery | undefined): string | undefined {
  return typeof delivery?.timeZone === 'string' ? delivery.timeZone : undefined;
}

/** What the app's owner has set for all messages. */
export function appRules(policy: AppPolicy): Pick<Rules, 'policy' | 'polite' | 'appTimeZone' | 'timeToLive'> {
  return {
    policy: toTriggerPolicy(policy.delivery),
    polite: policy.polite,
    appTimeZone: toTimeZone(policy.delivery) ?? policy.timeZone,
    timeToLive: policy.pushTimeToLive,
  };
}

/** A calendar day at the site may be 25 hours long, and begins up to a day before it does in UTC. */
const minHistoryMs = 50 * 3_600_000;

/** How far back what was shown may still count for one of the gates, in milliseconds. */
export function historyMs(policies: readonly (PolicyOverride | undefined)[]): number {
  const seconds = policies.flatMap((policy) => [
    policy?.coolDown?.seconds ?? 0,
    ...(policy?.caps ?? []).map(({ window }) => (window === 'day' ? 0 : window)),
  ]);
  return Math.max(minHistoryMs, ...seconds.map((value) => value * 1000));
}

/** What the beacons of a place may trigger. Read only; other features write it. */

/** What an app shows when a trigger fires: the notification's or the scenario's own members. */
export type Content = Readonly<Record<string, unknown>>;

export interface SiteTrigger {
  readonly trigger: Trigger;
  /** The name inside the organisation. That of a notification is never shown to visitors. */
  readonly name: string;
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
  const content = { objectId: row.object_id, type: row.type, message };
  return {
    trigger: { ...common(row), kind: 'notification' },
    name: row.description,
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
    name: row.alert_title || row.title,
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

/** Lists are cut and padded to a few lengths, so that a few prepared statements serve all batches. */
const lengths = [1, 4, 16, 64] as const;

/** Runs one statement for each up to 64 items and joins the rows. `condition` is repeated with `or` for each item. */
export async function findByEach<T extends object, Item>(
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
