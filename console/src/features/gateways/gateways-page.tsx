import { Badge, Group, SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type Column, DataTable } from '../../components/list/data-table.tsx';
import { RowButton } from '../../components/list/row-list.tsx';
import { BeaconLink } from '../../components/names/names.tsx';
import { EmptyState, FailureNote, LinkButton } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useMay, useMayCall } from '../../lib/data/access.ts';
import { type Gateway, gatewaysQuery } from '../../lib/fleet/gateways.ts';
import { showAge, showDuration, type Times, useTimes } from '../../lib/time/times.ts';
import { t, tenths } from '../../lib/words/words.ts';
import { HeardNearby, IgnoredTags } from './heard-nearby.tsx';
import { MessageFormat } from './message-format.tsx';
import { PlaceDialog } from './place-dialog.tsx';

const route = getRouteApi('/signed-in/apps/$appId/gateways');

/** The gateways that speak for themselves, how they are, and what they hear that nobody knows. */
export function GatewaysPage() {
  const { appId } = route.useParams();
  const { view = 'gateways' } = route.useSearch();
  const navigate = route.useNavigate();
  const views = {
    gateways: <GatewayTable appId={appId} />,
    heard: <HeardNearby appId={appId} />,
    ignored: <IgnoredTags appId={appId} />,
  };
  return (
    <>
      <PageHeader title={t('Gateways')} />
      <Stack gap="md">
        <Group>
          <SegmentedControl
            aria-label={t('View')}
            data={[
              { value: 'gateways', label: t('Gateways') },
              { value: 'heard', label: t('Heard nearby') },
              { value: 'ignored', label: t('Ignored') },
            ]}
            value={view}
            onChange={(next) => void navigate({ search: next === 'heard' || next === 'ignored' ? { view: next } : {} })}
          />
        </Group>
        {views[view]}
      </Stack>
    </>
  );
}

function GatewayTable({ appId }: { readonly appId: string }) {
  const { data, error } = useQuery(gatewaysQuery(appId));
  const times = useTimes(appId);
  const [placing, setPlacing] = useState<string>();
  const mayMakeKey = useMay()('keys.write');
  if (data?.length === 0)
    return (
      <EmptyState
        icon="antenna"
        title={t('No gateway has reported yet')}
        text={t('Make a secret key for it, and enter the key in the gateway. The handbook for gateways says where.')}
        action={
          mayMakeKey && (
            <LinkButton to="/apps/$appId/keys" params={{ appId }} icon="key">
              {t('Make a secret key')}
            </LinkButton>
          )
        }
      />
    );
  return (
    <>
      <FailureNote message={error?.message} />
      {!(error && !data) && (
        <DataTable
          label={t('Gateways')}
          // What no gateway tells takes no room.
          columns={columnsOf(appId, times, setPlacing).filter(({ render }) => !data || data.some(render))}
          records={data}
          keyOf={({ gatewayId }) => gatewayId}
          expected={3}
        />
      )}
      {data && <MessageFormat appId={appId} gateways={data} />}
      {placing && <PlaceDialog appId={appId} gatewayId={placing} onClose={() => setPlacing(undefined)} />}
    </>
  );
}

const columnsOf = (appId: string, times: Times, onPlace: (gatewayId: string) => void): readonly Column<Gateway>[] => [
  { name: 'name', label: t('Name'), render: ({ gatewayId }) => gatewayId },
  {
    name: 'state',
    label: t('State'),
    render: ({ isOnline, refusedAt }) => (
      <Group gap="xs">
        <Badge color={isOnline ? 'teal' : 'yellow'}>{isOnline ? t('Online') : t('Offline')}</Badge>
        {refusedAt !== undefined && Date.now() - Date.parse(refusedAt) < refusedMs && (
          <Badge color="yellow">{t('Sends too much')}</Badge>
        )}
      </Group>
    ),
  },
  {
    name: 'place',
    label: t('Place'),
    render: ({ gatewayId, beaconId }) =>
      beaconId ? (
        <BeaconLink appId={appId} beaconId={beaconId.objectId} />
      ) : (
        <NoPlace gatewayId={gatewayId} onPlace={() => onPlace(gatewayId)} />
      ),
  },
  {
    name: 'heardAt',
    label: t('Last heard'),
    render: ({ heardAt }) => <span title={times.dateTime(heardAt)}>{showAge(heardAt)}</span>,
  },
  {
    name: 'hears',
    label: t('Hears today'),
    render: ({ heardBeacons }) => t('{count, plural, one {# beacon} other {# beacons}}', { count: heardBeacons }),
  },
  { name: 'clock', label: t('Clock'), render: clockWords },
  { name: 'firmware', label: t('Firmware'), render: ({ firmware }) => firmware },
  { name: 'load', label: t('Load'), render: ({ load }) => (load === undefined ? '' : `${tenths(100 * load)} %`) },
  {
    name: 'uptime',
    label: t('Running for'),
    render: ({ uptime }) => (uptime === undefined ? '' : showDuration(uptime)),
  },
];

/** What it hears of tags counts for a place only once a beacon stands for it. */
function NoPlace({ gatewayId, onPlace }: { readonly gatewayId: string; readonly onPlace: () => void }) {
  if (!useMayCall()('createBeacon')) return null;
  const label = t('Put on a floor');
  return <RowButton label={label} of={t('{action}: {name}', { action: label, name: gatewayId })} onClick={onPlace} />;
}

/** How long it is shown that some of what a gateway sent was refused. */
const refusedMs = 3_600_000;

/** Seconds by which a clock may be off before anybody has to know. */
const toleratedSeconds = 5;

function clockWords({ clockOffset }: Gateway): string {
  if (clockOffset === undefined) return '';
  const seconds = Math.round(Math.abs(clockOffset) / 1000);
  if (seconds <= toleratedSeconds) return t('correct');
  return clockOffset > 0
    ? t('{time} fast', { time: showDuration(seconds) })
    : t('{time} slow', { time: showDuration(seconds) });
}
