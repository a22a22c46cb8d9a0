import { Button, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { OwnPhonesDialog } from '../../../components/message/own-phones.tsx';
import { FailureNote } from '../../../components/page/blocks.tsx';
import { call } from '../../../lib/data/api.ts';
import { ownPhonesQuery } from '../../../lib/data/queries.ts';
import { t } from '../../../lib/words/words.ts';
import classes from './round.module.css';

interface Props {
  readonly appId: string;
  /** Of the venue. */
  readonly beacons: readonly Beacon[];
  readonly onChoose: (id: string) => void;
}

const askEveryMs = 2_000;
const maxNear = 3;
/** dBm at one metre, of a beacon of which that is not known. */
const usualPower = -59;

/** Finds the beacon in front of the installer by what their own phone hears, if its label is missing or cannot be read. */
export function Nearest({ appId, beacons, onChoose }: Props) {
  const [isListening, setListening] = useState(false);
  const [isPairing, setPairing] = useState(false);
  const { data: own, error } = useQuery(ownPhonesQuery(appId));
  const hasPhone = own !== undefined && own.phones.length > 0;
  return (
    <Stack gap="xs">
      <FailureNote message={error?.message} />
      <Group gap="xs">
        <Button aria-pressed={isListening} onClick={() => (hasPhone ? setListening(!isListening) : setPairing(true))}>
          {isListening ? t('Stop listening') : t('Find the nearest by its signal')}
        </Button>
        {hasPhone && (
          <Button variant="subtle" onClick={() => setPairing(true)}>
            {t('Your phone')}
          </Button>
        )}
      </Group>
      {isListening && hasPhone && <Near appId={appId} beacons={beacons} onChoose={onChoose} />}
      <OwnPhonesDialog
        appId={appId}
        isOpen={isPairing}
        chosen=""
        isOwnAlone
        about={t(
          'Pair the phone once: the app on it scans a code that is shown here. Then this page says which beacon the phone is nearest to.',
        )}
        onChoose={() => {
          setPairing(false);
          setListening(true);
        }}
        onRemove={() => setListening(false)}
        onClose={() => setPairing(false)}
      />
    </Stack>
  );
}

function Near({ appId, beacons, onChoose }: Props) {
  const { data: heard = [], error } = useQuery({
    queryKey: ['apps', appId, 'heard nearby'],
    queryFn: async () => (await call('listHeardNearby', { params: { appId } })).result.beacons,
    refetchInterval: askEveryMs,
  });
  const near = heard
    .flatMap(({ beaconId, rssi }) => {
      const beacon = beacons.find(({ objectId }) => objectId === beaconId);
      return beacon ? [{ beacon, rssi, loss: (beacon.measuredPower ?? usualPower) - rssi }] : [];
    })
    .sort((a, b) => a.loss - b.loss)
    .slice(0, maxNear);
  return (
    <div role="status">
      <FailureNote message={error?.message} />
      {near.length === 0 ? (
        <Text c="dimmed">
          {t('Your phone hears no beacon of this venue. Open the app on it, and stand close to the beacon.')}
        </Text>
      ) : (
        <ul className={`bare ${classes.rows}`} aria-label={t('Beacons near you')}>
          {near.map(({ beacon, rssi }, index) => (
            <li key={beacon.objectId}>
              <UnstyledButton className={classes.row} onClick={() => onChoose(beacon.objectId)}>
                <span>{beacon.name}</span>
                <Text size="md" span {...(index === 0 ? { fw: 600 } : { c: 'dimmed' })}>
                  {index === 0 ? t('nearest, {rssi} dBm', { rssi }) : t('{rssi} dBm', { rssi })}
                </Text>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
