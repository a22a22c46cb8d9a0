import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/data/api.ts';

export const ssoProvidersKey = ['sso providers'] as const;

export const ssoProvidersQuery = queryOptions({
  queryKey: ssoProvidersKey,
  queryFn: async () => (await call('listSsoProviders')).results,
});

export const ssoProviderQuery = (providerId: string) =>
  queryOptions({
    queryKey: [...ssoProvidersKey, providerId],
    queryFn: async () => (await call('getSsoProvider', { params: { providerId } })).result,
  });

export const ssoPolicyQuery = queryOptions({
  queryKey: ['sso policy'],
  queryFn: async () => (await call('getSsoPolicy')).result,
});
