import { Badge } from '@mantine/core';
import { operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type CsvColumns, cellsIn } from '../../../components/export/csv-of-list.ts';
import type { ListDefinition } from '../../../components/list/list-definition.ts';
import { SectionList } from '../../../components/list/section-list.tsx';
import { shortId } from '../../../components/names/names.tsx';
import { EmptyState, FailureNote } from '../../../components/page/blocks.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { useAppId, useMay } from '../../../lib/data/access.ts';
import { dataKey, dataOf } from '../../../lib/data/api.ts';
import { appQuery } from '../../../lib/data/queries.ts';
import { senderName } from '../../../lib/text/event-words.ts';
import {
  appText,
  deviceWords,
  type Installation,
  tokenState,
  tokenWords,
} from '../../../lib/text/installation-words.ts';
import { type Times, useTimes } from '../../../lib/time/times.ts';
import { t } from '../../../lib/words/words.ts';
import { OwnPhoneButton } from '../phones/own-phone-button.tsx';
import { SensingFleet } from '../phones/sensing-fleet.tsx';

const title = t('Phones');
const about = t('The app on one phone, tablet or computer: where a message can be delivered.');

export function InstallationsPage() {
  const appId = useAppId();
  const { data: app } = useQuery(appQuery(appId));
  const isPersonal = useMay()('installations.personal');
  const times = useTimes(appId);
  if (app?.policy.pseudonyms === 'daily' && !isPersonal) return <CountedInstallations appId={appId} />;
  return (
    <SectionList
      appId={appId}
      title={title}
      about={about}
      action={<OwnPhoneButton appId={appId} />}
      above={<SensingFleet appId={appId} />}
      list={installationList(appId, times, isPersonal)}
      empty={{
        icon: 'phone',
        title: t('No phones yet'),
        text: t('Each copy of the app registers when it starts, and then appears here.'),
      }}
    />
  );
}

/** For roles that must not learn which phones there are, where these have pseudonyms. */
function CountedInstallations({ appId }: { readonly appId: string }) {
  const { data, error } = useQuery({
    queryKey: dataKey(appId, 'listInstallations', 'counted'),
    queryFn: ({ signal }) =>
      dataOf(appId).call(operations.listInstallations, { query: { count: 1, limit: 0 }, signal }),
  });
  return (
    <>
      <PageHeader title={title}>{about}</PageHeader>
      <FailureNote message={error?.message} />
      {data && (
        <EmptyState
          icon="phone"
          title={t('{count, plural, one {# phone} other {# phones}}', { count: data.count ?? 0 })}
          text={t(
            'In this app phones have pseudonyms that change every day. Your role may know how many there are, and not which ones.',
          )}
        />
      )}
    </>
  );
}

const csvHeader = [
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
];

const installationCsv: CsvColumns<Installation> = {
  header: csvHeader,
  rows: (records) =>
    cellsIn(
      csvHeader,
      records.map((one) => ({ ...one, token: tokenState(one) })),
    ),
};

const deviceOptions = Object.entries(deviceWords).map(([value, label]) => ({ value, label }));

const filtersOf = (isPersonal: boolean): ListDefinition<'listInstallations'>['filters'] => [
  { name: 'deviceType', label: t('Device'), kind: 'choice', choices: deviceOptions },
  { name: 'channels', label: t('Channel'), kind: 'text' },
  { name: 'pushType', label: t('Push type'), kind: 'text' },
  { name: 'tokenAt', label: t('Push address'), kind: 'presence' },
  { name: 'tokenDeadAt', label: t('Push address is invalid'), kind: 'presence' },
  { name: 'tokenDeadReason', label: t('Why it is invalid'), kind: 'text' },
  { name: 'appVersion', label: t('App version'), kind: 'text' },
  { name: 'appIdentifier', label: t('App identifier'), kind: 'text' },
  { name: 'localeIdentifier', label: t('Language'), kind: 'text' },
  { name: 'timeZone', label: t('Time zone'), kind: 'text' },
  ...(isPersonal
    ? ([
        { name: 'installationId', label: 'installationId', kind: 'text' },
        { name: 'userId', label: t('Account (id)'), kind: 'pointer', className: '_User' },
        { name: 'metadata', label: t('Metadata'), kind: 'member' },
      ] as const)
    : []),
  { name: 'createdAt', label: t('Created'), kind: 'date' },
  { name: 'updatedAt', label: t('Last started'), kind: 'date' },
];

/** The table, as data. What identifies a person is left out unless the role may see it. */
const installationList = (appId: string, times: Times, isPersonal: boolean): ListDefinition<'listInstallations'> => ({
  operation: 'listInstallations',
  plural: t('phones'),
  searchFields: isPersonal ? ['objectId', 'installationId', 'appName', 'channels'] : ['objectId', 'appName'],
  searchHint: t('Search by the short id or the app'),
  defaultOrder: '-objectId',
  csv: installationCsv,
  columns: [
    {
      name: 'objectId',
      label: t('Phone'),
      render: (one) => (
        <Link to="/apps/$appId/installations/$installationId" params={{ appId, installationId: one.objectId }}>
          {deviceWords[one.deviceType]} <span className="mono">{shortId(one.objectId)}</span>
        </Link>
      ),
    },
    { name: 'app', label: t('App'), sortBy: 'appVersion', render: appText },
    {
      name: 'channels',
      label: t('Channels'),
      isDeskOnly: true,
      render: ({ channels = [] }) => channels.slice(0, 3).join(', ') + (channels.length > 3 ? ' …' : ''),
    },
    ...(isPersonal
      ? [
          {
            name: 'user',
            label: t('Account'),
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
      label: t('Push address'),
      render: (one) => {
        const { label, color } = tokenWords[tokenState(one)];
        return (
          <Badge color={color} title={one.tokenDeadReason}>
            {label}
            {one.pushType && tokenState(one) === 'live' ? ` (${senderName(one.pushType)})` : ''}
          </Badge>
        );
      },
    },
    {
      name: 'updatedAt',
      label: t('Last started'),
      sortBy: 'updatedAt',
      isTime: true,
      render: ({ updatedAt }) => times.dateTime(updatedAt),
    },
  ],
  filters: filtersOf(isPersonal),
});
