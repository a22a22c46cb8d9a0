import { Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { inArray, isoTime, updatedAnswer } from '../../../http/answers.ts';
import { type Call, type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { type AssertUnchanged, readIfMatch, tagged } from '../../../resources/entity-tag.ts';
import { mergePatch } from '../../../resources/merge-patch.ts';
import { makerOf } from '../../../resources/past.ts';
import type { Bucket } from '../definition/directory.ts';
import { recordBody } from '../definition/schemas.ts';
import * as store from '../definition/store.ts';
import { assertThere, thereFor } from './assert-there.ts';
import {
  bucketToWrite,
  common,
  noRecord,
  type PathCall,
  path,
  type RecordDeps,
  stepsOf,
  tagOf,
  timeOfChange,
} from './bucket-of.ts';
import { readChange, replaceMembers, type Sent } from './change-body.ts';
import { type Document, judgedRow, RecordRules } from './record-rules.ts';
import { type Attempted, isKept, pastOf, prepare, writeRecord } from './record-writing.ts';

export function put(deps: RecordDeps): Endpoint {
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

export function patch(deps: RecordDeps): Endpoint {
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
  readonly merge: (document: Document, change: Sent) => Document;
}

/** @throws Failure ObjectNotFound */
async function assertUser({ userExists }: RecordDeps, db: Db, { app }: PathCall, userId: string): Promise<void> {
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
  return endpoint<Sent, Bucket>({
    ...common,
    ...about,
    grant: { of: 'bucket', verb: 'update' },
    path: `${path}/:objectId`,
    body: { schema: updateSchema, example: recordBody.example.metadata, read: readChange },
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
    locate: async (call) => {
      const bucket = await bucketToWrite(deps, call);
      await assertThere(deps.db, 'update', call, bucket);
      return bucket;
    },
    handle: async (call) => {
      const { usage } = deps;
      const assertUnchanged = readIfMatch(call.headers);
      const room = usage.assertRoom(call.app.appId, call.app.policy, {});
      if (room) await room;
      const { updatedAt, more, tag } = await writeRecord<Bucket, Updated>(stepsOf(deps, call), (bucket) =>
        deps.db.transaction((db) => change(deps, db, { call, bucket, merge, assertUnchanged })),
      );
      usage.add(call.app.appId, { recordBytes: more });
      return tagged(JSON.stringify({ result: [{ updatedAt: isoTime(updatedAt) }] }), tag);
    },
  });
}

interface Changing {
  readonly call: Call<Sent, Bucket>;
  /** As it is known now; `call.located` may be older. */
  readonly bucket: Bucket;
  readonly merge: Updating['merge'];
  readonly assertUnchanged: AssertUnchanged | undefined;
}

/** One attempt, in a transaction. @throws Failure ObjectNotFound, OperationForbidden, PreconditionFailed and others */
async function change(
  deps: RecordDeps,
  db: Db,
  { call, bucket, merge, assertUnchanged }: Changing,
): Promise<Attempted<Updated>> {
  const { body, now } = call;
  const key = { appId: bucket.appId, bucketId: bucket.bucketId, objectId: call.params['objectId'] ?? '' };
  const rules = new RecordRules(call, bucket);
  const current = await store.lockRecord(db, key, rules.thereSql(thereFor('update'), bucket, db.dialect.where));
  const judged = current && judgedRow(current);
  if (!judged || !rules.isThere('update', bucket, judged)) throw noRecord();
  // Once, however often the transaction is tried.
  db.afterCommit(() => rules.noteDryRun('update', bucket, judged));
  assertUnchanged?.(tagOf(current));
  const before = JSON.parse(current.doc) as Document;
  const merged = rules.keepFixed(before, merge(before, body), Object.keys(body.members));
  const { createdBy = current.created_by } = body;
  const updatedAt = timeOfChange(current, now);
  const next = { ...judged, document: () => merged, createdBy, updatedAt };
  rules.assertMayChange(bucket, { ...judged, document: () => before }, next);
  if (createdBy !== null && createdBy !== current.created_by) await assertUser(deps, db, call, createdBy);
  const prepared = prepare(bucket, merged);
  if (prepared.outcome === 'misfits') return prepared;
  const { document } = prepared.write;
  const more = Buffer.byteLength(document) - Buffer.byteLength(current.doc);
  // Known since before the transaction, so nothing is awaited.
  void deps.usage.assertRoom(bucket.appId, call.app.policy, { recordBytes: more });
  if (!(await store.updateRecord(db, { ...prepared.write, key, createdBy, now: updatedAt })))
    return { outcome: 'outdated' };
  if (isKept(call) && document !== current.doc)
    await deps.past.noteChange(db, pastOf(key, current), { by: makerOf(call), now });
  return { outcome: 'written', result: { updatedAt, more, tag: tagOf({ updated_at: updatedAt }) } };
}
