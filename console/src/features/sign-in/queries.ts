import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/data/api.ts';

/** The key of everything about the identity providers of an app. */
export const providersKey = (appId: string) => ['apps', appId, 'identity-providers'] as const;

export const providersQuery = (appId: string) =>
  queryOptions({
    queryKey: providersKey(appId),
    queryFn: async () => (await call('listIdentityProviders', { params: { appId } })).results,
  });

export const providerQuery = (appId: string, providerId: string) =>
  queryOptions({
    queryKey: [...providersKey(appId), providerId],
    queryFn: async () => (await call('getIdentityProvider', { params: { appId, providerId } })).result,
  });
