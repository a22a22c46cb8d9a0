import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/data/api.ts';

export const privacyQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'privacy'],
    queryFn: async () => (await call('getPrivacy', { params: { appId } })).result,
  });

export const erasuresQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'erasures'],
    queryFn: async () => (await call('listErasures', { params: { appId } })).result,
  });
