import { Badge, Button, Group, Text } from '@mantine/core';
import { type Delivery, operations } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Column, DataTable } from '../../components/list/data-table.tsx';
import { Pager } from '../../components/list/pager.tsx';
import { VisitorId } from '../../components/names/names.tsx';
import { Block, FailureNote } from '../../components/page/blocks.tsx';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { deliveryColors, senderName } from '../../lib/text/event-words.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import { inSentence, t, translated } from '../../lib/words/words.ts';
import { deliveriesWhere } from './delivery-search.ts';
import { deliveryStates } from './push-states.ts';

const route = getRouteApi('/signed-in/apps/$appId/push/$pushId');

const columnsOf = (appId: string, times: Times): readonly Column<Delivery>[] => [
  {
    name: 'installation',
    label: t('Visitor'),
    render: ({ objectId, installationId }) => (
      <Link to="/apps/$appId/activity/deliveries/$deliveryId" params={{ appId, deliveryId: objectId }}>
        {installationId ? <VisitorId objectId={installationId.objectId} /> : t('not told')}
      </Link>
    ),
  },
  {
    name: 'state',
    label: t('State'),
    render: ({ state }) => <Badge color={deliveryColors[state]}>{deliveryStates[state].label}</Badge>,
  },
  { name: 'reason', label: t('Reason'), render: ({ reason = '' }) => translated(reason) },
  { name: 'sender', label: t('Through'), render: ({ sender }) => sender && senderName(sender) },
  { name: 'sentAt', label: t('Sent'), isTime: true, render: ({ sentAt }) => sentAt && times.minute(sentAt) },
  {
    name: 'openedAt',
    label: t('Opened'),
    isTime: true,
    isDeskOnly: true,
    render: ({ openedAt }) => openedAt && times.minute(openedAt),
  },
];

interface Props {
  readonly appId: string;
  readonly pushId: string;
  /** The push is still being sent. */
  readonly isLive: boolean;
}

export function Deliveries({ appId, pushId, isLive }: Props) {
  const { page = 1, ...chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const [size, setSize] = useState(25);
  const query = { where: deliveriesWhere(pushId, chosen), skip: (page - 1) * size, limit: size, count: 1 } as const;
  const { data, error, isPlaceholderData } = useQuery({
    // Refreshed once more when the push is done.
    queryKey: dataKey(appId, 'listDeliveries', query, isLive),
    queryFn: ({ signal }) => dataOf(appId).call(operations.listDeliveries, { query, signal }),
    refetchInterval: isLive ? 2_000 : false,
    placeholderData: keepPreviousData,
  });
  const narrowed = chosen.state !== undefined || chosen.reason !== undefined;
  return (
    <Block title={t('Recipients')} about={t('Newest first. Times are in {zone}.', { zone: times.zone })}>
      {narrowed && (
        <Group gap="xs" mb="sm">
          <Text>
            {t('Only {hasState, select, true {{state}} other {some}}{reason}', {
              state: chosen.state && inSentence(deliveryStates[chosen.state].label),
              hasState: Boolean(chosen.state),
              reason: chosen.reason ? `: ${translated(chosen.reason)}` : '',
            })}
          </Text>
          <Button size="compact-xs" onClick={() => void navigate({ search: {}, replace: true })}>
            {t('Show all recipients')}
          </Button>
        </Group>
      )}
      <FailureNote message={error?.message} />
      {data?.results.length === 0 ? (
        <Text c="dimmed">
          {narrowed ? t('No recipient matches.') : t('No recipients yet. They appear here when sending starts.')}
        </Text>
      ) : (
        <DataTable
          label={t('recipients')}
          columns={columnsOf(appId, times)}
          records={data?.results}
          keyOf={({ objectId }) => objectId}
          order=""
          onOrder={() => undefined}
          isBusy={isPlaceholderData}
        />
      )}
      <Pager
        page={page}
        size={size}
        count={data?.count}
        plural={t('recipients')}
        onPage={(next) => void navigate({ search: { ...chosen, ...(next > 1 ? { page: next } : {}) } })}
        onSize={setSize}
      />
    </Block>
  );
}
