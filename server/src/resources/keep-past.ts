import type { TObject } from 'typebox';
import type { Db, Row } from '../db/db.ts';
import type { Call } from '../http/endpoint.ts';
import type { Shape } from '../http/shape.ts';
import { makerOf, type Past, type PastRecord, titleOf } from './past.ts';
import type { Key, RecordTable } from './table.ts';

/** How the records of a resource are kept as they were. */

/** What is kept of the records of a resource. */
export interface KeptPast {
  readonly kind: string;
  readonly keep: Past;
  /** The column of the record that it belongs to. */
  readonly within?: string;
  /** The records that are deleted with one, before they are. */
  readonly children?: (db: Db, key: Key) => Promise<readonly PastRecord[]>;
}

interface Kept {
  readonly records: RecordTable;
  readonly shape: Shape<TObject>;
  readonly past?: KeptPast;
}

/** In the transaction of a deletion, before it. */
export type NoteRemoval = (db: Db, call: Call<unknown, unknown>, key: Key, row: Row) => Promise<void>;

/** A row in the form in which it can be recreated. Members that clients cannot send are left out. */
export function pastRecord(options: Kept, past: Pick<KeptPast, 'kind' | 'within'>, key: Key, row: Row): PastRecord {
  const members = Object.keys(options.shape.schema.properties);
  const shown = options.records.decode(row);
  const state = Object.fromEntries(members.flatMap((name) => (name in shown ? [[name, shown[name]]] : [])));
  const objectId = String(key['object_id']);
  return {
    appId: String(key['app_id']),
    kind: past.kind,
    withinId: past.within === undefined ? '' : String(key[past.within]),
    objectId,
    title: titleOf(state, objectId),
    state,
    createdBy: (row['created_by'] as string | null | undefined) ?? null,
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
  };
}

/** After a change, in its transaction: keeps the previous record, if it differs now. */
export async function noteChange(
  options: Kept,
  db: Db,
  call: Call<unknown, unknown>,
  { key, before }: Noted,
): Promise<void> {
  const { past, records } = options;
  const after = past && before && (await records.find(db, key));
  if (!after) return;
  const was = pastRecord(options, past, key, before);
  if (JSON.stringify(was.state) === JSON.stringify(pastRecord(options, past, key, after).state)) return;
  await past.keep.noteChange(db, was, { by: makerOf(call), now: call.now });
}

interface Noted {
  readonly key: Key;
  /** The record before the change. */
  readonly before: Row | undefined;
}

/** How a resource keeps what is deleted, if it does. */
export function notingRemoval(options: Kept): { readonly noteRemoval?: NoteRemoval } {
  const { past } = options;
  if (!past) return {};
  return {
    noteRemoval: async (db, call, key, row) => {
      const children = (await past.children?.(db, key)) ?? [];
      await past.keep.noteRemoval(db, pastRecord(options, past, key, row), {
        by: makerOf(call),
        now: call.now,
        children,
      });
    },
  };
}
