import { entityTag, PharosError } from '@pharos/sdk';
import type { Bulk } from '../../components/list/bulk.ts';
import { choiceBulk } from '../../components/list/bulk-fields.tsx';
import { call } from '../../lib/data/api.ts';
import type { AppUser } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { userKeys } from './queries.ts';
import { userRoleOptions } from './words.ts';

/** The members that are changed of several users at once. Each change is in the audit, as it concerns a person. */
interface Changed {
  readonly role?: AppUser['role'];
  readonly isEnabled?: boolean;
}

export const userBulk = (appId: string): Bulk => ({
  kind: 'users',
  hasSwitch: true,
  offText: t('They cannot sign in until they are switched on again, and are signed out everywhere at once.'),
  fields: [choiceBulk({ label: t('Role'), path: ['role'] }, userRoleOptions)],
  each: async (seen, change) => {
    const params = { appId, userId: seen.objectId };
    const now = (await call('getAppUser', { params })).result;
    const present: Changed = { role: now.role, isEnabled: now.disabledAt === undefined };
    const { role, isEnabled } = change as Changed;
    const names = Object.keys(change) as (keyof Changed)[];
    if (names.some((name) => present[name] !== (seen as Changed)[name])) throw changedSince();
    const body = {
      ...(role === undefined ? {} : { role }),
      ...(isEnabled === undefined ? {} : { disabled: !isEnabled }),
    };
    return call('changeAppUser', { params, body, ifMatch: entityTag(now) });
  },
  refresh: userKeys(appId),
});

const changedSince = () =>
  new PharosError(t('Somebody has changed it since, so it stays as it is now.'), {
    name: 'PreconditionFailed',
    code: 0,
    status: 412,
  });
