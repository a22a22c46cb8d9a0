import type { Trigger } from '@pharos/engine';
import { type MessageRecord, notificationTrigger, type SiteTrigger, scenarioTrigger } from '@pharos/engine/decide';
import { joinSql, type Sql, sql } from '../../../../base/sql.ts';
import type { Db, Row } from '../../../../db/db.ts';

/** What the beacons of a place may trigger. Read only; other features write it. */

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

const parsed = (text: string | null) => (text === null ? undefined : JSON.parse(text));

function commonOf(row: NotificationRow | ScenarioRow): MessageRecord {
  return {
    objectId: row.object_id,
    event: row.event as MessageRecord['event'],
    delivery: parsed(row.delivery),
    holdout: row.holdout,
    variants: parsed(row.variants),
    language: row.language,
    translations: parsed(row.translations),
  };
}

function fromNotification(row: NotificationRow): SiteTrigger {
  const { beacon_id, description, type, message, is_enabled } = row;
  return notificationTrigger({
    ...commonOf(row),
    beaconIds: [beacon_id],
    isEnabled: is_enabled !== 0,
    description,
    type,
    message: JSON.parse(message),
  });
}

function fromScenario(row: ScenarioRow): SiteTrigger {
  return scenarioTrigger(
    {
      ...commonOf(row),
      beaconIds: [row.beacon_id],
      storylineId: row.storyline_id,
      campaign: row.campaign,
      showOn: JSON.parse(row.show_on),
      alertTitle: row.alert_title,
      alertMessage: row.alert_message,
      urlImageAndroid: row.url_image_android,
      urlImageIOS: row.url_image_ios,
      urlPage: row.url_page,
      urlVideo: row.url_video,
    },
    { title: row.title, isEnabled: row.is_enabled !== 0 },
  );
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
