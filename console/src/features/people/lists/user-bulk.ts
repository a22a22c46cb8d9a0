import type { Bulk } from '../../../components/bulk/bulk.ts';
import { choiceBulk } from '../../../components/bulk/bulk-fields.tsx';
import { t } from '../../../lib/words/words.ts';
import { userKeys } from '../queries.ts';
import { userRoleOptions } from '../words.ts';

/** The members that are changed of several users at once. */
export const userBulk = (appId: string): Bulk => ({
  kind: 'users',
  change: 'changeAppUser',
  // When a user was changed says nothing of these.
  seen: ['role', 'disabled'],
  hasSwitch: 'disabled',
  offText: t('They cannot sign in until they are switched on again, and are signed out everywhere at once.'),
  fields: [choiceBulk({ label: t('Role'), path: ['role'] }, userRoleOptions)],
  refresh: userKeys(appId),
});
