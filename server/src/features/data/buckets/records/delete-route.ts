import type { Db } from '../../../../db/db.ts';
import { deletedAnswer, inArray } from '../../../../http/answers.ts';
import { type Call, type Endpoint, endpoint } from '../../../../http/endpoint.ts';
import { type AssertUnchanged, readIfMatch } from '../../../../resources/entity-tag.ts';
import { makerOf } from '../../../../resources/past.ts';
import type { RecordHook } from '../../../record-hooks.ts';
import type { Bucket } from '../definition/directory.ts';
import * as store from '../definition/record-store.ts';
import { recordTable } from '../definition/tables.ts';
import { assertThere, findThere, lockThere } from './assert-there.ts';
import {
  askerOf,
  bucketToRead,
  common,
  keyOf,
  noRecord,
  path,
  type RecordDeps,
  stepsOf,
  storeKeyOf,
  tagOf,
} from './bucket-of.ts';
import { judgedRow, RecordRules } from './record-rules.ts';
import { type Attempted, isKept, pastOf, writeRecord } from './record-writing.ts';

export function remove(deps: RecordDeps): Endpoint {
  return endpoint<undefined, Bucket>({
    ...common,
    method: 'DELETE',
    path: `${path}/:objectId`,
    operationId: 'deleteRecord',
    grant: { of: 'bucket', verb: 'delete' },
    summary: 'Delete a record',
    answer: inArray(deletedAnswer),
    takesIfMatch: true,
    errors: ['InvalidBucketName', 'ObjectNotFound', 'ValidationError'],
    locate: (call) => bucketToRead(deps, call),
    judge: async (call) => assertThere(deps.db, 'delete', call, await bucketToRead(deps, call)),
    handle: async (call) => {
      const assertUnchanged = readIfMatch(call.headers);
      const rules = new RecordRules(call, call.located);
      const hook = await deps.recordHook(call.app.appId, call.located.name, 'record.deleting');
      const isUnseen =
        hook === undefined && assertUnchanged === undefined && !isKept(call) && rules.mayAll('delete', call.located);
      const removed = isUnseen
        ? await removeUnseen(deps, rules, call)
        : await writeRecord(stepsOf(deps, call), async () => {
            const asked = hook && (await ask(deps, hook, { call, rules, assertUnchanged }));
            return deps.db.transaction((db) => removeSeen(deps, db, { call, rules, assertUnchanged, asked }));
          });
      if (removed === undefined) throw noRecord();
      const less = { records: -1, recordBytes: -removed.bytes };
      deps.usage.add(call.located.appId, less);
      deps.usage.users.add(call.located.appId, removed.created_by, less);
      return { result: [{}] };
    },
  });
}

type Removal = Call<undefined, Bucket>;

/** Deletes without reading the record. Undefined: there is no such record. */
async function removeUnseen({ db }: RecordDeps, rules: RecordRules, call: Removal): Promise<store.Removed | undefined> {
  const removed = await store.removeUnseen(db, storeKeyOf(call.located, call));
  if (removed) rules.noteDeleted(call.located, removed.created_by);
  return removed;
}

interface Seen {
  readonly call: Removal;
  readonly rules: RecordRules;
  readonly assertUnchanged: AssertUnchanged | undefined;
  /** The tag of the record about which webhooks were asked. */
  readonly asked?: string | undefined;
}

/** Asks about the record as it is now. @throws Failure ObjectNotFound, OperationForbidden, PreconditionFailed, and what webhooks throw */
async function ask({ db }: RecordDeps, hook: RecordHook, { call, rules, assertUnchanged }: Seen): Promise<string> {
  const { located: bucket } = call;
  const current = await findThere(db, 'delete', { call, bucket, rules });
  const before = current && judgedRow(current);
  if (!before || !rules.isThere('delete', bucket, before)) throw noRecord();
  assertUnchanged?.(tagOf(current));
  await hook.ask({ before, by: askerOf(call) }, () => {});
  return tagOf(current);
}

/** Reads the record, and deletes it if the rules allow that. @throws Failure OperationForbidden, PreconditionFailed */
async function removeSeen(
  { past }: RecordDeps,
  db: Db,
  { call, rules, assertUnchanged, asked }: Seen,
): Promise<Attempted<store.Removed | undefined>> {
  const { located: bucket, now } = call;
  const key = storeKeyOf(bucket, call);
  const current = await lockThere(db, 'delete', { call, bucket, rules });
  const judged = current && judgedRow(current);
  if (!judged || !rules.isThere('delete', bucket, judged)) return { outcome: 'written', result: undefined };
  if (asked !== undefined && asked !== tagOf(current)) return { outcome: 'outdated' };
  // Once, however often the transaction is tried.
  db.afterCommit(() => rules.noteDryRun('delete', bucket, judged));
  assertUnchanged?.(tagOf(current));
  if (isKept(call)) await past.noteRemoval(db, pastOf(key, current), { by: makerOf(call), now });
  await recordTable.remove(db, keyOf(bucket, call));
  const result = { bytes: Buffer.byteLength(current.doc), created_by: current.created_by };
  return { outcome: 'written', result };
}
