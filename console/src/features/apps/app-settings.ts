import { call } from '../../lib/data/api.ts';
import { appsQuery } from '../../lib/data/queries.ts';
import type { App, Operations } from '../../lib/wire.ts';

/** How the forms on an app's settings reload it, and what they change for other pages. */
export const settingsOf = (appId: string) => ({
  read: async (): Promise<App> => (await call('getApp', { params: { appId } })).result,
  refresh: [appsQuery.queryKey],
});

/** Changes some settings of an app; of its policy, members that are not sent stay. */
export async function changeApp(
  appId: string,
  body: Operations['changeApp']['body'],
  ifMatch?: string | undefined,
): Promise<App> {
  return (await call('changeApp', { params: { appId }, body, ifMatch })).result;
}
