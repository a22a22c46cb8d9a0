import { Group, Progress, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { FailureNote, LinkButton, Loading } from '../../../components/page/blocks.tsx';
import { BackLink, PageHeader } from '../../../components/page/page-header.tsx';
import { Scan } from '../../../components/scan/scan.tsx';
import { useMay, useMayCall } from '../../../lib/data/access.ts';
import { type Placement, placementsQuery } from '../../../lib/data/placements.ts';
import { floorsQuery, venueBeaconsQuery, venueQuery } from '../../../lib/data/venue-queries.ts';
import { type Times, useTimes } from '../../../lib/time/times.ts';
import { pageLanguage, t } from '../../../lib/words/words.ts';
import { Batteries } from './batteries.tsx';
import { beaconOf } from './match.ts';
import { Nearest } from './nearest.tsx';
import { PlaceBeacon } from './place-beacon.tsx';
import classes from './round.module.css';
import { useWaiting } from './use-waiting.ts';
import { WaitingList } from './waiting-list.tsx';

const route = getRouteApi('/signed-in/apps/$appId/beacons/venues/$venueId/round');

/** An installer goes through the beacons of a venue with a phone. */
export function RoundPage() {
  const { appId, venueId } = route.useParams();
  const { data: venue, error } = useQuery(venueQuery(appId, venueId));
  return (
    <>
      <PageHeader
        title={t('Install round')}
        action={
          <LinkButton to="/apps/$appId/beacons/venues/$venueId/labels" params={{ appId, venueId }} icon="list" isPlain>
            {t('Labels to print')}
          </LinkButton>
        }
        back={
          <BackLink
            label={venue?.name ?? t('The venue')}
            to="/apps/$appId/beacons/venues/$venueId"
            params={{ appId, venueId }}
          />
        }
      />
      <FailureNote message={error?.message} />
      <Round appId={appId} venueId={venueId} />
    </>
  );
}

interface Props {
  readonly appId: string;
  readonly venueId: string;
}

function Round({ appId, venueId }: Props) {
  const { data: beacons, error } = useQuery(venueBeaconsQuery(appId, venueId));
  const { data: floors = [] } = useQuery(floorsQuery(appId, venueId));
  const { data: placements, error: unknown } = useQuery(placementsQuery(appId, { venueId }));
  const mayCall = useMayCall();
  const round = useWaiting(appId, venueId);
  const [chosen, setChosen] = useState<string>();
  const [lastFloor, setLastFloor] = useState<string>();
  const beacon = beacons?.find(({ objectId }) => objectId === chosen);
  const waits = ({ objectId }: Beacon) => round.waiting.find((one) => one.beacon.objectId === objectId);
  const isVerified = (one: Beacon) => placements?.get(one.objectId)?.isMoved === false && !waits(one);
  /** For the person on the round, what waits for a network counts as done. */
  const isDone = (one: Beacon) => {
    const waiting = waits(one);
    return waiting ? !waiting.problem : isVerified(one);
  };
  const done = beacons?.filter(isVerified).length ?? 0;
  const total = beacons?.length ?? 0;
  return (
    <Stack gap="md">
      <Loading data={beacons} error={error ?? unknown} height={40} />
      {beacons && (
        <div>
          <Text size="md" fw={600} role="status">
            {t('{done} of {total} beacons verified', { done, total })}
          </Text>
          <Progress value={total === 0 ? 0 : (100 * done) / total} aria-label={t('Verified beacons')} />
        </div>
      )}
      <WaitingList round={round} />
      {!beacon && <Batteries appId={appId} venueId={venueId} />}
      {!beacon && mayCall('createSurvey') && done > 0 && (
        <Group gap="xs">
          {floors.map(({ objectId, name }) => (
            <LinkButton
              key={objectId}
              icon="plus"
              isPlain
              to="/apps/$appId/beacons/venues/$venueId/floors/$floorId/survey"
              params={{ appId, venueId, floorId: objectId }}
            >
              {t('Survey {name}', { name })}
            </LinkButton>
          ))}
        </Group>
      )}
      {beacon ? (
        <PlaceBeacon
          key={beacon.objectId}
          appId={appId}
          beacon={beacon}
          beacons={beacons ?? []}
          floors={floors}
          lastFloor={lastFloor}
          onCancel={() => setChosen(undefined)}
          onPlaced={({ location, photo }, floorId) => {
            setLastFloor(floorId);
            setChosen(undefined);
            void round.add({ beacon, location, photo, verifiedAt: new Date().toISOString() });
          }}
        />
      ) : (
        <Choose
          appId={appId}
          beacons={beacons ?? []}
          stateOf={(one, times) => (waits(one) ? t('on this device') : stateText(placements?.get(one.objectId), times))}
          isDone={isDone}
          onChoose={setChosen}
        />
      )}
      {beacons?.length === 0 && (
        <Text size="md" c="dimmed">
          {t('No beacons belong to this venue yet.')}
        </Text>
      )}
    </Stack>
  );
}

function stateText(placement: Placement | undefined, times: Times): string {
  if (!placement) return t('to do');
  if (placement.isMoved) return t('moved since it was verified');
  const when = times.minute(placement.verifiedAt);
  return placement.verifiedBy
    ? t('{who}, {when}', { who: placement.verifiedBy, when })
    : t('verified {when}', { when });
}

interface ChooseProps {
  readonly appId: string;
  readonly beacons: readonly Beacon[];
  readonly stateOf: (beacon: Beacon, times: Times) => string;
  readonly isDone: (beacon: Beacon) => boolean;
  readonly onChoose: (id: string) => void;
}

const maxRows = 100;

/** Chooses the beacon in front of the installer by its label, name or numbers. Unfinished ones come first. */
function Choose({ appId, beacons, stateOf, isDone, onChoose }: ChooseProps) {
  const times = useTimes(appId);
  const may = useMay();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = beacons
    .filter(({ name, major, minor }) => `${name} ${major} ${minor}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(isDone(a)) - Number(isDone(b)) || a.name.localeCompare(b.name, pageLanguage()));
  return (
    <>
      <Scan
        onCode={(text) => {
          const meant = beaconOf(text, beacons);
          if (!meant) return t('This code belongs to no beacon of the venue: {text}', { text: text.slice(0, 120) });
          onChoose(meant.objectId);
          return undefined;
        }}
      />
      {may('phones.pair') && <Nearest appId={appId} beacons={beacons} onChoose={onChoose} />}
      <TextInput
        type="search"
        label={t('Or find it')}
        placeholder={t('Name, or major and minor')}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <ul className={`bare ${classes.rows}`} aria-label={t('Beacons')}>
        {found.slice(0, maxRows).map((beacon) => (
          <li key={beacon.objectId}>
            <UnstyledButton className={classes.row} onClick={() => onChoose(beacon.objectId)}>
              <span>
                {beacon.name}
                <br />
                <Text span size="xs" c="dimmed">
                  {beacon.major}, {beacon.minor}
                </Text>
              </span>
              <Text size="md" span {...(isDone(beacon) ? { fw: 600 } : { c: 'dimmed' })}>
                {stateOf(beacon, times)}
              </Text>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {found.length > maxRows && (
        <Group>
          <Text c="dimmed">{t('And {count} more: search for them.', { count: found.length - maxRows })}</Text>
        </Group>
      )}
    </>
  );
}
