import type { Answer, Body, Call, CallOptions, OperationId, Query } from '../call.ts';
import type { Follow, FollowedQuery, ListHandlers, RecordIn } from '../list-stream.ts';
import type { LiveStream } from '../live-stream.ts';

type Of<Id extends string> = Id & OperationId;
type Result<Id extends OperationId> = Answer<Id> extends { readonly result: infer One } ? One : never;
/** Some answers have the record in an array. */
type One<R> = R extends readonly (infer Only)[] ? Only : R;

/** Records of one kind, which have a creator. */
export interface RecordService<Title extends string, Plural extends string> {
  list(query?: Query, options?: CallOptions): Promise<Answer<Of<`list${Plural}`>>>;
  /** Follows the list: its records first, and then what enters, changes and leaves. */
  subscribe(query: FollowedQuery, handlers: ListHandlers<RecordIn<Of<`list${Plural}`>>>): LiveStream;
  get(objectId: string, options?: CallOptions): Promise<Result<Of<`get${Title}`>>>;
  create(body: Body<Of<`create${Title}`>>, options?: CallOptions): Promise<Result<Of<`create${Title}`>>>;
  /** Replaces the members that are sent and keeps the rest; null clears an optional one. */
  update(
    objectId: string,
    body: Body<Of<`update${Title}`>>,
    options?: CallOptions,
  ): Promise<One<Result<Of<`update${Title}`>>>>;
  delete(objectId: string, options?: CallOptions): Promise<void>;
  /** Gives it to another user. */
  handOver(objectId: string, userId: string, options?: CallOptions): Promise<Result<Of<`update${Title}Owner`>>>;
}

/** @param title as in the ids of its operations: `getBeacon`, `listBeacons` */
export function recordService<Title extends string, Plural extends string>(
  call: Call,
  title: Title,
  plural: Plural,
  follow: Follow,
): RecordService<Title, Plural> {
  // What the ids have in common, which the compiler cannot follow.
  const ask = call as unknown as (id: string, input: object) => Promise<{ readonly result: unknown }>;
  const of = async (id: string, input: object) => (await ask(id, input)).result;
  return {
    list: (query = {}, options = {}) => ask(`list${plural}`, { query, ...options }),
    subscribe: (query, handlers) =>
      follow({ id: `list${plural}` as OperationId }, query, handlers as ListHandlers<{ readonly objectId: string }>),
    get: (objectId, options = {}) => of(`get${title}`, { params: { objectId }, ...options }),
    create: (body, options = {}) => of(`create${title}`, { body, ...options }),
    update: async (objectId, body, options = {}) =>
      [await of(`update${title}`, { params: { objectId }, body, ...options })].flat()[0],
    delete: async (objectId, options = {}) => void (await of(`delete${title}`, { params: { objectId }, ...options })),
    handOver: (objectId, userId, options = {}) =>
      of(`update${title}Owner`, { params: { objectId }, body: { userId }, ...options }),
  } as RecordService<Title, Plural>;
}
