import { isObject, readPointer } from '@pharos/query';
import { Type } from 'typebox';
import { fail } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import { inArray, isoTime, updatedAnswer } from '../../../../http/answers.ts';
import { type Call, type Endpoint, endpoint } from '../../../../http/endpoint.ts';
import type { Stored } from '../../../../limits/stored.ts';
import type { Storer } from '../../../../limits/user-usage.ts';
import { type AssertUnchanged, readIfMatch, tagged, timeOfChange } from '../../../../resources/entity-tag.ts';
import { mergePatch } from '../../../../resources/merge-patch.ts';
import { makerOf } from '../../../../resources/past.ts';
import type { HookRecord, RecordHook } from '../../../record-hooks.ts';
import type { Bucket } from '../definition/directory.ts';
import * as store from '../definition/record-store.ts';
import { maxRecordBytes, recordBody } from '../definition/schemas.ts';
import { assertThere, findThere, lockThere } from './assert-there.ts';
import {
  askerOf,
  bucketToWrite,
  common,
  noRecord,
  type PathCall,
  path,
  type RecordDeps,
  stepsOf,
  storeKeyOf,
  tagOf,
} from './bucket-of.ts';
import type { Document } from './record-rules.ts';
import { judgedRow, RecordRules } from './record-rules.ts';
import { type Attempted, isKept, pastOf, prepare, writeRecord } from './record-writing.ts';

interface SentRecord {
  readonly whole: boolean;
  readonly members: Document;
  /** The new owner, if the body names one. */
  readonly createdBy?: string | null;
}

const generated = new Set(['objectId', 'createdAt', 'updatedAt']);

/**
 * The meaning of a body for the document: a lone `metadata` object replaces it, anything else replaces members of it.
 */
function readChange(body: unknown): SentRecord {
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

/** Members replace members; null removes one. */
function replaceMembers(document: Document, members: Document): Document {
  const merged = new Map([...Object.entries(document), ...Object.entries(members)]);
  return Object.fromEntries([...merged].filter(([name, value]) => value !== null || !Object.hasOwn(members, name)));
}

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
  readonly merge: (document: Document, change: SentRecord) => Document;
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
  readonly before: { readonly ownerId: string | null; readonly bytes: number };
  readonly ownerId: string | null;
  readonly tag: string;
}

function updating(deps: RecordDeps, { merge, ...about }: Updating): Endpoint {
  return endpoint<SentRecord, Bucket>({
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
      const ownRoom = usage.users.prepare(call, { recordBytes: maxRecordBytes });
      if (ownRoom) await ownRoom;
      const { createdBy: next } = call.body;
      const assertGift = next === undefined ? undefined : await usage.users.giftTo(call, next);
      let release = () => {};
      const hold: Changing['hold'] = (storer, more) => {
        release();
        release = usage.hold(storer, more);
      };
      const hook = await deps.recordHook(call.app.appId, call.located.name, 'record.updating');
      const changing = { call, merge, assertUnchanged, assertGift, hold };
      const { updatedAt, more, before, ownerId, tag } = await writeRecord<Bucket, Updated>(
        stepsOf(deps, call),
        async (bucket) => {
          const asked = hook && (await ask(deps, hook, { ...changing, bucket }));
          return deps.db.transaction((db) => change(deps, db, { ...changing, bucket, asked }));
        },
      ).finally(() => release());
      const { appId } = call.app;
      usage.add(appId, { recordBytes: more });
      if (before.ownerId !== ownerId)
        usage.users.move(appId, before.ownerId, ownerId, { records: 1, recordBytes: before.bytes });
      usage.users.add(appId, ownerId, { recordBytes: more });
      return tagged(JSON.stringify({ result: [{ updatedAt: isoTime(updatedAt) }] }), tag);
    },
  });
}

interface Changing {
  readonly call: Call<SentRecord, Bucket>;
  /** The current definition; `call.located` may be older. */
  readonly bucket: Bucket;
  readonly merge: Updating['merge'];
  readonly assertUnchanged: AssertUnchanged | undefined;
  /** Checks that its next owner has room for it. */
  readonly assertGift: ((more: Partial<Stored>) => void) | undefined;
  /** Reserves room until it is written, in place of the previous attempt's reservation. */
  readonly hold: (storer: Storer, more: Partial<Stored>) => void;
  /** What webhooks were asked and answered. */
  readonly asked?: Asked | undefined;
}

interface Asked {
  /** The tag of the record that they have seen. */
  readonly tag: string;
  readonly document: Document;
}

/** The record after the change. @throws Failure OperationForbidden, PreconditionFailed, ValidationError */
function propose(
  current: store.StoredRecord,
  { call: { body, now }, bucket, merge, assertUnchanged, asked }: Changing,
  rules: RecordRules,
): HookRecord {
  assertUnchanged?.(tagOf(current));
  const judged = judgedRow(current);
  const before = judged.document();
  const merged = asked?.document ?? rules.keepFixed(before, merge(before, body), Object.keys(body.members));
  const { createdBy = current.created_by } = body;
  if (body.createdBy !== undefined) rules.assertMayName(current.created_by, createdBy);
  const after = { ...judged, document: () => merged, createdBy, updatedAt: timeOfChange(current, now) };
  rules.assertMayChange(bucket, judged, after);
  return after;
}

/** Asks the hooks about the present record. @throws Failure ObjectNotFound, and what `propose`, `prepare` and the webhooks throw */
async function ask(deps: RecordDeps, hook: RecordHook, changing: Changing): Promise<Asked> {
  const { call, bucket } = changing;
  const rules = new RecordRules(call, bucket);
  const current = await findThere(deps.db, 'update', { call, bucket, rules });
  const before = current && judgedRow(current);
  if (!before || !rules.isThere('update', bucket, before)) throw noRecord();
  const after = propose(current, changing, rules);
  prepare(bucket, after.document());
  const document = await hook.ask({ before, after, by: askerOf(call) }, (amended) => {
    rules.assertMayChange(bucket, before, { ...after, document: () => amended });
    prepare(bucket, amended);
  });
  return { tag: tagOf(current), document };
}

/** One attempt, in a transaction. @throws Failure ObjectNotFound, OperationForbidden, PreconditionFailed and others */
async function change(deps: RecordDeps, db: Db, changing: Changing): Promise<Attempted<Updated>> {
  const { call, bucket, assertGift, hold, asked } = changing;
  const key = storeKeyOf(bucket, call);
  const rules = new RecordRules(call, bucket);
  const current = await lockThere(db, 'update', { call, bucket, rules });
  const judged = current && judgedRow(current);
  if (!judged || !rules.isThere('update', bucket, judged)) throw noRecord();
  // Somebody else has changed it since the webhooks were asked.
  if (asked && asked.tag !== tagOf(current)) return { outcome: 'outdated' };
  // Once, however often the transaction is tried.
  db.afterCommit(() => rules.noteDryRun('update', bucket, judged));
  const after = propose(current, changing, rules);
  const { createdBy, updatedAt } = after;
  if (createdBy !== null && createdBy !== current.created_by) await assertUser(deps, db, call, createdBy);
  const prepared = prepare(bucket, after.document());
  if (prepared.outcome === 'misfits') return prepared;
  const { document } = prepared.write;
  const more = Buffer.byteLength(document) - Buffer.byteLength(current.doc);
  const isOwn = createdBy === call.user?.userId;
  // Known since before the transaction, so nothing is awaited.
  if (more > 0) hold(isOwn ? call : { ...call, user: undefined }, { recordBytes: more });
  if (createdBy !== current.created_by) assertGift?.({ records: 1, recordBytes: Buffer.byteLength(document) });
  if (!(await store.updateRecord(db, { ...prepared.write, key, createdBy, now: updatedAt })))
    return { outcome: 'outdated' };
  if (isKept(call) && document !== current.doc)
    await deps.past.noteChange(db, pastOf(key, current), { by: makerOf(call), now: call.now });
  const was = { ownerId: current.created_by, bytes: Buffer.byteLength(current.doc) };
  const tag = tagOf({ updated_at: updatedAt });
  return { outcome: 'written', result: { updatedAt, more, before: was, ownerId: createdBy, tag } };
}
