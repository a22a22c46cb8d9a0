import type { FastifyRequest } from 'fastify';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Call, CurrentList, Endpoint, FollowedList } from './endpoint.ts';
import { plainAnswer } from './hidden-members.ts';

export type ListEndpoint = Endpoint & Required<Pick<Endpoint, 'follow'>>;

const isList = (endpoint: Endpoint): endpoint is ListEndpoint => endpoint.follow !== undefined;

/**
 * The list that a request to an endpoint names, among those that are reached in the same way; undefined if it names none. The
 * parameters of the list's path are put into the request's.
 */
export function findFollowed(
  request: FastifyRequest,
  { followsLists }: Endpoint,
  endpoints: readonly Endpoint[],
): ListEndpoint | undefined {
  if (!followsLists) return undefined;
  const { list } = request.query as Record<string, unknown>;
  if (typeof list !== 'string') return undefined;
  for (const one of endpoints.filter(isList)) {
    const params = paramsIn(list.split('/'), one.path.split('/').slice(1));
    if (!params) continue;
    request.params = { ...(request.params as object), ...params };
    return one;
  }
  return undefined;
}

function paramsIn(given: readonly string[], wanted: readonly string[]): Readonly<Record<string, string>> | undefined {
  const isIt = wanted.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]));
  if (!isIt || given.length !== wanted.length) return undefined;
  const named = wanted.map((part, at) => [part, given[at] ?? ''] as const).filter(([part]) => part.startsWith(':'));
  return Object.fromEntries(named.map(([part, value]) => [part.slice(1), value]));
}

type AnyCall = Call<unknown, unknown>;
type EarlyCall = Omit<Call<undefined, undefined>, 'body' | 'located'>;

export interface Asking {
  readonly query: FollowedList['query'];
  /** The request itself. */
  readonly call: AnyCall;
  /** Repeats the request with the caller's present rights. @throws Failure when the caller may no longer ask */
  readonly again: () => MaybePromise<EarlyCall>;
  readonly handle: (call: AnyCall) => Promise<object>;
  /** Tells apart callers from whom different members are hidden. */
  readonly shownAs: (call: AnyCall) => string;
}

/** How a list is asked: each time as the caller who it is then, about what the path names then. */
export function followedList(list: ListEndpoint, { query, call, again, handle, shownAs }: Asking): FollowedList {
  const { follow, locate, operationId } = list;
  return {
    query,
    check: () => handle({ ...call, query: { ...call.query, limit: '1' } }),
    async ask(): Promise<CurrentList> {
      const early = await again();
      // A reading is no request that a dry run counts.
      const { dryRun: _, ...app } = early.app;
      const now = { ...early, app };
      const located: AnyCall = { ...now, body: undefined, located: await locate?.(now) };
      const { table, sharedAs, mayHave } = await follow(located);
      return {
        table,
        mayHave,
        ...(sharedAs && { sharedAs: JSON.stringify([operationId, app.appId, shownAs(located), sharedAs]) }),
        read: async () => plainAnswer(await handle(located)),
      };
    },
  };
}
