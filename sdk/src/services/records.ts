import type { Answer, Body, Call, CallOptions, Operation, OperationId, Query } from '../call.ts';

type Of<Id extends string> = Id & OperationId;
type Result<Id extends OperationId> = Answer<Id> extends { readonly result: infer One } ? One : never;
/** Some answers have the record in an array. */
type One<R> = R extends readonly (infer Only)[] ? Only : R;

/** Records of one kind, which have a creator. */
export interface RecordService<Title extends string, Plural extends string> {
  list(query?: Query, options?: CallOptions): Promise<Answer<Of<`list${Plural}`>>>;
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

/**
 * @param path of the list; a record's path and operations follow from it
 * @param changed the JSON type of `result` after a change
 */
export function recordService<Title extends string, Plural extends string>(
  call: Call,
  path: string,
  changed: 'object' | 'array' = 'object',
): RecordService<Title, Plural> {
  // The compiler cannot know which types belong to a path.
  const ask = call as unknown as (operation: Operation, input: object) => Promise<{ readonly result: unknown }>;
  const of = async (operation: Operation, input: object) => (await ask(operation, input)).result;
  const one = `${path}/{objectId}`;
  const [result, change] = [{ result: 'object' }, { result: changed }];
  return {
    list: (query = {}, options = {}) =>
      ask({ method: 'GET', path, answer: { results: 'array' } }, { query, ...options }),
    get: (objectId, options = {}) =>
      of({ method: 'GET', path: one, answer: result }, { params: { objectId }, ...options }),
    create: (body, options = {}) => of({ method: 'POST', path, answer: result, takesKey: true }, { body, ...options }),
    update: async (objectId, body, options = {}) =>
      [await of({ method: 'PUT', path: one, answer: change }, { params: { objectId }, body, ...options })].flat()[0],
    delete: async (objectId, options = {}) =>
      void (await of({ method: 'DELETE', path: one, answer: change }, { params: { objectId }, ...options })),
    handOver: (objectId, userId, options = {}) =>
      of(
        { method: 'PUT', path: `${one}/owner`, answer: result },
        { params: { objectId }, body: { userId }, ...options },
      ),
  } as RecordService<Title, Plural>;
}
