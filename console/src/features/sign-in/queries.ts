import { queryOf } from '../../lib/data/api.ts';

export const providersKey = (appId: string) => ['apps', appId, 'identity-providers'] as const;

export const providersQuery = (appId: string) =>
  queryOf(providersKey(appId), 'listIdentityProviders', { params: { appId } });

export const providerQuery = (appId: string, providerId: string) =>
  queryOf([...providersKey(appId), providerId], 'getIdentityProvider', { params: { appId, providerId } });
