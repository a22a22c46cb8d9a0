import { Alert, Button, Group, Slider, Text } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { FailureNote, Icon } from '../../../components/page/blocks.tsx';
import { PlanDrawing } from '../../../components/plan/plan-drawing.tsx';
import { Dot, Mark, Reach } from '../../../components/plan/plan-shapes.tsx';
import { appQuery } from '../../../lib/data/queries.ts';
import { useTimes } from '../../../lib/time/times.ts';
import { wallTime } from '../../../lib/time/zoned-time.ts';
import { listed, t } from '../../../lib/words/words.ts';
import { NumberTable } from '../plot/number-table.tsx';
import type { Count } from '../queries.ts';
import type { SiteOf } from '../site.ts';
import { countText, plotted } from '../words.ts';
import { useFloorPlan } from './floor.ts';
import {
  backMs,
  countByZone,
  fewest,
  type Occupied,
  type SensedPosition,
  type Stay,
  shownCounts,
  useLimits,
  useNow,
  useStays,
} from './now.ts';
import { PlanDownloads } from './plan-downloads.tsx';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
  readonly site: SiteOf;
}

const minuteMs = 60_000;

const none: readonly never[] = [];

/** Where visitors are, as they come, and how many were in each zone in the last two hours. */
export function NowPlan({ appId, floor, site }: Props) {
  const { plan, zones, all } = useFloorPlan(appId, floor, site);
  const { gateways = none } = floor;
  const { data: app } = useQuery(appQuery(appId));
  const { zone } = useTimes(appId);
  const moment = useMoment();
  const { back } = moment;
  const drawing = useRef<SVGSVGElement>(null);
  const oneZone = app?.policy.oneZone ?? false;
  const isProtected = app?.policy.smallGroups === 'protected';
  const { positions, isLive } = useNow(appId, oneZone);
  const isPast = back > 0 || !oneZone;
  const { data: stays = none, isPending, error } = useStays(appId, isPast);
  const limits = useLimits(appId, back === 0);
  const at = Date.now() - back * minuteMs;
  const here =
    back === 0 && oneZone
      ? positions.map(({ beaconId, installationId }) => ({
          beaconId: beaconId.objectId,
          installationId: installationId.objectId,
        }))
      : staysAt(stays, at);
  const counts = countByZone(all, here);
  const { byZone, total } = shownCounts(
    counts,
    zones.map(({ objectId }) => objectId),
    isProtected,
  );
  const sizeOf = (id: string) => plotted(byZone.get(id)) ?? 0;
  const most = Math.max(1, ...[...byZone.keys()].map(sizeOf));
  const onFloor = positions.filter(
    ({ x, y, floor: level = 0 }) => x !== undefined && y !== undefined && level === floor.level,
  );
  const zoneOf = new Map(all.map(({ objectId, zoneId }) => [objectId, zoneId?.objectId ?? '']));
  // Members of a small group are not drawn: they could be followed.
  const isDrawn = ({ beaconId }: SensedPosition) =>
    !isProtected || (counts.get(zoneOf.get(beaconId.objectId) ?? '') ?? 0) >= fewest;
  const shown = back > 0 ? [] : onFloor.filter(isDrawn);
  const limitOf = (id: string) => (back === 0 ? limits.get(id) : undefined);
  const crowded = [floor.venueId, ...zones].flatMap(({ objectId }) => {
    const limit = limitOf(objectId);
    return limit?.isOver ? [limit] : [];
  });
  const shownCount = (count: Count | undefined) => (isPast && isPending ? '–' : countText(count));
  // With minutes: these numbers are of a moment.
  const fileTime = wallTime(at, zone).slice(0, 16).replace('T', '-').replace(':', '');
  const when = back === 0 ? t('now') : t('at {time}', { time: wallTime(at, zone).slice(11) });
  return (
    <>
      <FailureNote message={error?.message} />
      <Text mb="xs" role="status">
        {t(
          '{told} {total, plural, one {visitor} other {visitors}} in the zones of this floor {when}{hasBack, select, true { (connecting …)} other {}}.{hasOneZone, select, true { Counted by their visits: this app does not decide where between beacons a visitor is. It can be switched on under Limits.} other {}}',
          {
            told: shownCount(total),
            total: plotted(total) ?? 0,
            when,
            hasBack: Boolean(back === 0 && oneZone && !isLive),
            hasOneZone: !oneZone,
          },
        )}
      </Text>
      {crowded.length > 0 && <Crowded places={crowded} />}
      <PlanDrawing
        drawing={drawing}
        label={t('Visitors on {name} {when}', { name: floor.name, when })}
        plan={plan}
        walls={floor.walls}
        around={gateways}
        zones={zones.map(({ objectId, name, polygon }) => ({
          id: objectId,
          name,
          polygon,
          said: withLimit(shownCount(byZone.get(objectId)), limitOf(objectId)),
          strength: sizeOf(objectId) / most,
          isAlarm: limitOf(objectId)?.isOver ?? false,
        }))}
      >
        {(px) => <Present gateways={gateways} shown={shown} px={px} />}
      </PlanDrawing>
      <Gateways floor={floor} />
      <Group justify="flex-end" mb="sm">
        <PlanDownloads
          drawing={drawing}
          fileName={`plan-${fileTime}`}
          csv={{
            fileName: `zones-${fileTime}`,
            rows: [
              ['zoneId', 'zone', 'visitors', 'capacity'],
              ...zones.map(({ objectId, name, capacity }) => [
                objectId,
                name,
                String(isPast && isPending ? '' : byZone.get(objectId)),
                String(capacity ?? ''),
              ]),
            ],
          }}
        />
      </Group>
      <Scrubber moment={moment} clock={wallTime(at, zone).slice(11)} />
      <NumberTable
        label={t('Visitors by zone')}
        table={{
          header: [t('Zone'), back === 0 ? t('Now') : when, t('At most')],
          rows: zones.map(({ objectId, name, capacity }) => [
            name,
            shownCount(byZone.get(objectId)),
            capacity === undefined ? '–' : countText(capacity),
          ]),
        }}
      />
    </>
  );
}

interface PresentProps {
  readonly gateways: NonNullable<Floor['gateways']>;
  readonly shown: readonly SensedPosition[];
  readonly px: number;
}

function Present({ gateways, shown, px }: PresentProps) {
  return (
    <>
      {gateways.map(({ name, x, y }) => (
        <Mark key={name} id={name} name={t('Receiver (gateway): {name}', { name })} at={{ x, y }} px={px} isGateway />
      ))}
      {shown.map(({ objectId, x = 0, y = 0, accuracy = 0 }) => (
        <g key={objectId}>
          <Reach at={{ x, y }} accuracy={accuracy} />
          <Dot at={{ x, y }} px={px} mark={{ 'data-visitor': objectId }} />
        </g>
      ))}
    </>
  );
}

/** What the squares are, for those who do not see them too. */
function Gateways({ floor: { gateways = [] } }: Pick<Props, 'floor'>) {
  if (gateways.length === 0) return null;
  return (
    <Text c="dimmed" mb="xs">
      {t('Receivers (gateways, drawn as squares): {list}.', { list: listed(gateways.map(({ name }) => name)) })}
    </Text>
  );
}

const withLimit = (count: string, limit: Occupied | undefined) => (limit ? `${count} / ${limit.capacity}` : count);

function Crowded({ places }: { readonly places: readonly Occupied[] }) {
  const lines = places.map(({ name, capacity }) => t('{name}: more than {capacity, number}', { name, capacity }));
  return (
    <Alert color="red" mb="sm" title={t('Too many visitors')} icon={<Icon name="warning" />}>
      {listed(lines)}
    </Alert>
  );
}

const staysAt = (stays: readonly Stay[], at: number) => stays.filter(({ from, until }) => from <= at && until > at);

/** How many minutes before now are looked at, and playing from there until now: a minute each quarter of a second. */
function useMoment() {
  /** 0: now. */
  const [back, setBack] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  // At the end it stops: whoever goes back again looks at that moment first.
  if (isPlaying && back === 0) setPlaying(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => setBack((minutes) => Math.max(0, minutes - 1)), 250);
    return () => clearInterval(timer);
  }, [isPlaying]);
  return {
    back,
    isPlaying,
    setPlaying,
    /** Goes there, and stays. */
    goTo: (minutes: number) => {
      setPlaying(false);
      setBack(minutes);
    },
  };
}

interface ScrubberProps {
  readonly moment: ReturnType<typeof useMoment>;
  /** The time that is looked at. */
  readonly clock: string;
}

function Scrubber({ moment: { back, isPlaying, setPlaying, goTo }, clock }: ScrubberProps) {
  return (
    <Group mb="md" gap="sm">
      <Button size="xs" disabled={back === 0} onClick={() => setPlaying(!isPlaying)}>
        {isPlaying ? t('Stop') : t('Play')}
      </Button>
      <Slider
        flex="1 1 16rem"
        miw="10rem"
        thumbLabel={t('Minutes before now')}
        min={-backMs / minuteMs}
        max={0}
        value={-back}
        onChange={(value) => goTo(-value)}
        label={(value) => (value === 0 ? t('now') : t('{value} min ago', { value: -value }))}
      />
      <Text c="dimmed">{back === 0 ? t('The last two hours') : clock}</Text>
    </Group>
  );
}
