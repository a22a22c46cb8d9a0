import type { Caller } from '../../../../access/caller.ts';
import { fail } from '../../../../base/errors.ts';
import { andThen, type MaybePromise } from '../../../../base/maybe-promise.ts';
import type { Past } from '../../../../resources/past.ts';
import type { Context } from '../../../context.ts';
import type { Asker } from '../../../record-hooks.ts';
import type { Bucket, BucketDirectory } from '../definition/directory.ts';
import type { AskedMembers } from '../definition/learn.ts';
import type * as store from '../definition/record-store.ts';
import { assertBucketName } from '../definition/schemas.ts';
import { recordTag } from '../definition/tables.ts';
import type { InsertRecord } from './record-inserter.ts';
import type { WriteSteps } from './record-writing.ts';

/** What the endpoints of records share: what they are given, and the bucket and the record that a path names. */

export interface RecordDeps extends Pick<Context, 'db' | 'usage' | 'userExists' | 'recordHook'> {
  readonly directory: BucketDirectory;
  readonly asked: AskedMembers;
  readonly insert: InsertRecord;
  readonly markInexact: (appId: string, bucketId: string, slots: readonly string[]) => Promise<void>;
  readonly past: Past;
}

export type PathCall = Caller & { readonly params: Readonly<Record<string, string>> };

export const common = {
  tag: recordTag,
  parameters: { bucketName: 'The name of the bucket', objectId: 'The objectId of the record' },
} as const;
export const path = '/data/bucket/:bucketName';

function findBucket({ directory }: RecordDeps, { app, params }: PathCall): MaybePromise<Bucket | undefined> {
  const name = params['bucketName'] ?? '';
  const known = directory.known(app.appId, name);
  if (known) return known;
  assertBucketName(name);
  return directory.reload(app.appId, name);
}

/** @throws Failure ObjectNotFound */
export function bucketToRead(deps: RecordDeps, call: PathCall): MaybePromise<Bucket> {
  return andThen(findBucket(deps, call), (bucket) => {
    if (!bucket) throw fail('ObjectNotFound', 'There is no bucket with this name.');
    return bucket;
  });
}

const noBucket = () => fail('InvalidSchema', 'There is no bucket with this name; create it in the management console.');

/** @throws Failure InvalidSchema */
export function bucketToWrite(deps: RecordDeps, call: PathCall): MaybePromise<Bucket> {
  return andThen(findBucket(deps, call), (bucket) => {
    if (!bucket) throw noBucket();
    return bucket;
  });
}

/** The steps of `writeRecord`, which repeats them when the bucket has changed meanwhile. */
export function stepsOf(deps: RecordDeps, call: PathCall & { readonly located: Bucket }): WriteSteps<Bucket> {
  return {
    bucket: call.located,
    markInexact: ({ appId, bucketId }, slots) => deps.markInexact(appId, bucketId, slots),
    reload: () => reload(deps, call),
  };
}

async function reload(deps: RecordDeps, call: PathCall): Promise<Bucket> {
  const found = await deps.directory.reload(call.app.appId, call.params['bucketName'] ?? '');
  if (!found) throw noBucket();
  return found;
}

/** The author of the change, as webhooks are told. */
export function askerOf({ user, secretKey, isAdministrator }: PathCall): Asker {
  if (user) return { kind: 'user', objectId: user.userId };
  if (secretKey) return { kind: 'secretKey', objectId: secretKey.keyId, name: secretKey.name };
  return { kind: isAdministrator ? 'administrator' : 'app' };
}

export function keyOf(bucket: Bucket, call: PathCall) {
  return { app_id: bucket.appId, bucket_id: bucket.bucketId, object_id: call.params['objectId'] ?? '' };
}

export function storeKeyOf({ appId, bucketId }: Bucket, call: PathCall): store.RecordKey {
  return { appId, bucketId, objectId: call.params['objectId'] ?? '' };
}

/** Each change of a record moves its time on, so the time tells its versions apart (ADR 54). As long as other tags are. */
export const tagOf = ({ updated_at }: Pick<store.StoredRecord, 'updated_at'>) => `"00000000000${updated_at}"`;

export const noRecord = () => fail('ObjectNotFound', 'There is no record with this objectId.');
