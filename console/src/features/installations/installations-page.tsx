import { Badge } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CsvExport } from '../../components/export/csv-export.tsx';
import { listFilter } from '../../components/list/list-search.ts';
import { type ListDefinition, RecordList } from '../../components/list/record-list.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { shortId } from '../../components/page/names.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useMay } from '../../lib/data/access.ts';
import { senderName } from '../../lib/text/delivery-words.ts';
import { appText, deviceWords, type Installation, tokenState, tokenWords } from '../../lib/text/installation-words.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';

const route = getRouteApi('/signed-in/apps/$appId/installations');

export function InstallationsPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const list = installationList(appId, times, useMay()('installations.personal'));
  return (
    <>
      <SectionHeader title="Installations">
        The app on one phone, tablet or computer: whom a message can reach.
      </SectionHeader>
      <RecordList
        appId={appId}
        list={list}
        search={search}
        onSearch={(next, options) => void navigate({ search: { ...next }, replace: options?.replace ?? false })}
        tools={
          <CsvExport
            appId={appId}
            operation="listInstallations"
            plural="installations"
            where={listFilter(search, list.searchFields)}
            columns={csv}
          />
        }
        note={`Times are in ${times.zone}.`}
        empty={
          <EmptyState icon="phone" title="No installation yet">
            Each copy of the app registers itself when it starts. As soon as one does, it stands here.
          </EmptyState>
        }
      />
    </>
  );
}

const csv = {
  header: [
    'objectId',
    'deviceType',
    'pushType',
    'channels',
    'appIdentifier',
    'appVersion',
    'userId',
    'token',
    'tokenDeadReason',
    'createdAt',
    'updatedAt',
  ],
  rows: async (records: readonly Installation[]) =>
    records.map((one) => [
      one.objectId,
      one.deviceType,
      one.pushType ?? '',
      one.channels?.join(' ') ?? '',
      one.appIdentifier ?? '',
      one.appVersion ?? '',
      one.userId?.objectId ?? '',
      tokenState(one),
      one.tokenDeadReason ?? '',
      one.createdAt,
      one.updatedAt,
    ]),
};

const deviceOptions = Object.entries(deviceWords).map(([value, label]) => ({ value, label }));

/** The table, as data. What tells whose installation it is stands there only for those who may see it. */
const installationList = (appId: string, times: Times, isPersonal: boolean): ListDefinition<'listInstallations'> => ({
  operation: 'listInstallations',
  plural: 'installations',
  searchFields: isPersonal ? ['installationId', 'appName', 'channels'] : ['appName'],
  searchHint: isPersonal ? 'Search by installationId or app' : 'Search by app',
  defaultOrder: '-objectId',
  columns: [
    {
      name: 'objectId',
      label: 'Installation',
      render: (one) => (
        <Link to="/apps/$appId/installations/$installationId" params={{ appId, installationId: one.objectId }}>
          {deviceWords[one.deviceType]} <span className="mono">{shortId(one.objectId)}</span>
        </Link>
      ),
    },
    { name: 'app', label: 'App', sortBy: 'appVersion', render: appText },
    {
      name: 'channels',
      label: 'Channels',
      isDeskOnly: true,
      render: ({ channels = [] }) => channels.slice(0, 3).join(', ') + (channels.length > 3 ? ' …' : ''),
    },
    ...(isPersonal
      ? [
          {
            name: 'user',
            label: 'User',
            render: ({ userId }: Installation) =>
              userId && (
                <Link to="/apps/$appId/users/$userId" params={{ appId, userId: userId.objectId }}>
                  <span className="mono">{shortId(userId.objectId)}</span>
                </Link>
              ),
          },
        ]
      : []),
    {
      name: 'token',
      label: 'Push address',
      render: (one) => {
        const { label, color } = tokenWords[tokenState(one)];
        return (
          <Badge variant="light" color={color} tt="none" title={one.tokenDeadReason}>
            {label}
            {one.pushType && tokenState(one) === 'live' ? ` (${senderName(one.pushType)})` : ''}
          </Badge>
        );
      },
    },
    {
      name: 'updatedAt',
      label: 'Last started',
      sortBy: 'updatedAt',
      isTime: true,
      render: ({ updatedAt }) => times.dateTime(updatedAt),
    },
  ],
  filters: [
    { name: 'deviceType', label: 'Device', kind: 'choice', choices: deviceOptions },
    { name: 'channels', label: 'Channel', kind: 'text' },
    { name: 'pushType', label: 'Push type', kind: 'text' },
    { name: 'tokenAt', label: 'Push address', kind: 'presence' },
    { name: 'tokenDeadAt', label: 'Push address is dead', kind: 'presence' },
    { name: 'tokenDeadReason', label: 'Why it is dead', kind: 'text' },
    { name: 'appVersion', label: 'App version', kind: 'text' },
    { name: 'appIdentifier', label: 'App identifier', kind: 'text' },
    { name: 'localeIdentifier', label: 'Language', kind: 'text' },
    { name: 'timeZone', label: 'Time zone', kind: 'text' },
    ...(isPersonal
      ? ([
          { name: 'installationId', label: 'installationId', kind: 'text' },
          { name: 'userId', label: 'User (objectId)', kind: 'pointer', className: '_User' },
          { name: 'metadata', label: 'Metadata', kind: 'member' },
        ] as const)
      : []),
    { name: 'createdAt', label: 'Created', kind: 'date' },
    { name: 'updatedAt', label: 'Last started', kind: 'date' },
  ],
});
