import { sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import type { PushSenderKind } from '../../delivery/push/push-sender.ts';

export interface SenderRow {
  readonly app_id: string;
  readonly kind: PushSenderKind;
  /** Sealed. */
  readonly settings: string;
  /** JSON. */
  readonly summary: string;
  readonly tested_at: number | null;
  readonly test_ok: number | null;
  readonly test_text: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export function listSenders(db: Db, appId: string): Promise<SenderRow[]> {
  return db.all<SenderRow>(sql`select * from senders where app_id = ${appId} order by kind`);
}

export interface SavedSender {
  readonly appId: string;
  readonly kind: PushSenderKind;
  readonly settings: string;
  readonly summary: string;
  readonly now: number;
}

/** A later save always has a later time, by which other nodes recognise it. */
export async function saveSender(db: Db, { appId, kind, settings, summary, now }: SavedSender): Promise<void> {
  await db.run(sql`insert into senders (app_id, kind, settings, summary, created_at, updated_at)
    values (${appId}, ${kind}, ${settings}, ${summary}, ${now}, ${now})
    on conflict (app_id, kind) do update set settings = excluded.settings, summary = excluded.summary, tested_at = null,
      test_ok = null, test_text = null,
      updated_at = case when senders.updated_at >= excluded.updated_at then senders.updated_at + 1 else excluded.updated_at end`);
}

export async function deleteSender(db: Db, appId: string, kind: PushSenderKind): Promise<boolean> {
  return (await db.run(sql`delete from senders where app_id = ${appId} and kind = ${kind}`)) > 0;
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
