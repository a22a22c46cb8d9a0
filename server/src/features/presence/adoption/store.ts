import { tagKey } from '@pharos/engine';
import { raw, sql } from '../../../base/sql.ts';
import type { Database, Db } from '../../../db/db.ts';
import { bigint, defineTable, type RowOf, text } from '../../../db/table.ts';
import { maxOfGateway, type Stranger, type StrangersOfApp } from './heard-nearby.ts';

/** What each gateway has heard in the last minutes and nobody knew. */
export const heardNearby = defineTable({
  name: 'heard_nearby',
  owner: 'adoption',
  columns: { app_id: text, gateway: text, tags: text, heard_at: bigint },
  key: ['app_id', 'gateway'],
  indexes: { heard_nearby_age: { on: ['app_id', 'heard_at'] } },
  kept: { days: 1, by: 'heard_at' },
});

/** Tags that the list of unknown ones leaves out. */
export const ignoredTags = defineTable({
  name: 'ignored_tags',
  owner: 'adoption',
  columns: { app_id: text, tag_key: text, tag: text, ignored_at: bigint },
  key: ['app_id', 'tag_key'],
});

/** Beacons with these UUIDs are added when a gateway hears them. */
export const adoptionRules = defineTable({
  name: 'adoption_rules',
  owner: 'adoption',
  columns: { app_id: text, uuid_key: text, max_beacons: bigint, created_at: bigint },
  key: ['app_id', 'uuid_key'],
});

/** What was heard longer ago is not nearby any more, ms. */
const nearbyMs = 600_000;
const movedMs = 60_000;
export const maxIgnored = 1_000;
export const maxRules = 20;
/** Gateways of an app whose strangers are stored and listed: those that were heard last. */
const maxGateways = 500;

export type IgnoredRow = RowOf<typeof ignoredTags>;
export type RuleRow = RowOf<typeof adoptionRules>;

/** Leaves out those that are a beacon or a tag of the app by now. */
export type LeaveOutKnown = <T extends Stranger>(db: Db, heard: readonly T[]) => Promise<readonly T[]>;

/** Adds to what is stored: another node may have heard the same gateway. */
export async function saveStrangers(
  db: Database,
  appId: string,
  heard: StrangersOfApp,
  { now, leaveOutKnown }: { readonly now: number; readonly leaveOutKnown: LeaveOutKnown },
): Promise<void> {
  for (const [gateway, strangers] of heard)
    await db.transaction(async (db) => {
      const before = await db.one<{ tags: string }>(
        sql`select tags from heard_nearby where app_id = ${appId} and gateway = ${gateway}`,
      );
      const known = await db.one<{ count: number }>(
        sql`select count(*) as count from heard_nearby where app_id = ${appId}`,
      );
      if (!before && Number(known?.count) >= maxGateways) return;
      const all = await leaveOutKnown(db, joined(before ? JSON.parse(before.tags) : [], strangers, now));
      const tags = JSON.stringify(all.slice(0, maxOfGateway));
      await db.run(sql`insert into heard_nearby (app_id, gateway, tags, heard_at)
        values (${appId}, ${gateway}, ${tags}, ${now})
        on conflict (app_id, gateway) do update set tags = excluded.tags, heard_at = excluded.heard_at`);
    });
}

function joined(before: readonly Stranger[], strangers: readonly Stranger[], now: number): Stranger[] {
  const newest = new Map([...before, ...strangers].map((one) => [one.tag, one]));
  for (const { tag, address } of strangers) if (address !== undefined && address !== tag) newest.delete(address);
  return [...newest.values()].filter(({ at }) => now - at < nearbyMs).sort((a, b) => b.rssi - a.rssi);
}

export interface HeardBy extends Stranger {
  readonly gateway: string;
}

/** Each tag once, as the gateway has heard it that hears it best; the strongest first. */
export async function listStrangers(db: Db, appId: string, now: number): Promise<HeardBy[]> {
  const rows = await db.all<RowOf<typeof heardNearby>>(
    sql`select * from heard_nearby where app_id = ${appId} and heard_at > ${now - nearbyMs}
      order by heard_at desc limit ${maxGateways}`,
    { tenant: appId },
  );
  const best = new Map<string, HeardBy>();
  for (const { gateway, tags } of rows)
    for (const one of JSON.parse(tags) as readonly Stranger[])
      if (now - one.at < nearbyMs && isBetter(one, best.get(one.tag))) best.set(one.tag, { ...one, gateway });
  return [...best.values()].sort((a, b) => b.rssi - a.rssi);
}

/** Whether the first is to be shown: the louder one, unless it is much older, since the tag may have been carried elsewhere. */
const isBetter = (one: Stranger, other: Stranger | undefined): boolean =>
  !other || (Math.abs(one.at - other.at) > movedMs ? one.at > other.at : one.rssi > other.rssi);

export const listIgnored = (db: Db, appId: string): Promise<IgnoredRow[]> =>
  db.all<IgnoredRow>(
    sql`select * from ignored_tags where app_id = ${appId} order by ignored_at desc, tag_key limit ${maxIgnored}`,
    { tenant: appId },
  );

/** False if there are too many. */
export function saveIgnored(db: Database, appId: string, tag: string, now: number): Promise<boolean> {
  return db.transaction(async (db) => {
    const known = await db.one<{ count: number }>(
      sql`select count(*) as count from ignored_tags where app_id = ${appId}`,
    );
    if (Number(known?.count) >= maxIgnored) return false;
    await db.run(sql`insert into ignored_tags (app_id, tag_key, tag, ignored_at)
      values (${appId}, ${tagKey(tag)}, ${tag}, ${now}) on conflict (app_id, tag_key) do nothing`);
    return true;
  });
}

export const deleteIgnored = (db: Db, appId: string, tag: string): Promise<number> =>
  db.run(sql`delete from ignored_tags where app_id = ${appId} and tag_key = ${tagKey(tag)}`);

export const listRules = (db: Db, appId: string): Promise<RuleRow[]> =>
  db.all<RuleRow>(sql`select * from adoption_rules where app_id = ${appId} order by created_at, uuid_key`, {
    tenant: appId,
  });

/** False if there are too many. */
export function saveRule(db: Database, rule: RuleRow): Promise<boolean> {
  const { app_id: appId, uuid_key: uuid, max_beacons: max, created_at: at } = rule;
  return db.transaction(async (db) => {
    const others = await db.one<{ count: number }>(
      sql`select count(*) as count from adoption_rules where app_id = ${appId} and uuid_key <> ${uuid}`,
    );
    if (Number(others?.count) >= maxRules) return false;
    await db.run(sql`insert into adoption_rules (app_id, uuid_key, max_beacons, created_at)
      values (${appId}, ${uuid}, ${max}, ${at})
      on conflict (app_id, uuid_key) do update set max_beacons = excluded.max_beacons`);
    return true;
  });
}

export const deleteRule = (db: Db, appId: string, uuid: string): Promise<number> =>
  db.run(sql`delete from adoption_rules where app_id = ${appId} and uuid_key = ${uuid}`);

/** Until the end of the transaction no other node adopts by the same rule. */
export const lockRule = (db: Db, appId: string, uuid: string): Promise<RuleRow | undefined> =>
  db.one<RuleRow>(
    sql`select * from adoption_rules where app_id = ${appId} and uuid_key = ${uuid}${raw(db.dialect.lockRow)}`,
  );
