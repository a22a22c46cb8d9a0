import { Badge, Button, Group, SegmentedControl, Skeleton, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { BeaconLink } from '../../components/names/names.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { type Gateway, gatewaysQuery } from '../../lib/fleet/gateways.ts';
import { showAge } from '../../lib/time/time.ts';
import { showDuration, type Times, useTimes } from '../../lib/time/times.ts';
import { t, tenths } from '../../lib/words/words.ts';
import { HeardNearby, IgnoredTags } from './heard-nearby.tsx';
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
  return (
    <>
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={200} />}
      {data?.length === 0 && (
        <EmptyState
          icon="antenna"
          title={t('No gateway has reported yet')}
          text={t('Make a secret key for it, and enter the key in the gateway. The handbook for gateways says where.')}
        />
      )}
      {data && data.length > 0 && (
        <Table.ScrollContainer minWidth={720}>
          <Table aria-label={t('Gateways')}>
            <Table.Thead>
              <Table.Tr>
                {[
                  ...[t('Name'), t('State'), t('Place'), t('Last heard'), t('Hears today'), t('Clock'), t('Firmware')],
                  ...[t('Load'), t('Running since')],
                ].map((label) => (
                  <Table.Th key={label} scope="col">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((gateway) => (
                <GatewayRow
                  key={gateway.gatewayId}
                  {...{ appId, gateway, times }}
                  onPlace={() => setPlacing(gateway.gatewayId)}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {placing && <PlaceDialog appId={appId} gatewayId={placing} onClose={() => setPlacing(undefined)} />}
    </>
  );
}

interface RowProps {
  readonly appId: string;
  readonly gateway: Gateway;
  readonly times: Times;
  readonly onPlace: () => void;
}

function GatewayRow({ appId, gateway, times, onPlace }: RowProps) {
  const { gatewayId, isOnline, beaconId, heardAt, heardBeacons, firmware, load, uptime } = gateway;
  return (
    <Table.Tr>
      <Table.Td>{gatewayId}</Table.Td>
      <Table.Td>
        <Badge variant="light" tt="none" color={isOnline ? 'teal' : 'yellow'}>
          {isOnline ? t('Online') : t('Offline')}
        </Badge>
      </Table.Td>
      <Table.Td>
        {beaconId ? (
          <BeaconLink appId={appId} beaconId={beaconId.objectId} />
        ) : (
          <NoPlace gatewayId={gatewayId} onPlace={onPlace} />
        )}
      </Table.Td>
      <Table.Td>
        <span title={times.dateTime(heardAt)}>{showAge(heardAt)}</span>
      </Table.Td>
      <Table.Td>{t('{count, plural, one {# beacon} other {# beacons}}', { count: heardBeacons })}</Table.Td>
      <Table.Td>{clockWords(gateway)}</Table.Td>
      <Table.Td>{firmware}</Table.Td>
      <Table.Td>{load === undefined ? '' : `${tenths(100 * load)} %`}</Table.Td>
      <Table.Td>{uptime === undefined ? '' : showDuration(uptime)}</Table.Td>
    </Table.Tr>
  );
}

/** What it hears of tags counts for a place only once a beacon stands for it. */
function NoPlace({ gatewayId, onPlace }: { readonly gatewayId: string; readonly onPlace: () => void }) {
  const may = useMayCall()('createBeacon');
  if (!may) return null;
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={t('{action}: {name}', { action: t('Put on a floor'), name: gatewayId })}
      onClick={onPlace}
    >
      {t('Put on a floor')}
    </Button>
  );
}

/** Seconds by which a clock may be off before anybody has to know. */
const toleratedSeconds = 5;

function clockWords({ clockOffset }: Gateway): string {
  if (clockOffset === undefined) return '';
  const seconds = Math.round(Math.abs(clockOffset) / 1000);
  if (seconds <= toleratedSeconds) return t('right');
  return clockOffset > 0
    ? t('{time} fast', { time: showDuration(seconds) })
    : t('{time} slow', { time: showDuration(seconds) });
}
