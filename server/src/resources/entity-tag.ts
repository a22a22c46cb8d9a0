import { hash } from 'node:crypto';
import type { Db, Row } from '../db/db.ts';
import { JsonText } from '../http/endpoint.ts';
import type { Key, RecordTable } from './table.ts';

export { type AssertUnchanged, readIfMatch } from '../http/if-match.ts';

/**
 * Entity tags of records (RFC 9110, section 8.8.3), so that a change can be made on the condition that nobody else has
 * changed the record since it was read (`If-Match`, section 13.1.1).
 */

/** The strong tag of a text: every other text has a different one. */
export function entityTag(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 24)}"`;
}

/** The tag of a row, the same for every reader. */
export function tagOfRow(table: RecordTable, row: Row): string {
  return entityTag(table.render(row));
}

/**
 * When a change of a record counts as made: now, unless that is not later than the one before, as after a clock was set right. So the time of
 * a change tells whether somebody has changed the record since.
 */
export function timeOfChange({ updated_at: before }: { readonly updated_at?: unknown }, now: number): number {
  return Math.max(now, Number(before) + 1);
}

/** Inside the transaction that has written the record: its new tag. */
export async function newTag(db: Db, table: RecordTable, key: Key): Promise<string> {
  const row = await table.find(db, key);
  return row ? tagOfRow(table, row) : '';
}

export function tagged(text: string, tag: string): JsonText {
  return new JsonText(text, { etag: tag });
}
