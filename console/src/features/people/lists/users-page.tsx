import { Badge, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Bulk } from '../../../components/bulk/bulk.ts';
import { choiceBulk } from '../../../components/bulk/bulk-fields.tsx';
import { createdColumn } from '../../../components/list/columns.tsx';
import type { ListDefinition } from '../../../components/list/list-definition.ts';
import { SectionList } from '../../../components/list/section-list.tsx';
import { LinkButton } from '../../../components/page/blocks.tsx';
import { useAppId, useMay } from '../../../lib/data/access.ts';
import { userName } from '../../../lib/text/user-name.ts';
import { type Times, useTimes } from '../../../lib/time/times.ts';
import type { ListedAppUser } from '../../../lib/wire.ts';
import { t } from '../../../lib/words/words.ts';
import { OwnPhoneButton } from '../phones/own-phone-button.tsx';
import { listUsers, userKeys } from '../queries.ts';
import { userRoleOptions, userRoleTexts } from '../words.ts';

const userBulk = (appId: string): Bulk => ({
  kind: 'users',
  change: 'changeAppUser',
  // When a user was changed says nothing of these.
  seen: ['role', 'disabled'],
  hasSwitch: 'disabled',
  offText: t('They cannot sign in until they are switched on again, and are signed out everywhere at once.'),
  fields: [choiceBulk({ label: t('Role'), path: ['role'] }, userRoleOptions)],
  refresh: userKeys(appId),
});

export function UsersPage() {
  const appId = useAppId();
  const may = useMay();
  const maySeeSignIn = may('signin.read');
  return (
    <SectionList
      appId={appId}
      title={t('Accounts')}
      about={t('People with an account in the app.')}
      action={
        <Group gap="xs">
          <OwnPhoneButton appId={appId} />
          {maySeeSignIn && (
            <LinkButton to="/apps/$appId/sign-in" params={{ appId }} icon="key" isPlain>
              {t('How they sign in')}
            </LinkButton>
          )}
        </Group>
      }
      list={userList(appId, useTimes(appId), may('users.change'))}
      empty={{
        icon: 'user',
        title: t('No accounts yet'),
        text: t('Visitors do not need an account. Whoever signs up in the app appears here.'),
      }}
    />
  );
}

/** The table, as data. It is read through the management interface, which includes roles. */
const userList = (appId: string, times: Times, mayChange: boolean): ListDefinition<'listUsers'> => ({
  operation: 'listUsers',
  read: (query, signal) => listUsers(appId, query, signal),
  plural: t('users'),
  bulk: mayChange ? userBulk(appId) : undefined,
  searchFields: ['email', 'firstname', 'lastname'],
  searchHint: t('Search by name or e-mail'),
  defaultOrder: '-objectId',
  csv: { header: ['objectId', 'email', 'firstname', 'lastname', 'role', 'disabledAt', 'createdAt', 'updatedAt'] },
  columns: [
    {
      name: 'name',
      label: t('Name'),
      sortBy: 'lastname',
      render: (user) => (
        <Link to="/apps/$appId/users/$userId" params={{ appId, userId: user.objectId }}>
          {userName(asListed(user))}
        </Link>
      ),
    },
    { name: 'email', label: t('E-mail'), sortBy: 'email', render: (user) => asListed(user).email },
    { name: 'role', label: t('Role'), sortBy: 'role', render: (user) => userRoleTexts[asListed(user).role] },
    {
      name: 'state',
      label: t('Account'),
      render: (user) => {
        const isOff = asListed(user).disabledAt !== undefined;
        return <Badge color={isOff ? 'gray' : 'teal'}>{isOff ? t('off') : t('on')}</Badge>;
      },
    },
    createdColumn(times, { label: t('Signed up'), sortBy: 'objectId' }),
  ],
  filters: [
    { name: 'email', label: t('E-mail'), kind: 'text' },
    { name: 'firstname', label: t('First name'), kind: 'text' },
    { name: 'lastname', label: t('Last name'), kind: 'text' },
    { name: 'role', label: t('Role'), kind: 'choice', choices: userRoleOptions },
    { name: 'disabledAt', label: t('Switched off'), kind: 'presence' },
    { name: 'createdAt', label: t('Signed up'), kind: 'date' },
    { name: 'updatedAt', label: t('Changed'), kind: 'date' },
  ],
});

const asListed = (user: unknown) => user as ListedAppUser;
