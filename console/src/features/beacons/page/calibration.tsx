import { Button, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { type Beacon, operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { shortId } from '../../../components/names/names.tsx';
import { Block, FailureNote } from '../../../components/page/blocks.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { call, dataKey, dataOf } from '../../../lib/data/api.ts';
import { showSpan } from '../../../lib/time/times.ts';
import { t } from '../../../lib/words/words.ts';
import { beaconKeys } from '../queries.ts';

/** As long as it takes for the median to be steady. */
const wantedMs = 30_000;
/** Fewer prove nothing; the service refuses them too. */
const fewest = 10;

interface Props {
  readonly appId: string;
  readonly beacon: Beacon;
}

/** Stands at one metre with a phone and saves what it senses as the beacon's measured power. */
export function Calibration({ appId, beacon }: Props) {
  const [measuring, setMeasuring] = useState<{ readonly phone: string; readonly since: string }>();
  const [phone, setPhone] = useState('');
  const { data: phones, error } = useQuery({
    queryKey: dataKey(appId, 'listVisits', 'calibrate', beacon.objectId),
    queryFn: async () => {
      const where = {
        beaconId: { __type: 'Pointer', className: 'Beacon', objectId: beacon.objectId },
        isOpen: true,
      };
      const { results } = await dataOf(appId).call(operations.listVisits, {
        query: { where, order: '-enteredAt', limit: 20 },
      });
      return results.map(({ installationId, enteredAt }) => ({
        value: installationId.objectId,
        label: t('{phone}, here since {time}', {
          phone: shortId(installationId.objectId),
          time: showSpan(enteredAt),
        }),
      }));
    },
    refetchInterval: measuring ? false : 3_000,
  });
  const chosen = phones?.some(({ value }) => value === phone) ? phone : (phones?.[0]?.value ?? '');
  return (
    <Block
      title={t('Calibration')}
      about={t(
        'Stand one metre from the beacon, the phone in the open hand with the app running and nobody in between, and stay for half a minute. From what the phone senses follow all distances from this beacon.',
      )}
    >
      <FailureNote message={error?.message} />
      {measuring ? (
        <Measuring appId={appId} beacon={beacon} {...measuring} onEnd={() => setMeasuring(undefined)} />
      ) : (
        <Group align="end">
          {phones && phones.length > 0 ? (
            <NativeSelect
              label={t('Phone')}
              description={t('Those that are at this beacon now')}
              data={phones}
              value={chosen}
              onChange={({ currentTarget }) => setPhone(currentTarget.value)}
            />
          ) : (
            <Text c="dimmed">
              {t('No phone is at this beacon now. Open the app beside it; the phone appears here by itself.')}
            </Text>
          )}
          {chosen !== '' && (
            <Button onClick={() => setMeasuring({ phone: chosen, since: new Date().toISOString() })}>
              {t('Measure')}
            </Button>
          )}
        </Group>
      )}
    </Block>
  );
}

interface MeasuringProps extends Props {
  readonly phone: string;
  readonly since: string;
  readonly onEnd: () => void;
}

function Measuring({ appId, beacon, phone, since, onEnd }: MeasuringProps) {
  const {
    data: samples = [],
    error,
    dataUpdatedAt,
  } = useQuery({
    queryKey: ['apps', appId, 'heard', beacon.objectId, phone, since],
    queryFn: async () => {
      const params = { appId, beaconId: beacon.objectId };
      return (await call('listHeard', { params, query: { installation: phone, since } })).result.samples;
    },
    refetchInterval: 1_000,
  });
  const save = useAction({
    run: async () =>
      (
        await dataOf(appId).call(operations.calibrateBeacon, {
          params: { objectId: beacon.objectId },
          body: { samples },
        })
      ).result,
    done: ({ measuredPower }) =>
      t('{name} is calibrated: {measuredPower} dBm at one metre.', { name: beacon.name, measuredPower }),
    refresh: beaconKeys(appId),
    after: onEnd,
    showsError: true,
  });
  // For each answer, even an unchanged one: a phone that has gone silent has been there long enough too.
  const passed = Math.max(0, Math.min(1, (dataUpdatedAt - Date.parse(since)) / wantedMs));
  const isEnough = samples.length >= fewest;
  return (
    <Stack gap="sm" role="status">
      <FailureNote message={error?.message ?? save.error?.message} />
      <Progress value={passed * 100} aria-label={t('The measurement')} />
      <Text>
        {t(
          '{hasCount, select, true {The phone has sensed nothing yet. Is the app open, and the beacon in reach?} other {{count} readings, {median} dBm in the middle.}} {hasPassed, select, true {Stay where you are.} other {{isEnough, select, true {That is enough.} other {These are too few: stay a while longer.}}}}',
          {
            count: samples.length,
            median: median(samples),
            hasCount: samples.length === 0,
            isEnough,
            hasPassed: passed < 1,
          },
        )}
      </Text>
      <Group>
        <Button
          variant="filled"
          disabled={!isEnough || passed < 1}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          {isEnough ? t('Save {median} dBm', { median: median(samples) }) : t('Save')}
        </Button>
        <Button onClick={onEnd}>{t('Cancel')}</Button>
      </Group>
    </Stack>
  );
}

function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}
