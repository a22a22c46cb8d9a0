import { useOneClick } from '../../../components/form/use-one-click.ts';
import { call } from '../../../lib/data/api.ts';
import { userName } from '../../../lib/text/user-name.ts';
import type { AppUser } from '../../../lib/wire.ts';
import { userKeys } from '../queries.ts';

type Change = { readonly role: AppUser['role'] } | { readonly disabled: boolean };

/** Changes a user with one click, unless somebody else has changed the same since the page was read. */
export function useUserChange(appId: string, user: AppUser) {
  const params = { appId, userId: user.objectId };
  return useOneClick<AppUser, Change>({
    name: userName(user),
    read: async () => (await call('getAppUser', { params })).result,
    send: async (body, ifMatch) => (await call('changeAppUser', { params, body, ifMatch })).result,
    refresh: userKeys(appId),
  });
}
