import { infiniteQueryOptions } from '@tanstack/react-query';
import { call, queryOf } from '../../lib/data/api.ts';
import type { CallState } from './words.ts';

const pageSize = 25;
/** How often a page is read again, ms: calls happen at any time. */
const refreshMs = 5_000;

export const webhooksKey = (appId: string) => ['apps', appId, 'webhooks'] as const;

export const webhooksQuery = (appId: string) => ({
  ...queryOf(webhooksKey(appId), 'listWebhooks', { params: { appId } }),
  refetchInterval: refreshMs,
});

export const webhookQuery = (appId: string, webhookId: string) => ({
  ...queryOf([...webhooksKey(appId), webhookId], 'getWebhook', { params: { appId, webhookId } }),
  refetchInterval: refreshMs,
});

interface CallsOf {
  readonly appId: string;
  readonly webhookId: string;
  readonly state: CallState | undefined;
}

/** The calls of a webhook, newest first. */
export const callsQuery = ({ appId, webhookId, state }: CallsOf) =>
  infiniteQueryOptions({
    queryKey: [...webhooksKey(appId), webhookId, 'calls', state],
    queryFn: async ({ pageParam }) =>
      (
        await call('listWebhookDeliveries', {
          params: { appId, webhookId },
          query: { state, before: pageParam, limit: pageSize },
        })
      ).results,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.objectId),
    // A long list would be expensive to read again.
    refetchInterval: ({ state: { data } }) => (data && data.pages.length > 1 ? false : refreshMs),
  });
