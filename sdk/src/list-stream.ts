import {
  type Answer,
  addressOf,
  type InputOf,
  type Operation,
  type OperationId,
  type OperationTypes,
  type Query,
} from './call.ts';
import type { PharosClient } from './client.ts';
import { type LiveStream, openStream, type RawEvent, type Streaming, type StreamOptions } from './live-stream.ts';
import { safely } from './report.ts';
import type { AnyBuckets, KnownRecord } from './services/buckets.ts';

/** What is called while a list is followed. */
export interface ListHandlers<R> extends StreamOptions {
  /** The list as it is now, in its order: at first, and each time it has changed. */
  readonly onRecords?: (records: readonly R[]) => void;
  /** A record is in the list that was not; at first each of them. */
  readonly onEntered?: (record: R) => void;
  readonly onChanged?: (record: R, before: R) => void;
  /** It is deleted, no longer matches or may no longer be seen, or `limit` has pushed it out. */
  readonly onLeft?: (record: R) => void;
}

/** Which records of a list are followed. */
export type FollowedQuery = Pick<Query, 'where' | 'order' | 'limit'>;

/** One of the records that an operation answers. */
export type RecordIn<Id extends OperationId> = RecordOfAnswer<Answer<Id>>;
type RecordOfAnswer<A> = A extends { readonly results: readonly (infer R)[] } ? R : never;

/** Which list, if its path has parameters, and which of its records. */
export type Followed<Types extends OperationTypes, Name extends string = string> = {
  readonly query?: FollowedQuery;
} & (Types['params'] extends { readonly bucketName: string }
  ? { readonly params: { readonly bucketName: Name } }
  : Pick<InputOf<Types>, keyof InputOf<Types> & 'params'>);

type BucketsOf<Client> = Client extends PharosClient<infer Buckets> ? Buckets : AnyBuckets;

/** A record of a bucket that the client knows, or of any other list. */
type Listed<Types extends OperationTypes, Buckets, Name extends keyof Buckets> = (Types['params'] extends {
  readonly bucketName: string;
}
  ? KnownRecord<Buckets, Name>
  : RecordOfAnswer<Types['answer']>) & { readonly objectId: string };

/**
 * Follows any list until it is closed: its records first, and then what enters, changes and leaves. After an interruption only what is
 * different by then is told, so nothing is missed or told twice.
 */
export function subscribe<
  Client extends Streaming,
  Types extends OperationTypes,
  Name extends keyof BucketsOf<Client> & string,
>(
  client: Client,
  operation: Operation<Types>,
  followed: Followed<Types, Name>,
  handlers: ListHandlers<Listed<Types, BucketsOf<Client>, Name>>,
): LiveStream {
  type R = Listed<Types, BucketsOf<Client>, Name>;
  const { params = {}, query } = followed as {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: object;
  };
  const list = addressOf(operation.path, { params }).slice(1);
  let records: readonly R[] = [];
  let isKnown = false;
  let step: RawEvent[] = [];
  return openStream(client, { query: { list, ...query } }, handlers, (event) => {
    if (event.type === 'ready' || event.type === 'list') step = [];
    if (event.type === 'ready') return;
    step.push(event);
    // The events of a step count together: only the last one has an id.
    if (event.id === undefined) return;
    const [before, events] = [records, step];
    step = [];
    const next = events.reduce(applied<R>, before);
    records = next;
    tellDifferences(before, next, handlers);
    if (isKnown && before.length === next.length && before.every((record, at) => record === next[at])) return;
    isKnown = true;
    safely(() => handlers.onRecords?.(next), handlers.onError);
  });
}

function applied<R extends { readonly objectId: string }>(
  records: readonly R[],
  { type, text }: RawEvent,
): readonly R[] {
  const data = JSON.parse(text) as { results: R[]; result: R; objectId: string; after: string | null };
  if (type === 'list') {
    const known = new Map(records.map((record) => [record.objectId, record]));
    return data.results.map((record) => same(known.get(record.objectId), record));
  }
  const objectId = type === 'left' ? data.objectId : data.result.objectId;
  const others = records.filter((record) => record.objectId !== objectId);
  if (type === 'left') return others;
  const place = others.findIndex((record) => record.objectId === data.after) + 1;
  return [...others.slice(0, place), data.result, ...others.slice(place)];
}

/** An unchanged record stays the same object. */
const same = <R>(before: R | undefined, record: R): R =>
  before !== undefined && JSON.stringify(before) === JSON.stringify(record) ? before : record;

function tellDifferences<R extends { readonly objectId: string }>(
  before: readonly R[],
  next: readonly R[],
  { onEntered, onChanged, onLeft, onError }: ListHandlers<R>,
): void {
  const [old, now] = [before, next].map((records) => new Map(records.map((record) => [record.objectId, record])));
  for (const record of before) if (!now?.has(record.objectId)) safely(() => onLeft?.(record), onError);
  for (const record of next) {
    const known = old?.get(record.objectId);
    if (known === undefined) safely(() => onEntered?.(record), onError);
    else if (known !== record) safely(() => onChanged?.(record, known), onError);
  }
}
