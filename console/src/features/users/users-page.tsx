import { Badge } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { createdColumn } from '../../components/list/columns.tsx';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { SectionList } from '../../components/list/section-list.tsx';
import { LinkButton } from '../../components/page/link-button.tsx';
import { useMay } from '../../lib/data/access.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import type { ListedAppUser } from '../../lib/wire.ts';
import { listUsers } from './queries.ts';
import { userName, userRoleOptions, userRoleTexts } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/users');

export function UsersPage() {
  const { appId } = route.useParams();
  const maySeeSignIn = useMay()('signin.read');
  return (
    <SectionList
      appId={appId}
      title="Users"
      about="People with an account in the app."
      action={
        maySeeSignIn && (
          <LinkButton to="/apps/$appId/sign-in" params={{ appId }} icon="key" isPlain>
            How they sign in
          </LinkButton>
        )
      }
      list={userList(appId, useTimes(appId))}
      empty={{
        icon: 'user',
        title: 'No users yet',
        text: 'Visitors do not need an account. Users who sign up in the app appear here.',
      }}
    />
  );
}

const csvHeader = [
  'objectId',
  'email',
  'firstname',
  'lastname',
  'role',
  'disabledAt',
  'createdAt',
  'updatedAt',
] as const;

/** The table, as data. It is read through the management interface, which includes roles. */
const userList = (appId: string, times: Times): ListDefinition<'listUsers'> => ({
  operation: 'listUsers',
  read: (query, signal) => listUsers(appId, query, signal),
  plural: 'users',
  searchFields: ['email', 'firstname', 'lastname'],
  searchHint: 'Search by name or e-mail',
  defaultOrder: '-objectId',
  csv: {
    header: csvHeader,
    rows: (users) => users.map((user) => csvHeader.map((name) => asListed(user)[name] ?? '')),
  },
  columns: [
    {
      name: 'name',
      label: 'Name',
      sortBy: 'lastname',
      render: (user) => (
        <Link to="/apps/$appId/users/$userId" params={{ appId, userId: user.objectId }}>
          {userName(asListed(user))}
        </Link>
      ),
    },
    { name: 'email', label: 'E-mail', sortBy: 'email', render: (user) => asListed(user).email },
    { name: 'role', label: 'Role', sortBy: 'role', render: (user) => userRoleTexts[asListed(user).role] },
    {
      name: 'state',
      label: 'Account',
      render: (user) => {
        const isOff = asListed(user).disabledAt !== undefined;
        return (
          <Badge variant="light" color={isOff ? 'gray' : 'teal'} tt="none">
            {isOff ? 'off' : 'on'}
          </Badge>
        );
      },
    },
    createdColumn(times, { label: 'Signed up', sortBy: 'objectId' }),
  ],
  filters: [
    { name: 'email', label: 'E-mail', kind: 'text' },
    { name: 'firstname', label: 'First name', kind: 'text' },
    { name: 'lastname', label: 'Last name', kind: 'text' },
    { name: 'role', label: 'Role', kind: 'choice', choices: userRoleOptions },
    { name: 'disabledAt', label: 'Switched off', kind: 'presence' },
    { name: 'createdAt', label: 'Signed up', kind: 'date' },
    { name: 'updatedAt', label: 'Changed', kind: 'date' },
  ],
});

const asListed = (user: unknown) => user as ListedAppUser;
