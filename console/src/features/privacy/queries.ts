import { queryOf } from '../../lib/data/api.ts';

export const privacyQuery = (appId: string) => queryOf(['apps', appId, 'privacy'], 'getPrivacy', { params: { appId } });

export const erasuresQuery = (appId: string) =>
  queryOf(['apps', appId, 'erasures'], 'listErasures', { params: { appId } });
