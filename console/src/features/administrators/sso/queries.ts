import { queryOf } from '../../../lib/data/api.ts';

export const ssoProvidersKey = ['sso-providers'] as const;

export const ssoProvidersQuery = queryOf(ssoProvidersKey, 'listSsoProviders');

export const ssoProviderQuery = (providerId: string) =>
  queryOf([...ssoProvidersKey, providerId], 'getSsoProvider', { params: { providerId } });

export const ssoPolicyQuery = queryOf(['sso-policy'], 'getSsoPolicy');
