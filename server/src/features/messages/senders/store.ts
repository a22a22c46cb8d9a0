import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { RowOf } from '../../../db/table.ts';
import type { PushSenderKind } from '../../../delivery/push/push-sender.ts';
import type { senders } from './tables.ts';

export type SenderRow = RowOf<typeof senders> & { readonly kind: PushSenderKind };

export function listSenders(db: Db, appId: string): Promise<SenderRow[]> {
  return db.all<SenderRow>(sql`select * from senders where app_id = ${appId} and settings <> '' order by kind`);
}

/** Also one that was removed a moment ago: its settings are empty. */
export function findSender(db: Db, appId: string, kind: PushSenderKind): Promise<SenderRow | undefined> {
  return db.one<SenderRow>(sql`select * from senders where app_id = ${appId} and kind = ${kind}`);
}

export interface SavedSender {
  readonly appId: string;
  readonly kind: PushSenderKind;
  readonly settings: string;
  readonly summary: string;
  readonly now: number;
  /** The `updated_at` of the row that it may replace, 0: none; without it whatever is there. */
  readonly seen?: number | undefined;
}

/**
 * A later save always has a later time, by which other nodes recognise it. The replaced credentials can be restored. False if the stored
 * credentials are not those that the caller saw.
 */
export async function saveSender(db: Db, { appId, kind, settings, summary, now, seen }: SavedSender): Promise<boolean> {
  const unchanged = seen === undefined ? sql`` : sql` where senders.updated_at = ${seen}`;
  const changed = await db.run(sql`insert into senders (app_id, kind, settings, summary, created_at, updated_at)
    values (${appId}, ${kind}, ${settings}, ${summary}, ${now}, ${now})
    on conflict (app_id, kind) do update set settings = excluded.settings, summary = excluded.summary, tested_at = null,
      test_ok = null, test_text = null, former_settings = nullif(senders.settings, ''),
      former_summary = case when senders.settings = '' then null else senders.summary end,
      former_at = case when senders.settings = '' then null else excluded.updated_at end,
      updated_at = case when senders.updated_at >= excluded.updated_at then senders.updated_at + 1 else excluded.updated_at end${unchanged}`);
  return changed > 0;
}

/** Leaves an empty row behind, with what can be restored. False if there is nothing, or not what the caller saw. */
export async function removeSender(
  db: Db,
  { appId, kind, now, seen }: Pick<SavedSender, 'appId' | 'kind' | 'now' | 'seen'>,
): Promise<boolean> {
  const unchanged = seen === undefined ? sql`` : sql` and updated_at = ${seen}`;
  const changed = await db.run(sql`update senders set former_settings = settings, former_summary = summary,
      former_at = ${now}, settings = '', summary = '{}', tested_at = null, test_ok = null, test_text = null,
      updated_at = case when updated_at >= ${now} then updated_at + 1 else ${now} end
    where app_id = ${appId} and kind = ${kind} and settings <> ''${unchanged}`);
  return changed > 0;
}

/** Makes what was removed or replaced the present one again. */
export async function restoreSender(
  db: Db,
  { appId, kind, now }: { readonly appId: string; readonly kind: PushSenderKind; readonly now: number },
): Promise<void> {
  await db.run(sql`update senders set settings = former_settings, summary = former_summary, former_settings = null,
      former_summary = null, former_at = null, tested_at = null, test_ok = null, test_text = null,
      updated_at = case when updated_at >= ${now} then updated_at + 1 else ${now} end
    where app_id = ${appId} and kind = ${kind} and former_settings is not null`);
}

export async function forgetFormer(db: Db, appId: string, before: number): Promise<void> {
  const old = sql`app_id = ${appId} and former_at <= ${before}`;
  await db.run(sql`delete from senders where ${old} and settings = ''`);
  await db.run(sql`update senders set former_settings = null, former_summary = null, former_at = null where ${old}`);
}

/** Stores the result of a test of these very settings; a result for older settings changes nothing. */
export async function noteTest(
  db: Db,
  row: Pick<SenderRow, 'app_id' | 'kind' | 'updated_at'>,
  test: { readonly at: number; readonly ok: boolean; readonly text: string },
): Promise<void> {
  await db.run(sql`update senders set tested_at = ${test.at}, test_ok = ${test.ok ? 1 : 0}, test_text = ${test.text}
    where app_id = ${row.app_id} and kind = ${row.kind} and updated_at = ${row.updated_at}`);
}
