import type { Verb } from '../../../access/rules/rule-types.ts';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { Bucket } from '../definition/directory.ts';
import type { StoredRecord } from '../definition/store.ts';
import { recordTable } from '../definition/tables.ts';
import { keyOf, noRecord, type PathCall } from './bucket-of.ts';
import { judgedRow, RecordRules } from './record-rules.ts';

/** What has to be allowed so that a record is there for whoever wants to do a thing with it. */
export const thereFor = (verb: 'get' | 'update' | 'delete'): readonly Verb[] =>
  verb === 'get' ? ['get'] : [verb, 'get'];

/** The record that a path names, unless columns say that it is hidden from the caller. */
export function findThere(
  db: Db,
  verb: 'get' | 'update' | 'delete',
  { call, bucket, rules }: { readonly call: PathCall; readonly bucket: Bucket; readonly rules: RecordRules },
): Promise<StoredRecord | undefined> {
  const key = keyOf(bucket, call);
  const condition = rules.thereSql(thereFor(verb), bucket, db.dialect.where);
  const row = condition
    ? db.one(sql`select ${recordTable.selection} from records where ${recordTable.match(key)} and ${condition}`)
    : recordTable.find(db, key);
  return row as Promise<StoredRecord | undefined>;
}

/**
 * Whether there is a record that the caller may change or delete, before the body is read.
 *
 * @throws Failure ObjectNotFound, OperationForbidden
 */
export async function assertThere(db: Db, verb: 'update' | 'delete', call: PathCall, bucket: Bucket): Promise<void> {
  const rules = new RecordRules(call, bucket);
  const row = await findThere(db, verb, { call, bucket, rules });
  if (!row || !rules.isThere(verb, bucket, judgedRow(row))) throw noRecord();
}
