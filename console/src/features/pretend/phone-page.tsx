import { Box, Button, Group, Modal, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { QrCode } from '../../components/code/qr-code.tsx';
import { BeaconPicker } from '../../components/form/beacon-picker.tsx';
import { TextLink } from '../../components/names/names.tsx';
import { EmptyState, FailureNote, Icon, LinkButton } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { call, dataKey, dataOf } from '../../lib/data/api.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import { PhoneView } from './phone-view.tsx';
import { type PhoneAccess, textOfAccess, usualPower } from './pretend-phone.ts';

const route = getRouteApi('/signed-in/apps/$appId/phone');

/** The beacon of the address, else that of a notification that is on, else the first one. */
async function findBeacon(appId: string, beaconId: string | undefined) {
  const { beacons, notifications } = dataOf(appId);
  if (beaconId !== undefined) return beacons.get(beaconId);
  const { results } = await notifications.list({ where: { isEnabled: true }, order: '-objectId', limit: 1 });
  const named = results[0]?.beaconId?.objectId;
  if (named !== undefined) return beacons.get(named);
  return (await beacons.list({ order: 'name', limit: 1 })).results[0] ?? null;
}

/** A phone on the screen that walks past a beacon, through the interface that apps use. */
export function PretendPhonePage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [run, setRun] = useState(0);
  const { data: app } = useQuery(appQuery(appId));
  const { data: beacon, error } = useQuery({
    queryKey: dataKey(appId, 'listBeacons', 'to-try', search.beacon),
    queryFn: () => findBeacon(appId, search.beacon),
  });
  const { data: key, error: refused } = useQuery({
    queryKey: ['apps', appId, 'trial key'],
    queryFn: async () => (await call('createTrialKey', { params: { appId } })).result,
    staleTime: 50 * 60_000,
    gcTime: 0,
  });
  const access: PhoneAccess | undefined =
    app && beacon && key
      ? {
          appId,
          appKey: key.appKey,
          appName: app.name,
          beacon: {
            name: beacon.name,
            uuid: beacon.uuid,
            major: beacon.major,
            minor: beacon.minor,
            power: beacon.measuredPower ?? usualPower,
          },
        }
      : undefined;
  return (
    <>
      <PageHeader title={t('Pretend phone')} action={access && <OwnPhone access={access} />} />
      <FailureNote message={(error ?? refused)?.message} />
      {beacon === null && (
        <EmptyState
          icon="beacon"
          title={t('No beacons yet')}
          text={t('A phone needs a beacon to walk past.')}
          action={
            <LinkButton to="/apps/$appId/beacons/new" params={{ appId }} icon="plus">
              {t('Add a beacon')}
            </LinkButton>
          }
        />
      )}
      {beacon && (
        <Group mb="md" gap="sm">
          <BeaconPicker
            appId={appId}
            value={beacon.objectId}
            onChange={(chosen) => void navigate({ search: chosen ? { beacon: chosen } : {} })}
          />
          <Button onClick={() => setRun(run + 1)}>{t('Once more')}</Button>
        </Group>
      )}
      {!access && beacon !== null && !error && !refused && <Skeleton h={420} />}
      {access && (
        <PhoneView key={`${beacon?.objectId} ${run}`} access={access}>
          {({ phoneId }) => phoneId && <Recorded appId={appId} phoneId={phoneId} />}
        </PhoneView>
      )}
    </>
  );
}

/** The way to what is kept of it, and to its erasure. */
function Recorded({ appId, phoneId }: { readonly appId: string; readonly phoneId: string }) {
  const mayOpen = useMayCall()('getInstallation');
  return (
    <Text c="dimmed">
      {t('It counts as a visitor, like every phone.')}{' '}
      {mayOpen && (
        <TextLink to="/apps/$appId/installations/$installationId" params={{ appId, installationId: phoneId }}>
          {t('See why, or erase it')}
        </TextLink>
      )}
    </Text>
  );
}

function OwnPhone({ access }: { readonly access: PhoneAccess }) {
  const [isOpen, setOpen] = useState(false);
  const address = `${window.location.origin}/console/phone#${textOfAccess(access)}`;
  return (
    <>
      <Button leftSection={<Icon name="phone" size={16} />} onClick={() => setOpen(true)}>
        {t('On your own phone')}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t('On your own phone')}>
        <Text mb="md">
          {t(
            'Scan the code: a page opens that walks past the beacon. Nothing is installed; the page works for an hour.',
          )}
        </Text>
        <Box maw="18rem" mx="auto">
          <QrCode text={address} label={t('QR code of the page for your phone')} />
        </Box>
      </Modal>
    </>
  );
}
