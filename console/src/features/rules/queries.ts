import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/data/api.ts';
import { rulesQuery } from '../../lib/data/queries.ts';
import type { AppRules, TryAppRulesBody } from '../../lib/wire.ts';
import { bodyOf, type RuleValues } from './rule-values.ts';

/** What rules that are not saved would mean. */
export const previewQuery = (appId: string, values: RuleValues) =>
  queryOptions({
    queryKey: [...rulesQuery(appId).queryKey, 'preview', values],
    queryFn: async ({ signal }): Promise<AppRules> =>
      (await call('previewAppRules', { params: { appId }, body: bodyOf(values), signal })).result,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  });

export const tryQuery = (appId: string, question: TryAppRulesBody) =>
  queryOptions({
    queryKey: [...rulesQuery(appId).queryKey, 'try', question],
    queryFn: async ({ signal }) => (await call('tryAppRules', { params: { appId }, body: question, signal })).result,
    placeholderData: keepPreviousData,
    retry: false,
  });
