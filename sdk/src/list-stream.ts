import { type Answer, addressOf, type Connection, type OperationId, type Query } from './call.ts';
import { type LiveStream, openStream, type RawEvent, type StreamOptions } from './live-stream.ts';
import { safely } from './report.ts';
import { operations } from './wire.ts';

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

/** The operations that answer lists, and one of their records. */
export type RecordIn<Id extends OperationId> =
  Answer<Id> extends { readonly results: readonly (infer R)[] } ? R : never;

/** Follows the list that an operation answers, until it is closed. */
export type Follow = <R extends { readonly objectId: string }>(
  list: { readonly id: OperationId; readonly params?: Readonly<Record<string, string>> },
  query: FollowedQuery,
  handlers: ListHandlers<R>,
) => LiveStream;

/** After an interruption only what is different by then is told, so nothing is missed or told twice. */
export const followOn =
  (connection: Connection): Follow =>
  <R extends { readonly objectId: string }>(
    { id, params = {} }: Parameters<Follow>[0],
    query: FollowedQuery,
    handlers: ListHandlers<R>,
  ) => {
    const list = addressOf(operations[id].path, { params }).slice(1);
    let records: readonly R[] = [];
    let isKnown = false;
    let step: RawEvent[] = [];
    return openStream(connection, { query: { list, ...query } }, handlers, (event) => {
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
  };

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

/** A record that is as it was stays the same object. */
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
