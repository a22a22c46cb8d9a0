import { newObjectId } from '../../../src/base/id.ts';
import { joinSql, raw, sql } from '../../../src/base/sql.ts';
import { packOld } from '../../../src/cold/pack.ts';
import { bulkInsert } from '../../../src/db/bulk.ts';
import type { Database, Row } from '../../../src/db/db.ts';
import type { DbTable } from '../../../src/db/table.ts';
import { logs } from '../../../src/features/logs/resource.ts';
import { deliveries, pushes } from '../../../src/features/push/resource.ts';
import { events } from '../../../src/features/sightings/traces/events.ts';
import { verdicts } from '../../../src/features/sightings/traces/verdicts.ts';
import { visits } from '../../../src/features/sightings/traces/visits.ts';

/** Months of visits as rows, some of them packed. */

const day = 86_400_000;
export const packedTables: readonly DbTable[] = [events.table, verdicts.table, logs.table, deliveries.table];

export interface Past {
  readonly appId: string;
  readonly beacons: readonly string[];
  readonly installations: readonly string[];
  readonly now: number;
  readonly days: number;
  readonly visits: number;
}

/** Pseudo-random numbers from 0 to 1, the same each time. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export async function insertRows(db: Database, table: DbTable, rows: readonly Row[]): Promise<void> {
  const insert = bulkInsert(table);
  for (let start = 0; start < rows.length; start += 256)
    await db.transaction(async (db) => {
      for (const statement of insert.each(db.dialect, rows.slice(start, start + 256) as never)) await db.run(statement);
    });
}

/** Writes the visits of some months, with their events, verdicts, log records and deliveries, and a push now and then. */
export async function insertPast(db: Database, past: Past): Promise<void> {
  const random = randomFrom(7);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const all = new Map<DbTable, Row[]>([...packedTables, visits.table, pushes.table].map((table) => [table, []]));
  const add = (table: DbTable, row: Row) => void all.get(table)?.push({ app_id: past.appId, ...row });
  for (let n = 0; n < past.visits; n++) {
    const enteredAt =
      past.now - Math.floor(((past.visits - n) / past.visits) * past.days * day) + Math.floor(random() * 1e6);
    const [beacon_id, installation_id] = [one(past.beacons), one(past.installations)];
    const of = { beacon_id, installation_id };
    const isOpen = n % 29 === 0;
    const visit = newObjectId(enteredAt);
    const leftAt = enteredAt + Math.floor(random() * 3_600_000);
    add(visits.table, {
      ...of,
      object_id: visit,
      entered_at: enteredAt,
      left_at: isOpen ? null : leftAt,
      dwell: isOpen ? null : (leftAt - enteredAt) / 1000,
      is_open: isOpen ? 1 : 0,
      source: 'samples',
      ended_by: isOpen ? null : 'silence',
      inferred: 0,
      created_at: enteredAt,
      updated_at: leftAt,
    });
    for (const [place, event] of ['ENTER', 'NEAR', 'FAR', 'EXIT'].entries()) {
      const at = enteredAt + Math.floor(((leftAt - enteredAt) * place) / 3);
      const eventId = newObjectId(at);
      const rival = {
        beaconId: { __type: 'Pointer', className: 'Beacon', objectId: one(past.beacons) },
        distance: Math.round(random() * 900) / 100,
      };
      add(events.table, {
        ...of,
        object_id: eventId,
        event,
        visit_id: visit,
        occurred_at: at,
        entered_at: event === 'ENTER' || event === 'EXIT' ? enteredAt : null,
        left_at: event === 'EXIT' ? leftAt : null,
        distance: n % 5 === 0 ? null : n % 7 === 0 ? random() * 10 : Math.round(random() * 1000) / 100,
        rivals: n % 3 === 0 ? JSON.stringify([rival]) : null,
        cause: one(['samples', 'device', 'silence']),
        inferred: n % 11 === 0 ? 1 : 0,
        created_at: at + 900,
      });
      for (const trigger of ['T1', 'T2'].map((name) => name.padEnd(20, '0'))) {
        const reason = one(['fired', 'event', 'schedule', 'cap']);
        const delivery = reason === 'fired' ? `${eventId.slice(0, 8)}${randomLetters(random, 24)}` : null;
        add(verdicts.table, {
          ...of,
          object_id: `${eventId}-${trigger}`,
          event_id: eventId,
          trigger_id: trigger,
          kind: 'notification',
          event,
          visit_id: visit,
          outcome: reason === 'fired' ? 'fired' : 'stopped',
          reason,
          explanation: `Because of ${reason} – “${n % 4}”.`,
          decided_at: at,
          due_at: n % 6 === 0 ? at + 5_000 : null,
          delivery_id: delivery,
          created_at: at + 900,
        });
        if (delivery === null) continue;
        const isSent = n % 5 > 0;
        add(deliveries.table, {
          object_id: delivery,
          push_id: null,
          event_id: eventId,
          trigger_id: trigger,
          installation_id,
          state: n % 31 === 0 ? 'queued' : isSent ? 'sent' : 'failed',
          reason: isSent ? null : `The provider said ${n % 3}.`,
          sender: isSent ? 'fcm' : null,
          language: null,
          attempts: 1,
          sent_at: isSent ? at + 1_500 : null,
          received_at: n % 3 === 0 ? at + 2_000 : null,
          opened_at: n % 6 === 0 ? at + 60_000 : null,
          expires_at: at + 120_000,
          run_at: at + 900,
          created_at: at + 900,
          updated_at: at + 2_000,
        });
      }
      if (place % 3 > 0) continue;
      add(logs.table, {
        object_id: newObjectId(at + 1000),
        module_type: one(['PRESENCE', 'STORYLINE']),
        event,
        beacon_id,
        installation_id: n % 4 === 0 ? null : installation_id,
        occurred_at: at,
        event_id: n % 13 === 0 ? `event ${n} ${place}` : null,
        created_at: at + 1000,
        updated_at: at + 1000,
      });
    }
  }
  for (const [n, ago] of [170, 120, 90, 70, 61].entries()) {
    const at = past.now - ago * day;
    const push_id = newObjectId(at);
    const state = n === 4 ? 'sending' : 'done';
    const data = '{"title":"Tonight"}';
    add(pushes.table, { ...noPush, object_id: push_id, data, state, created_at: at, updated_at: at, expires_at: at });
    for (const [place, installation_id] of past.installations.entries())
      add(deliveries.table, {
        object_id: `${push_id}-${installation_id}`,
        push_id,
        event_id: null,
        trigger_id: null,
        installation_id,
        state: place % 2 === 0 ? 'sent' : 'failed',
        reason: place % 2 === 0 ? null : `It was ${place % 3}.`,
        sender: 'fcm',
        language: 'de',
        attempts: 1,
        sent_at: place % 2 === 0 ? at + 5 : null,
        received_at: place === 2 ? at + 9 : null,
        opened_at: null,
        expires_at: at + 1000,
        run_at: at,
        created_at: at,
        updated_at: at + 9,
      });
  }
  for (const [table, rows] of all)
    await insertRows(
      db,
      table,
      rows.toSorted((a, b) => (String(a['object_id']) < String(b['object_id']) ? -1 : 1)),
    );
}

/** The cells of a push that do not matter. */
const noPush = {
  audience: null,
  language: null,
  translations: null,
  problem: null,
  user_id: null,
  approval: null,
  send_at: null,
  audience_count: 0,
  sent_count: 0,
  failed_count: 0,
  expired_count: 0,
  no_target_count: 0,
  cancelled_count: 0,
  expanded_to: '~',
  edition: 0,
  waits: 0,
  is_blind: 0,
  authors: null,
};

const randomLetters = (random: () => number, length: number) =>
  Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');

/** Small chunks, so that there are many. */
export const sizes = { small: 60, large: 240 };

/** Packs what is older than 40 days of the app. Answers the numbers of rows. */
export async function packPast(db: Database, { appId, now }: Pick<Past, 'appId' | 'now'>): Promise<number[]> {
  const packed: number[] = [];
  for (const table of packedTables) packed.push(await packOld(db, { appId, table, before: now - 40 * day }, { sizes }));
  return packed;
}

/** Takes some old rows away, as if they were written later. */
export async function takeAway(
  db: Database,
  table: DbTable,
  { appId, now }: Pick<Past, 'appId' | 'now'>,
): Promise<Row[]> {
  const rows = await db.all<Row>(sql`select * from ${raw(table.name)} where app_id = ${appId} order by object_id`);
  const late = rows.filter((row, n) => n % 17 === 3 && Number(row['created_at']) < now - 60 * day);
  const ids = late.map((row) => sql`${row['object_id'] ?? null}`);
  await db.run(sql`delete from ${raw(table.name)} where app_id = ${appId} and object_id in (${joinSql(ids, ', ')})`);
  return late.map((row) => ({ ...row }));
}
