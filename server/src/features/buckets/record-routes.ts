import { Type } from 'typebox';
import type { Caller } from '../../access/caller.ts';
import { fail } from '../../base/errors.ts';
import { newObjectId } from '../../base/id.ts';
import { isObject } from '../../base/is-object.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { sql } from '../../base/sql.ts';
import type { Database, Db } from '../../db/db.ts';
import {
  created,
  createdAnswer,
  deletedAnswer,
  inArray,
  isoTime,
  listAnswer,
  recordAnswer,
  updatedAnswer,
} from '../../http/answers.ts';
import { type BodySpec, type Endpoint, endpoint } from '../../http/endpoint.ts';
import type { UsageMeter } from '../../limits/usage.ts';
import { readPointer } from '../../query/literals.ts';
import { entityTag, readIfMatch, tagged } from '../../resources/entity-tag.ts';
import { listParameters, listRecords } from '../../resources/list.ts';
import { mergePatch } from '../../resources/merge-patch.ts';
import type { Bucket, BucketDirectory } from './directory.ts';
import type { AskedMembers } from './learn.ts';
import type { InsertRecord } from './record-inserter.ts';
import { type Document, judgedRow, RecordRules } from './record-rules.ts';
import { prepare, type WriteSteps, writeRecord } from './record-writing.ts';
import { assertBucketName, listedRecordSchema, recordBody, recordExample, recordSchema } from './schemas.ts';
import * as store from './store.ts';
import { plainRecordTable, recordTable, recordTag } from './tables.ts';

export interface RecordDeps {
  readonly db: Database;
  readonly directory: BucketDirectory;
  readonly asked: AskedMembers;
  readonly insert: InsertRecord;
  readonly usage: UsageMeter;
  readonly userExists: (db: Db, appId: string, userId: string) => Promise<boolean>;
  readonly markInexact: (appId: string, bucketId: string, slots: readonly string[]) => Promise<void>;
}

type PathCall = Caller & { readonly params: Readonly<Record<string, string>> };

const common = {
  tag: recordTag,
  parameters: { bucketName: 'The name of the bucket', objectId: 'The objectId of the record' },
} as const;
const path = '/data/bucket/:bucketName';
const generated = new Set(['objectId', 'createdAt', 'updatedAt']);

export function recordEndpoints(deps: RecordDeps): Endpoint[] {
  return [list(deps), create(deps), get(deps), put(deps), patch(deps), remove(deps)];
}

function findBucket({ directory }: RecordDeps, { app, params }: PathCall): MaybePromise<Bucket | undefined> {
  const name = params['bucketName'] ?? '';
  const known = directory.known(app.appId, name);
  if (known) return known;
  assertBucketName(name);
  return directory.reload(app.appId, name);
}

function bucketToRead(deps: RecordDeps, call: PathCall): MaybePromise<Bucket> {
  return andThen(findBucket(deps, call), (bucket) => {
    if (!bucket) throw fail('ObjectNotFound', 'There is no bucket with this name.');
    return bucket;
  });
}

function bucketToWrite(deps: RecordDeps, call: PathCall): MaybePromise<Bucket> {
  return andThen(findBucket(deps, call), (bucket) => {
    if (!bucket) throw fail('InvalidSchema', 'There is no bucket with this name; create it in the management console.');
    return bucket;
  });
}

function keyOf(bucket: Bucket, call: PathCall) {
  return { app_id: bucket.appId, bucket_id: bucket.bucketId, object_id: call.params['objectId'] ?? '' };
}

const tagOf = ({ doc, updated_at }: Pick<store.StoredRecord, 'doc' | 'updated_at'>) =>
  entityTag(`${updated_at} ${doc}`);

const noRecord = () => fail('ObjectNotFound', 'There is no record with this objectId.');

async function recordToWrite(deps: RecordDeps, call: PathCall): Promise<Bucket> {
  const bucket = await bucketToWrite(deps, call);
  await assertThere('update', call, bucket, deps);
  return bucket;
}

/** @throws Failure ObjectNotFound, OperationForbidden */
async function assertThere(verb: 'update' | 'delete', call: PathCall, bucket: Bucket, { db }: Pick<RecordDeps, 'db'>) {
  const row = await recordTable.find(db, keyOf(bucket, call));
  const rules = new RecordRules(call, bucket);
  if (!row || !rules.isThere(verb, bucket, judgedRow(row as store.StoredRecord))) throw noRecord();
}

function list(deps: RecordDeps): Endpoint {
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
    handle: (call) => {
      const { query, located: bucket } = call;
      const rules = new RecordRules(call, bucket);
      const rule = rules.listed(bucket);
      const scope = sql`app_id = ${bucket.appId} and bucket_id = ${bucket.bucketId}`;
      const table = { ...(rules.showOwners ? recordTable : plainRecordTable), lookup: bucket.lookup };
      return listRecords(deps.db, table, {
        scope,
        ...(rule ? { allowed: rule } : {}),
        query,
        defaultLimit: 100,
        idsFollowCreation: true,
        tenant: bucket.appId,
        onDocumentsRead: (fields) => deps.asked.note(bucket, fields),
      });
    },
  });
}

const createBody: BodySpec<Document> = {
  ...recordBody,
  read: (body) => {
    const document = isObject(body) && Object.hasOwn(body, 'metadata') ? body['metadata'] : undefined;
    if (isObject(document)) return document;
    const problem = document === undefined ? 'is required' : 'must be a JSON object';
    throw fail('ValidationError', { message: `metadata ${problem}.`, details: [{ field: 'metadata', problem }] });
  },
};

function create(deps: RecordDeps): Endpoint {
  return endpoint<Document, Bucket>({
    ...common,
    method: 'POST',
    path,
    operationId: 'createRecord',
    grant: { of: 'bucket', verb: 'create' },
    summary: 'Create a record',
    body: createBody,
    answer: createdAnswer,
    errors: ['InvalidBucketName', 'InvalidSchema', 'ValidationError', 'ObjectTooLarge', 'OperationForbidden'],
    repeat: created,
    locate: (call) => bucketToWrite(deps, call),
    handle: async (call) => {
      const { user, now, objectId = newObjectId(now) } = call;
      const createdBy = user?.userId ?? null;
      const rules = new RecordRules(call, call.located);
      const bytes = await writeRecord(stepsOf(deps, call), async (bucket) => {
        const document = () => call.body;
        rules.assertMayCreate(bucket, { objectId, document, createdBy, createdAt: now, updatedAt: now });
        const prepared = prepare(bucket, call.body);
        if (prepared.outcome === 'misfits') return prepared;
        const key = { appId: bucket.appId, bucketId: bucket.bucketId, objectId };
        const bytes = Buffer.byteLength(prepared.write.document);
        const room = deps.usage.assertRoom(bucket.appId, call.app.policy, { records: 1, recordBytes: bytes });
        if (room) await room;
        const isDone = await deps.insert({ ...prepared.write, key, createdBy, now });
        return isDone ? { outcome: 'written', result: bytes } : { outcome: 'outdated' };
      });
      deps.usage.add(call.app.appId, { records: 1, recordBytes: bytes });
      return created({ objectId, now: call.now });
    },
  });
}

function stepsOf(deps: RecordDeps, call: PathCall & { readonly located: Bucket }): WriteSteps<Bucket> {
  return {
    bucket: call.located,
    markInexact: ({ appId, bucketId }, slots) => deps.markInexact(appId, bucketId, slots),
    reload: () => reload(deps, call),
  };
}

async function reload(deps: RecordDeps, call: PathCall): Promise<Bucket> {
  const found = await deps.directory.reload(call.app.appId, call.params['bucketName'] ?? '');
  if (!found) throw fail('InvalidSchema', 'There is no bucket with this name; create it in the management console.');
  return found;
}

/** @throws Failure ObjectNotFound, also for what the caller may not read */
async function readable({ db }: RecordDeps, call: PathCall, bucket: Bucket): Promise<store.StoredRecord> {
  const record = (await recordTable.find(db, keyOf(bucket, call))) as store.StoredRecord | undefined;
  const rules = new RecordRules(call, bucket);
  const judged = record && judgedRow(record);
  if (!judged || !rules.may('get', bucket, judged)) throw noRecord();
  rules.noteDryRun('get', bucket, judged);
  return record;
}

function get(deps: RecordDeps): Endpoint {
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
    judge: async (call) => readable(deps, call, await bucketToRead(deps, call)),
    hasEntityTag: true,
    handle: async (call) => {
      const record = await readable(deps, call, call.located);
      return tagged(`{"result":${recordTable.render(record)}}`, tagOf(record));
    },
  });
}

/**
 * The meaning of a body for the document: a lone `metadata` object replaces it, anything else replaces members of it.
 */
function readMembers(body: unknown): Sent {
  if (!isObject(body))
    throw fail('ValidationError', {
      message: 'The body must be a JSON object.',
      details: [{ field: '', problem: 'must be a JSON object' }],
    });
  const members = Object.fromEntries(Object.entries(body).filter(([name]) => !generated.has(name)));
  const { metadata, createdBy, ...others } = members;
  const isRecord = isObject(metadata) && Object.keys(others).length === 0;
  // A record as it was read, perhaps with another owner. In any other body createdBy is a member of the document.
  if (isRecord && createdBy === null) return { whole: true, members: metadata, createdBy };
  const owner = isRecord ? readPointer(createdBy) : undefined;
  if (isRecord && owner?.className === '_User') return { whole: true, members: metadata, createdBy: owner.objectId };
  return Object.keys(members).length === 1 && isObject(metadata)
    ? { whole: true, members: metadata }
    : { whole: false, members };
}

interface Sent {
  readonly whole: boolean;
  readonly members: Document;
  /** The owner, where the body names one. */
  readonly createdBy?: string | null;
}

/** Members replace members; null removes one. */
function replaceMembers(document: Document, members: Document): Document {
  const merged = new Map([...Object.entries(document), ...Object.entries(members)]);
  return Object.fromEntries([...merged].filter(([name, value]) => value !== null || !Object.hasOwn(members, name)));
}

function put(deps: RecordDeps): Endpoint {
  return updating(deps, {
    method: 'PUT',
    operationId: 'updateRecord',
    summary: 'Update a record',
    description:
      'Data members that are sent replace those of the document, the others are kept, null removes one. ' +
      'A body whose only member is an object called metadata replaces the document as a whole.',
    merge: (document, { whole, members }) => (whole ? members : replaceMembers(document, members)),
  });
}

function patch(deps: RecordDeps): Endpoint {
  return updating(deps, {
    method: 'PATCH',
    operationId: 'patchRecord',
    summary: 'Merge changes into a record',
    description: 'JSON Merge Patch (RFC 7396) of the document, whose members are sent directly or under metadata.',
    merge: (document, { members }) => mergePatch(document, members) as Document,
  });
}

const updateSchema = Type.Object({}, { description: 'Members of the document, or all of it under `metadata`' });

interface Updating extends Pick<Endpoint, 'operationId' | 'summary' | 'description'> {
  readonly method: 'PUT' | 'PATCH';
  readonly merge: (document: Document, change: ReturnType<typeof readMembers>) => Document;
}

/** @throws Failure ObjectNotFound */
async function assertUser({ userExists }: RecordDeps, db: Db, { app }: Caller, userId: string): Promise<void> {
  if (!(await userExists(db, app.appId, userId)))
    throw fail('ObjectNotFound', `createdBy: there is no user ${userId}.`);
}

interface Updated {
  readonly updatedAt: number;
  /** By how many bytes the document has grown. */
  readonly more: number;
  readonly tag: string;
}

function updating(deps: RecordDeps, { merge, ...about }: Updating): Endpoint {
  return endpoint<ReturnType<typeof readMembers>, Bucket>({
    ...common,
    ...about,
    grant: { of: 'bucket', verb: 'update' },
    path: `${path}/:objectId`,
    body: { schema: updateSchema, example: recordBody.example.metadata, read: readMembers },
    answer: inArray(updatedAnswer),
    errors: [
      'InvalidBucketName',
      'InvalidSchema',
      'ValidationError',
      'ObjectNotFound',
      'ObjectTooLarge',
      'OperationForbidden',
    ],
    takesIfMatch: true,
    locate: (call) => recordToWrite(deps, call),
    handle: async (call) => {
      const { body, now, params } = call;
      const rules = new RecordRules(call, call.located);
      const assertUnchanged = readIfMatch(call.headers);
      await deps.usage.assertRoom(call.app.appId, call.app.policy, {});
      const { updatedAt, more, tag } = await writeRecord<Bucket, Updated>(stepsOf(deps, call), (bucket) =>
        deps.db.transaction(async (db) => {
          const key = { appId: bucket.appId, bucketId: bucket.bucketId, objectId: params['objectId'] ?? '' };
          const current = await store.lockRecord(db, key);
          const judged = current && judgedRow(current);
          if (!judged || !rules.isThere('update', bucket, judged)) throw noRecord();
          rules.noteDryRun('update', bucket, judged);
          assertUnchanged?.(tagOf(current));
          const before = JSON.parse(current.doc) as Document;
          const merged = rules.keepFixed(before, merge(before, body), Object.keys(body.members));
          const { createdBy = current.created_by } = body;
          const next = { ...judged, document: () => merged, createdBy, updatedAt: now };
          rules.assertMayChange(bucket, { ...judged, document: () => before }, next);
          if (createdBy !== null && createdBy !== current.created_by) await assertUser(deps, db, call, createdBy);
          const prepared = prepare(bucket, merged);
          if (prepared.outcome === 'misfits') return prepared;
          const { document } = prepared.write;
          const more = Buffer.byteLength(document) - Buffer.byteLength(current.doc);
          // Known since before the transaction, so nothing is awaited.
          void deps.usage.assertRoom(bucket.appId, call.app.policy, { recordBytes: more });
          if (!(await store.updateRecord(db, { ...prepared.write, key, createdBy, now })))
            return { outcome: 'outdated' };
          const updatedAt = Math.max(now, current.updated_at);
          const tag = tagOf({ doc: document, updated_at: updatedAt });
          return { outcome: 'written', result: { updatedAt, more, tag } };
        }),
      );
      deps.usage.add(call.app.appId, { recordBytes: more });
      return tagged(JSON.stringify({ result: [{ updatedAt: isoTime(updatedAt) }] }), tag);
    },
  });
}

function remove(deps: RecordDeps): Endpoint {
  return endpoint<undefined, Bucket>({
    ...common,
    method: 'DELETE',
    path: `${path}/:objectId`,
    operationId: 'deleteRecord',
    grant: { of: 'bucket', verb: 'delete' },
    summary: 'Delete a record',
    answer: inArray(deletedAnswer),
    takesIfMatch: true,
    errors: ['InvalidBucketName', 'ObjectNotFound'],
    locate: (call) => bucketToRead(deps, call),
    judge: async (call) => assertThere('delete', call, await bucketToRead(deps, call), deps),
    handle: async (call) => {
      const { appId, bucketId } = call.located;
      const key = { appId, bucketId, objectId: call.params['objectId'] ?? '' };
      const rules = new RecordRules(call, call.located);
      const assertUnchanged = readIfMatch(call.headers);
      const bytes =
        assertUnchanged === undefined && rules.mayAll('delete', call.located)
          ? await removeUnseen(deps, rules, call.located, key)
          : await deps.db.transaction(async (db) => {
              const current = await store.lockRecord(db, key);
              const judged = current && judgedRow(current);
              if (!judged || !rules.isThere('delete', call.located, judged)) return undefined;
              rules.noteDryRun('delete', call.located, judged);
              assertUnchanged?.(tagOf(current));
              await recordTable.remove(db, keyOf(call.located, call));
              return Buffer.byteLength(current.doc);
            });
      if (bytes === undefined) throw noRecord();
      deps.usage.add(call.app.appId, { records: -1, recordBytes: -bytes });
      return { result: [{}] };
    },
  });
}

async function removeUnseen({ db }: RecordDeps, rules: RecordRules, bucket: Bucket, key: store.RecordKey) {
  const removed = await store.removeUnseen(db, key);
  if (removed) rules.noteDeleted(bucket, removed.created_by);
  return removed?.bytes;
}
