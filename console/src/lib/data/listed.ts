import { type Answer, type Operation, type OperationId, operations, type Query } from '@pharos/sdk';
import { keepPreviousData, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { RecordPageOf } from './all-records.ts';
import { dataKey, dataOf } from './api.ts';

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

/** Reads one page through any operation that lists. */
export function readPage<Id extends ListOperation>(
  appId: string,
  operation: Id,
  query: Query,
  { params, signal }: ReadOptions = {},
): Promise<ListedPage<Listed<Id> & { readonly objectId: string }>> {
  // The operation is only known as "one that lists" here, so the client's types for a single operation do not apply.
  const call = dataOf(appId).call as unknown as (one: Operation, input: object) => Promise<never>;
  return call(operations[operation], { ...(params ? { params } : {}), query, ...(signal ? { signal } : {}) });
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

const intervalMs = 1_500;

/** Reads a page again and again while something on it changes, without showing it as loading. */
export function useFollowed(queryKey: QueryKey, read: () => Promise<unknown>, isActive: boolean): void {
  const queries = useQueryClient();
  const key = JSON.stringify(queryKey);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is read
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(async () => {
      if (document.hidden) return;
      try {
        queries.setQueryData(JSON.parse(key) as QueryKey, await read());
      } catch {
        // The next attempt may succeed; errors show when the list itself is read.
      }
    }, intervalMs);
    return () => clearInterval(timer);
  }, [key, isActive, queries]);
}
