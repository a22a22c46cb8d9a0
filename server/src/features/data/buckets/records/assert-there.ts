import type { Verb } from '../../../../access/rules/rule-types.ts';
import type { Db } from '../../../../db/db.ts';
import type { Bucket } from '../definition/directory.ts';
import { lockRecord, type StoredRecord } from '../definition/record-store.ts';
import { recordTable } from '../definition/tables.ts';
import { allowedRecord } from './allowed-record.ts';
import { keyOf, noRecord, type PathCall, storeKeyOf } from './bucket-of.ts';
import { judgedRow, RecordRules } from './record-rules.ts';

/** The verbs of which one must be allowed for the record to exist for a caller who wants to do this. */
const thereFor = (verb: 'get' | 'update' | 'delete'): readonly Verb[] => (verb === 'get' ? ['get'] : [verb, 'get']);

interface Asked {
  readonly call: PathCall;
  readonly bucket: Bucket;
  readonly rules: RecordRules;
}

/** The record that a path names, unless columns say that it is hidden from the caller. */
export function findThere(
  db: Db,
  verb: 'update' | 'delete',
  { call, bucket, rules }: Asked,
): Promise<StoredRecord | undefined> {
  const key = keyOf(bucket, call);
  const there = rules.there(thereFor(verb), bucket);
  const statement =
    there && allowedRecord(db.dialect, { key: storeKeyOf(bucket, call), rules: there, isLocked: false });
  return statement ? db.one<StoredRecord>(statement) : (recordTable.find(db, key) as Promise<StoredRecord | undefined>);
}

/** The same, locked until the end of the transaction that changes it. */
export function lockThere(
  db: Db,
  verb: 'update' | 'delete',
  { call, bucket, rules }: Asked,
): Promise<StoredRecord | undefined> {
  const key = storeKeyOf(bucket, call);
  const there = rules.there(thereFor(verb), bucket);
  const statement = there && allowedRecord(db.dialect, { key, rules: there, isLocked: true });
  return statement ? db.one<StoredRecord>(statement) : lockRecord(db, key);
}

/** The record that a path names, if the caller may get it. */
export function findToGet(db: Db, { call, bucket, rules }: Asked): Promise<StoredRecord | undefined> {
  const asked = rules.gettable(bucket);
  const statement =
    asked && allowedRecord(db.dialect, { key: storeKeyOf(bucket, call), rules: [asked], isLocked: false });
  if (statement) return db.one<StoredRecord>(statement);
  const found = recordTable.find(db, keyOf(bucket, call)) as Promise<StoredRecord | undefined>;
  if (!asked) return found;
  return found.then((record) => (record && rules.may('get', bucket, judgedRow(record)) ? record : undefined));
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
