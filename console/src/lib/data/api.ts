import {
  type Answer,
  createCaller,
  operations as dataOperations,
  type Operation,
  type OperationId,
  PharosClient,
  PharosError,
  type Query,
} from '@pharos/sdk';
import { keepPreviousData, type QueryKey, queryOptions, useQuery } from '@tanstack/react-query';
import { type Operations, operations } from '../wire.ts';
import { translatedError } from '../words/translated-error.ts';
import { t } from '../words/words.ts';
import type { RecordPageOf } from './all-records.ts';
import { confirmation } from './signing-in.ts';
import { languageHeaders, pageHeaders } from './whose-page.ts';

const connection = {
  url: '/console/api',
  credentials: 'same-origin',
  // The query cache repeats reads; people repeat writes.
  retry: false,
  repeatedByPeople: true,
  reword: translatedError,
} as const;

const callOnce = createCaller<Operations>(operations, { ...connection, headers: pageHeaders });

/**
 * Calls an operation in the name of the administrator who is signed in in this browser, even if the page is another's. @throws PharosError
 */
export const callAsAnybody = createCaller<Operations>(operations, { ...connection, headers: languageHeaders });

/**
 * Does something for which the service may require the password again: if so, a dialog asks for it, and it is repeated.
 *
 * @throws PharosError
 */
export async function confirmed<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof PharosError) || error.name !== 'ConfirmationNeeded') throw error;
    if (await confirmation.ask()) return run();
    const { name, code, status, requestId } = error;
    throw new PharosError(t('Nothing was changed because the password was not confirmed.'), {
      name,
      code,
      status,
      requestId,
      cause: error,
    });
  }
}

/**
 * Calls one operation of the management interface, and asks for the password again if the service requires it.
 *
 * @throws PharosError
 */
export const call = ((id: keyof Operations, input: never) => confirmed(() => callOnce(id, input))) as typeof callOnce;

const clients = new Map<string, PharosClient>();

/** Client for the data of an app: all of `/api/v2`, with the session in place of the app's key. */
export function dataOf(appId: string): PharosClient {
  const known = clients.get(appId);
  if (known) return known;
  const client = new PharosClient({
    apiUrl: `/console/api/apps/${encodeURIComponent(appId)}/v2`,
    retry: false,
    repeatedByPeople: true,
    reword: translatedError,
    headers: pageHeaders,
  });
  clients.set(appId, client);
  return client;
}

/** Query key of an app's data. Invalidating the key of an operation refreshes everything read through it. */
export const dataKey = (appId: string, operation: OperationId, ...more: readonly unknown[]) =>
  ['apps', appId, 'data', operation, ...more] as const;

type Input<Id extends keyof Operations> = Parameters<typeof call<Id>> extends [unknown, ...infer Rest] ? Rest : never;
type Content<Answer> = Answer extends { readonly result: infer One }
  ? One
  : Answer extends { readonly results: infer All }
    ? All
    : never;

/** The `result` or the `results` that an operation of the management interface answers, as a query. */
export const queryOf = <Id extends keyof Operations>(queryKey: QueryKey, id: Id, ...input: Input<Id>) =>
  queryOptions({
    queryKey,
    queryFn: async () => {
      const answer = (await call(id, ...(input as never))) as { readonly result?: unknown; readonly results?: unknown };
      return (answer.results ?? answer.result) as Content<Operations[Id]['answer']>;
    },
  });

/** Data of an app as a query, which is read again when what is read through the operation is invalidated. */
export const dataQuery = <T>(
  appId: string,
  operation: OperationId,
  about: readonly unknown[],
  read: (data: PharosClient) => Promise<T>,
) => queryOptions({ queryKey: dataKey(appId, operation, ...about), queryFn: () => read(dataOf(appId)) });

/** Operations that answer with a list of records. */
export type ListOperation = {
  [Id in OperationId]: Answer<Id> extends { readonly results: readonly unknown[] } ? Id : never;
}[OperationId];
export type Listed<Id extends ListOperation> = Answer<Id>['results'][number];

/** One page of a list. `count` is present if the query asks for it. */
export interface ListedPage<T> extends RecordPageOf<T> {
  readonly count?: number;
}

interface ReadOptions {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal;
}

export function readPage<Id extends ListOperation>(
  appId: string,
  operation: Id,
  query: Query,
  { params, signal }: ReadOptions = {},
): Promise<ListedPage<Listed<Id> & { readonly objectId: string }>> {
  // The operation is only known as "one that lists" here, so the client's types for a single operation do not apply.
  const call = dataOf(appId).call as unknown as (one: Operation, input: object) => Promise<never>;
  return call(dataOperations[operation], { ...(params ? { params } : {}), query, ...(signal ? { signal } : {}) });
}

interface ListedOptions {
  readonly params?: Readonly<Record<string, string>> | undefined;
  /** Reads the page through another interface than the operation. */
  readonly read?: ((query: Query, signal: AbortSignal) => Promise<ListedPage<unknown>>) | undefined;
}

/** One page of a list. The previous page stays until the next one has loaded, so that the layout does not jump. */
export function useListed<Id extends ListOperation>(
  appId: string,
  operation: Id,
  query: Query,
  { params, read }: ListedOptions = {},
) {
  return useQuery({
    queryKey: dataKey(appId, operation, params ?? {}, query),
    queryFn: ({ signal }): Promise<ListedPage<Listed<Id>>> =>
      read
        ? (read(query, signal) as Promise<ListedPage<Listed<Id>>>)
        : readPage(appId, operation, query, { params, signal }),
    placeholderData: keepPreviousData,
  });
}
