import { sql } from '../../../../base/sql.ts';
import { listAnswer, recordAnswer } from '../../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../../http/endpoint.ts';
import { tagged } from '../../../../resources/entity-tag.ts';
import { type ListOptions, listParameters } from '../../../../resources/lists/list.ts';
import { listing } from '../../../../resources/lists/listing.ts';
import type { RecordTable } from '../../../../resources/table.ts';
import type { Bucket } from '../definition/directory.ts';
import type * as store from '../definition/record-store.ts';
import { listedRecordSchema, recordExample, recordSchema } from '../definition/schemas.ts';
import { plainRecordTable, recordTable } from '../definition/tables.ts';
import { findToGet } from './assert-there.ts';
import { bucketToRead, common, noRecord, type PathCall, path, type RecordDeps, tagOf } from './bucket-of.ts';
import { RecordRules } from './record-rules.ts';

export function list(deps: RecordDeps): Endpoint {
  return endpoint<undefined, Bucket>({
    ...common,
    method: 'GET',
    path,
    operationId: 'listRecords',
    grant: { of: 'bucket', verb: 'list' },
    summary: 'List the records of a bucket',
    query: listParameters,
    answer: listAnswer(listedRecordSchema, recordExample),
    errors: ['InvalidBucketName', 'ObjectNotFound', 'InvalidQuery', 'Timeout'],
    locate: (call) => bucketToRead(deps, call),
    ...listing((call) => {
      const { query, located: bucket } = call;
      const rules = new RecordRules(call, bucket);
      const rule = rules.listed(bucket);
      const scope = sql`app_id = ${bucket.appId} and bucket_id = ${bucket.bucketId}`;
      const options: ListOptions = {
        scope,
        ...(rule ? { allowed: rule } : {}),
        query,
        defaultLimit: 100,
        idsFollowCreation: true,
        tenant: bucket.appId,
        onDocumentsRead: (fields, alternatives) => deps.asked.note(bucket, fields, alternatives),
      };
      return { db: deps.db, table: tableOf(bucket, rules), options };
    }),
  });
}

/** Made once for each definition of a bucket: a table has many members to copy. */
const tables = new WeakMap<Bucket['lookup'], Readonly<Record<'withOwners' | 'plain', RecordTable>>>();

function tableOf({ lookup }: Bucket, { showOwners }: RecordRules): RecordTable {
  let known = tables.get(lookup);
  if (!known) {
    known = { withOwners: { ...recordTable, lookup }, plain: { ...plainRecordTable, lookup } };
    tables.set(lookup, known);
  }
  return showOwners ? known.withOwners : known.plain;
}

export function get(deps: RecordDeps): Endpoint {
  return endpoint<undefined, Bucket>({
    ...common,
    method: 'GET',
    path: `${path}/:objectId`,
    operationId: 'getRecord',
    grant: { of: 'bucket', verb: 'get' },
    summary: 'Get a record',
    answer: recordAnswer(recordSchema, recordExample),
    errors: ['InvalidBucketName', 'ObjectNotFound'],
    locate: (call) => bucketToRead(deps, call),
    judge: async (call) => {
      const bucket = await bucketToRead(deps, call);
      return readable(deps, call, bucket, (record) => record);
    },
    hasEntityTag: true,
    handle: (call) =>
      readable(deps, call, call.located, (record) => tagged(`{"result":${recordTable.render(record)}}`, tagOf(record))),
  });
}

/**
 * What `use` makes of the record. It is asked for more than anything else, so nothing is awaited but the database.
 *
 * @throws Failure ObjectNotFound, also for what the caller may not read
 */
function readable<T>(
  { db }: RecordDeps,
  call: PathCall,
  bucket: Bucket,
  use: (record: store.StoredRecord) => T,
): Promise<T> {
  const rules = new RecordRules(call, bucket);
  return findToGet(db, { call, bucket, rules }).then((record) => {
    if (!record) throw noRecord();
    rules.noteGet(bucket, record);
    return use(record);
  });
}
