import { Badge, Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { listFilter } from '../../components/list/list-search.ts';
import { type ListDefinition, RecordList } from '../../components/list/record-list.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { allRecords, download, exportCutOff } from '../../lib/data/all-records.ts';
import { writeCsv } from '../../lib/text/csv.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import type { ListedAppUser } from '../../lib/wire.ts';
import { listUsers } from './queries.ts';
import { roleOptions, roleWords } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/users');

export function UsersPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const list = userList(appId, times);
  return (
    <>
      <SectionHeader title="Users">People who have an account in the app.</SectionHeader>
      <RecordList
        appId={appId}
        list={list}
        search={search}
        onSearch={(next, options) => void navigate({ search: { ...next }, replace: options?.replace ?? false })}
        tools={<ExportUsers appId={appId} where={listFilter(search, list.searchFields)} />}
        note={`Times are in ${times.zone}.`}
        empty={
          <EmptyState icon="user" title="No user yet">
            Visitors need no account. Those who sign up in the app stand here.
          </EmptyState>
        }
      />
    </>
  );
}

const header = ['objectId', 'email', 'firstname', 'lastname', 'role', 'disabledAt', 'createdAt', 'updatedAt'] as const;

function ExportUsers({ appId, where }: { readonly appId: string; readonly where: ReturnType<typeof listFilter> }) {
  const [written, setWritten] = useState(0);
  const run = useAction({
    run: async () => {
      const parts = [writeCsv([header])];
      let rows = 0;
      for await (const users of allRecords((query) => listUsers(appId, query), where, '-objectId')) {
        parts.push(writeCsv(users.map((user) => header.map((name) => user[name] ?? ''))));
        rows += users.length;
        setWritten(rows);
      }
      download('users.csv', 'text/csv;charset=utf-8', parts);
      return rows;
    },
    cutOff: exportCutOff(`users ${appId}`, 'users.csv'),
    done: (rows) => `${rows.toLocaleString('en')} users are in users.csv.`,
    after: () => setWritten(0),
  });
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={15} />}
      loading={run.isPending && written === 0}
      disabled={run.isPending}
      onClick={() => run.mutate()}
    >
      {written > 0 ? `${written.toLocaleString('en')} …` : 'Export'}
    </Button>
  );
}

/** The table, as data. It is read from the management interface, which tells roles. */
const userList = (appId: string, times: Times): ListDefinition<'listUsers'> => ({
  operation: 'listUsers',
  read: (query, signal) => listUsers(appId, query, signal),
  plural: 'users',
  searchFields: ['email', 'firstname', 'lastname'],
  searchHint: 'Search by name or e-mail',
  defaultOrder: '-objectId',
  columns: [
    {
      name: 'name',
      label: 'Name',
      sortBy: 'lastname',
      render: ({ objectId, firstname, lastname }) => (
        <Link to="/apps/$appId/users/$userId" params={{ appId, userId: objectId }}>
          {firstname} {lastname}
        </Link>
      ),
    },
    { name: 'email', label: 'E-mail', sortBy: 'email', render: (user) => asListed(user).email },
    { name: 'role', label: 'Role', sortBy: 'role', render: (user) => roleWords[asListed(user).role] },
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
    {
      name: 'createdAt',
      label: 'Signed up',
      sortBy: 'objectId',
      isTime: true,
      render: ({ createdAt }) => <span title={times.dateTime(createdAt)}>{times.date(createdAt)}</span>,
    },
  ],
  filters: [
    { name: 'email', label: 'E-mail', kind: 'text' },
    { name: 'firstname', label: 'First name', kind: 'text' },
    { name: 'lastname', label: 'Last name', kind: 'text' },
    { name: 'role', label: 'Role', kind: 'choice', choices: roleOptions },
    { name: 'disabledAt', label: 'Switched off', kind: 'presence' },
    { name: 'createdAt', label: 'Signed up', kind: 'date' },
    { name: 'updatedAt', label: 'Changed', kind: 'date' },
  ],
});

const asListed = (user: unknown) => user as ListedAppUser;
