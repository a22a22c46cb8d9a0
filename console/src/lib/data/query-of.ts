import type { OperationId, PharosClient } from '@pharos/sdk';
import { type QueryKey, queryOptions } from '@tanstack/react-query';
import type { Operations } from '../wire.ts';
import { call, dataKey, dataOf } from './api.ts';

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
