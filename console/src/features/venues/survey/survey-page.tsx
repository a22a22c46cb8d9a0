import { Button, Group, Stack, Text } from '@mantine/core';
import { type Floor, operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { OwnPhonesDialog, phoneName } from '../../../components/message/own-phones.tsx';
import { FailureNote } from '../../../components/page/blocks.tsx';
import { BackLink, PageHeader } from '../../../components/page/page-header.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { ownPhonesQuery } from '../../../lib/data/queries.ts';
import { floorsQuery, venueBeaconsQuery } from '../../../lib/data/venue-queries.ts';
import type { Point } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';
import { FloorTap } from '../floor/floor-tap.tsx';
import { surveyKeys } from './queries.ts';
import { type PhoneSample, usePhoneSamples } from './use-phone-samples.ts';

const route = getRouteApi('/signed-in/apps/$appId/beacons/venues/$venueId/floors/$floorId/survey');

/** Somebody walks a floor with a paired phone, and taps on the plan where they are. */
export function SurveyPage() {
  const { appId, venueId, floorId } = route.useParams();
  const { data: floors, error } = useQuery(floorsQuery(appId, venueId));
  const floor = floors?.find(({ objectId }) => objectId === floorId);
  const isGone = floors !== undefined && floor === undefined;
  return (
    <>
      <PageHeader
        title={t('Survey')}
        back={
          <BackLink
            label={floor?.name ?? t('Floor')}
            to="/apps/$appId/beacons/venues/$venueId/floors/$floorId"
            params={{ appId, venueId, floorId }}
          />
        }
      >
        {t(
          'Carry your phone with the app open. Tap the plan where you start, then at each corner where you turn; walk straight and evenly in between. Or stand at one spot for ten seconds and tap it once.',
        )}
      </PageHeader>
      <FailureNote message={isGone ? t('This floor is no longer there.') : error?.message} />
      {floor && <Walk key={floor.objectId} appId={appId} floor={floor} />}
    </>
  );
}

interface Tap extends Point {
  /** By the service's clock, ms. */
  readonly at: number;
}

function Walk({ appId, floor }: { readonly appId: string; readonly floor: Floor }) {
  const { data: beacons = [] } = useQuery(venueBeaconsQuery(appId, floor.venueId.objectId));
  const { data: own, error } = useQuery(ownPhonesQuery(appId));
  const [isPairing, setPairing] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const phone = own?.phones.find(({ objectId }) => objectId === chosen) ?? own?.phones[0];
  const heard = usePhoneSamples(appId, phone?.objectId);
  const [taps, setTaps] = useState<readonly Tap[]>([]);
  const counted = samplesOf(heard.samples, taps);
  const begin = () => {
    setTaps([]);
    heard.forget();
  };
  const save = useAction({
    run: () =>
      dataOf(appId).call(operations.createSurvey, {
        params: { objectId: floor.objectId },
        body: {
          way: taps.map(({ x, y, at }) => ({ x, y, at: new Date(at).toISOString() })),
          samples: [...counted],
          ...(phone?.deviceModel === undefined ? {} : { deviceModel: phone.deviceModel }),
        },
      }),
    done: t('The survey is saved.'),
    refresh: surveyKeys(appId),
    showsError: true,
    after: begin,
  });
  return (
    <Stack gap="sm">
      <FailureNote message={(error ?? heard.error ?? save.error)?.message} />
      <Group gap="xs">
        <Button onClick={() => setPairing(true)}>
          {phone ? t('Your phone: {phone}', { phone: phoneName(phone) }) : t('Pair your phone')}
        </Button>
        <Button
          variant="filled"
          disabled={taps.length === 0 || counted.length === 0}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          {t('Save the survey')}
        </Button>
        <Button disabled={taps.length === 0 || save.isPending} onClick={begin}>
          {t('Start again')}
        </Button>
      </Group>
      <Text role="status">
        {statusText({ hasPhone: phone !== undefined, isReady: heard.isReady, taps: taps.length, counted })}
      </Text>
      <FloorTap
        appId={appId}
        floor={floor}
        beacons={beacons}
        points={taps.map(({ x, y }) => ({ x, y }))}
        onTap={({ x, y }) => {
          if (phone && heard.isReady && !save.isPending) setTaps([...taps, { x, y, at: heard.clock() }]);
        }}
      />
      <OwnPhonesDialog
        appId={appId}
        isOpen={isPairing}
        chosen={phone?.objectId ?? ''}
        isOwnAlone
        about={t(
          'Pair the phone once: the app on it scans a code that is shown here. Then this page receives what the phone hears.',
        )}
        onChoose={(id) => {
          setChosen(id);
          setPairing(false);
          begin();
        }}
        onRemove={() => setChosen(undefined)}
        onClose={() => setPairing(false)}
      />
    </Stack>
  );
}

/** What was heard on the way; at a single spot, since it was tapped. */
function samplesOf(samples: readonly PhoneSample[], taps: readonly Tap[]): readonly PhoneSample[] {
  const [first] = taps;
  if (!first) return [];
  const until = taps.length === 1 ? Number.POSITIVE_INFINITY : (taps.at(-1)?.at ?? 0);
  return samples.filter(({ occurredAt }) => {
    const at = new Date(occurredAt).getTime();
    return at >= first.at && at <= until;
  });
}

interface State {
  readonly hasPhone: boolean;
  readonly isReady: boolean;
  readonly taps: number;
  readonly counted: readonly PhoneSample[];
}

function statusText({ hasPhone, isReady, taps, counted }: State): string {
  if (!hasPhone) return t('Pair your phone first. The signals that it hears come from the app on it.');
  if (!isReady) return t('Waiting for your phone …');
  if (taps === 0) return t('Tap the plan where you stand.');
  return t(
    '{taps, plural, one {# point} other {# points}}, {samples, plural, one {# signal} other {# signals}} of {beacons, plural, one {# beacon} other {# beacons}}',
    { taps, samples: counted.length, beacons: new Set(counted.map(({ beacon }) => beacon)).size },
  );
}
