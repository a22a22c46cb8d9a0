import { hash } from 'node:crypto';
import { fail } from '../base/errors.ts';
import type { Db, Row } from '../db/db.ts';
import { JsonText } from '../http/endpoint.ts';
import type { Key, RecordTable } from './table.ts';

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

/** What a caller requires of the record as it is stored now. @throws Failure PreconditionFailed */
export type AssertUnchanged = (tag: string) => void;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Undefined unless the caller sends If-Match. Call it where nobody else can change the record before you do. */
export function readIfMatch(headers: Headers): AssertUnchanged | undefined {
  const condition = headers['if-match'];
  if (condition === undefined) return undefined;
  const wanted = String(condition).trim();
  return (tag) => {
    // A weak tag never matches: its quotes are preceded by W/.
    if (wanted !== '*' && !wanted.split(',').some((one) => one.trim() === tag)) throw fail('PreconditionFailed');
  };
}
