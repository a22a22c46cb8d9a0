import { Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import type { Beacon, JsonObject } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { findingTitles } from '../../components/names/finding-words.ts';
import { EmptyState, Loading } from '../../components/page/blocks.tsx';
import { Handle } from '../../components/plan/handle.tsx';
import { PlanDrawing } from '../../components/plan/plan-drawing.tsx';
import { Dot, MarkShape, Reach } from '../../components/plan/plan-shapes.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { useListed } from '../../lib/data/api.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { allFloorsQuery, venueNamesQuery } from '../../lib/data/venue-queries.ts';
import { findingsQuery, isToDo } from '../../lib/fleet/findings.ts';
import { usePlan } from '../../lib/plan/use-plan.ts';
import { pageLanguage, rich, t } from '../../lib/words/words.ts';
import classes from './beacons.module.css';
import { type Area, areasOf, placeLabels, spotsOf, type Visitor, visitorsAt } from './plot.ts';
import { visitorsNowQuery } from './queries.ts';

interface Named {
  readonly objectId: string;
  readonly name: string;
}

/** More dots would not be readable. */
const maxSpots = 1_000;

interface Props {
  readonly appId: string;
  readonly where: JsonObject | undefined;
  readonly tools: ReactNode;
}

/** The beacons of one floor on its plan, and the visitors among them. */
export function BeaconMap({ appId, where, tools }: Props) {
  const placed = { location: { $exists: true } };
  const query = {
    where: where ? { $and: [where, placed] } : placed,
    order: 'name',
    limit: maxSpots,
    count: 1,
  } as const;
  const { data, error } = useListed(appId, 'listBeacons', query);
  const [chosen, setChosen] = useState<string>();
  const all = spotsOf((data?.results ?? []) as readonly Beacon[]);
  const { data: floors } = useQuery(allFloorsQuery(appId));
  const { data: venues = [] } = useQuery(venueNamesQuery(appId));
  const areas = floors
    ? areasOf(
        all,
        floors.toSorted((a, b) => a.level - b.level),
      )
    : [];
  const area = areas.find(({ key }) => key === chosen) ?? areas.find(({ floor }) => floor?.level === 0) ?? areas[0];
  const spots = area?.spots ?? [];
  const { data: findings = [] } = useQuery(findingsQuery(appId));
  const wrong = new Map(findings.filter(isToDo).map(({ beaconId, kind }) => [beaconId, findingTitles[kind]]));
  const maySee = useMayCall()('listPositions');
  const { data: sensed = [] } = useQuery({ ...visitorsNowQuery(appId), enabled: maySee && spots.length > 0 });
  const visitors = visitorsAt(spots, sensed);
  return (
    <>
      <Group mb="sm" gap="xs">
        {tools}
        {areas.length > 1 && (
          <NativeSelect
            aria-label={t('Floor')}
            data={areas.map(({ key, ...rest }) => ({ value: key, label: nameOf(rest, venues) }))}
            value={area?.key}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          />
        )}
        {where && <Text c="dimmed">{t('Limited by the search and the filter of the table.')}</Text>}
      </Group>
      <Loading data={data} error={error} height={420} />
      {data && all.length === 0 && (
        <EmptyState
          icon="map"
          title={t('No beacon has a place yet')}
          text={t('Put beacons on the plan of a floor, under Venues, to see them here.')}
        />
      )}
      {spots.length > 0 && maySee && <WhoIsHere appId={appId} here={visitors.length} everywhere={sensed.length} />}
      {area && <AreaPlot key={area.key} appId={appId} area={area} visitors={visitors} wrong={wrong} />}
      {(data?.count ?? 0) > maxSpots && (
        <Text c="dimmed" mt="xs">
          {t('Only the first {maxSpots, number} of {count} are shown.', {
            maxSpots,
            count: data?.count?.toLocaleString(pageLanguage()),
          })}
        </Text>
      )}
    </>
  );
}

function nameOf({ floor, name }: Omit<Area, 'key'>, venues: readonly Named[]): string {
  if (!floor) return name === '' ? t('Without a floor') : t('Floor {value}', { value: name });
  const venue = venues.find(({ objectId }) => objectId === floor.venueId.objectId);
  return venues.length > 1 && venue ? `${venue.name} · ${name}` : name;
}

interface AreaProps {
  readonly appId: string;
  readonly area: Area;
  readonly visitors: readonly Visitor[];
  readonly wrong: Wrong;
}

type Wrong = ReadonlyMap<string, string>;

function AreaPlot({ appId, area: { floor, spots }, visitors, wrong }: AreaProps) {
  const navigate = useNavigate();
  const { plan, isWithout } = usePlan(appId, floor ?? {});
  if (!plan && !isWithout) return <Skeleton h={420} />;
  const nameOf = ({ objectId, name }: Named) => [name, wrong.get(objectId) ?? []].flat().join(' · ');
  return (
    <PlanDrawing
      label={t('Map of the beacons')}
      plan={plan}
      zones={[]}
      walls={floor?.walls}
      around={spots}
      margin={roomForNames}
      onTap={(_, id) =>
        id !== undefined && void navigate({ to: '/apps/$appId/beacons/$beaconId', params: { appId, beaconId: id } })
      }
    >
      {(px, { left, width }) => {
        const dots = spots.map(({ x, y, beacon }) => ({ x: (x - left) / px, y: y / px, name: nameOf(beacon) }));
        const labels = placeLabels(dots, { width: width / px, fontSize, widthOf: widthsIn(fontSize) });
        return (
          <>
            {visitors.map(({ objectId, x, y, accuracy, seconds }) => (
              <g key={objectId} aria-hidden>
                <title>
                  {t('A visitor {seconds} s ago, within {accuracy} m', { seconds, accuracy: accuracy.toFixed(1) })}
                </title>
                <Reach at={{ x, y }} accuracy={accuracy} />
                <Dot at={{ x, y }} px={px} mark={{ 'data-visitor': objectId }} />
              </g>
            ))}
            {spots.map(({ x, y, beacon: { objectId, name, radius } }, index) => {
              const label = labels[index];
              const { x: across = 0, y: down = 0 } = dots[index] ?? {};
              const shown = nameOf({ objectId, name });
              return (
                <Handle
                  key={objectId}
                  id={objectId}
                  at={{ x, y }}
                  px={px}
                  label={t('{name} at {x}, {y}', { name: shown, x, y })}
                  isLink
                >
                  <title>{shown}</title>
                  {radius !== undefined && <circle r={radius / px} fill="#145a93" opacity={0.12} />}
                  <MarkShape isWrong={wrong.has(objectId)} />
                  {label && (
                    <text x={label.x - across} y={label.y - down} textAnchor={label.anchor} {...letters}>
                      {shown}
                    </text>
                  )}
                </Handle>
              );
            })}
          </>
        );
      }}
    </PlanDrawing>
  );
}

/** Metres. */
const roomForNames = 4;
/** Pixels. */
const fontSize = 12;
const letters = {
  fontSize,
  fontWeight: 550,
  fill: '#1c2430',
  stroke: '#fff',
  strokeWidth: 3,
  paintOrder: 'stroke',
} as const;

interface HereProps {
  readonly appId: string;
  readonly here: number;
  readonly everywhere: number;
}

/** The map's visitors in words, and why there may be none. */
function WhoIsHere({ appId, here, everywhere }: HereProps) {
  const { data: app } = useQuery(appQuery(appId));
  if (!app) return null;
  if (!app.policy.oneZone)
    return (
      <Text c="dimmed" mb="xs">
        {t(
          'Visitors are not drawn: this app does not decide which one beacon a visitor is at. It can be switched on under Limits.',
        )}
      </Text>
    );
  const visitors = (n: number) => t('{n, number} {n, plural, one {visitor} other {visitors}}', { n });
  const others = everywhere - here;
  return (
    <Text mb="xs" role="status">
      {rich(
        '{part} {visitors} here in the last minute{hasOthers, select, true {, {others, number} elsewhere or with an unknown position} other {}}',
        {
          part: <span className={classes.legend} aria-hidden />,
          visitors: visitors(here),
          others,
          hasOthers: others > 0,
        },
      )}
    </Text>
  );
}

/** Measures the width of a name as the browser draws it. */
function widthsIn(fontSize: number): (name: string) => number {
  const pen = document.createElement('canvas').getContext('2d');
  if (!pen) return (name) => name.length * fontSize * 0.65;
  pen.font = `550 ${fontSize}px ${getComputedStyle(document.body).fontFamily}`;
  return (name) => pen.measureText(name).width;
}
