import { entityTag, PharosError } from '@pharos/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/data/api.ts';
import { userName } from '../../lib/text/user-name.ts';
import type { AppUser } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { userKeys } from './queries.ts';

type Change = { readonly role: AppUser['role'] } | { readonly disabled: boolean };

const isChanged = (error: unknown) => error instanceof PharosError && error.name === 'PreconditionFailed';

/** Changes a user with one click, unless somebody else has changed the same since the page was read: then it says so, and shows it. */
export function useUserChange(appId: string, user: AppUser) {
  const queries = useQueryClient();
  const params = { appId, userId: user.objectId };
  const refused = async () => {
    await Promise.all(userKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })));
    const name = userName(user);
    return new Error(
      t('Somebody else has changed {name} meanwhile. Nothing was changed: look at what is there now, and try again.', {
        name,
      }),
    );
  };
  return {
    /** Answers what has the tag of the changed user. @throws Error when what `isAsShown` compares is another one now */
    async change(body: Change, isAsShown: (now: AppUser) => boolean): Promise<object> {
      const now = (await call('getAppUser', { params })).result;
      if (!isAsShown(now)) throw await refused();
      try {
        return (await call('changeAppUser', { params, body, ifMatch: entityTag(now) })).result;
      } catch (error) {
        throw isChanged(error) ? await refused() : error;
      }
    },
    /** @throws Error when somebody has changed the user since */
    async takeBack(changed: object, body: Change): Promise<void> {
      try {
        await call('changeAppUser', { params, body, ifMatch: entityTag(changed) });
      } catch (error) {
        if (!isChanged(error)) throw error;
        throw new Error(t('Somebody has changed it since, so it stays as it is now.'));
      }
    },
  };
}
