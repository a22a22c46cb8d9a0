import { Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { Beacon, JsonObject } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { findingTitles } from '../../components/names/finding-words.ts';
import { EmptyState, Loading } from '../../components/page/blocks.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { useListed } from '../../lib/data/api.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { allFloorsQuery, venueNamesQuery } from '../../lib/data/venue-queries.ts';
import { findingsQuery, isToDo } from '../../lib/fleet/findings.ts';
import { usePlan } from '../../lib/plan/use-plan.ts';
import { pageLanguage, rich, t } from '../../lib/words/words.ts';
import classes from './beacons.module.css';
import {
  type Area,
  areasOf,
  frameOf,
  placeLabels,
  type Spot,
  spotsOf,
  ticks,
  type Visitor,
  visitorsAt,
} from './plot.ts';
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

/**
 * The beacons of one floor on its plan, and the visitors among them. Where there is no plan, a grid of metres: x to the right, y
 * downwards.
 */
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
  const { plan, isWithout } = usePlan(appId, floor ?? {});
  if (!plan && !isWithout) return <Skeleton h={420} />;
  return <Plot appId={appId} spots={spots} visitors={visitors} wrong={wrong} plan={plan} />;
}

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

interface PlotProps {
  readonly appId: string;
  readonly spots: readonly Spot[];
  readonly visitors: readonly Visitor[];
  readonly wrong: Wrong;
  readonly plan: ReturnType<typeof usePlan>['plan'];
}

/** Pixels: more would not fit on a screen. */
const maxHeight = 640;

function Plot({ appId, spots, visitors, wrong, plan }: PlotProps) {
  const navigate = useNavigate();
  const { ref, width: measured } = useElementSize();
  const room = Math.max(measured, 280);
  const width = plan ? Math.min(room, (maxHeight * plan.frame.width) / plan.frame.height) : room;
  const height = plan
    ? Math.round((width * plan.frame.height) / plan.frame.width)
    : Math.round(Math.min(560, Math.max(320, width * 0.6)));
  const frame = plan
    ? { x: plan.frame.left, y: plan.frame.top, width: plan.frame.width, height: plan.frame.height, step: 0 }
    : frameOf(spots, width / height);
  const scale = width / frame.width;
  const shownName = ({ objectId, name }: Named) => [name, wrong.get(objectId) ?? []].flat().join(' · ');
  const dots = spots.map(({ x, y, beacon }) => ({
    x: (x - frame.x) * scale,
    y: (y - frame.y) * scale,
    name: shownName(beacon),
  }));
  const fontSize = width < 500 ? 11 : 13;
  const labels = placeLabels(dots, { width, fontSize, widthOf: widthsIn(fontSize) });
  const open = (beaconId: string) =>
    void navigate({ to: '/apps/$appId/beacons/$beaconId', params: { appId, beaconId } });
  return (
    <section
      ref={ref}
      className={plan ? `${classes.map} ${classes.paper}` : classes.map}
      aria-label={t('Map of the beacons')}
    >
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <title>{t('Map of the beacons')}</title>
        {plan ? (
          <image href={plan.url} width={width} height={height} preserveAspectRatio="none" />
        ) : (
          <Grid frame={frame} scale={scale} width={width} height={height} />
        )}
        <g className={classes.visitors} aria-hidden>
          {visitors.map(({ objectId, x, y, accuracy, seconds }) => (
            <g
              key={objectId}
              style={{ transform: `translate(${(x - frame.x) * scale}px, ${(y - frame.y) * scale}px)` }}
            >
              <title>
                {t('A visitor {seconds} s ago, within {accuracy} m', { seconds, accuracy: accuracy.toFixed(1) })}
              </title>
              <circle r={accuracy * scale} className={classes.within} />
              <circle r={4.5} className={classes.visitor} />
            </g>
          ))}
        </g>
        {spots.map((spot, index) => {
          const { x, y } = dots[index] ?? spot;
          const { objectId, radius } = spot.beacon;
          const name = shownName(spot.beacon);
          const label = labels[index];
          return (
            // biome-ignore lint/a11y/useSemanticElements: there are no links in a drawing that the router could follow
            <g
              key={objectId}
              className={classes.spot}
              role="link"
              tabIndex={0}
              aria-label={t('{name} at {x}, {y}', { name, x: spot.x, y: spot.y })}
              onClick={() => open(objectId)}
              onKeyDown={({ key }) => key === 'Enter' && open(objectId)}
            >
              <title>{name}</title>
              {radius !== undefined && <circle cx={x} cy={y} r={radius * scale} className={classes.reach} />}
              <circle cx={x} cy={y} r={22} className={classes.target} />
              <circle cx={x} cy={y} r={6} className={wrong.has(objectId) ? classes.wrong : classes.dot} />
              {label && (
                <text x={label.x} y={label.y} textAnchor={label.anchor} fontSize={fontSize}>
                  {name}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </section>
  );
}

interface GridProps {
  readonly frame: ReturnType<typeof frameOf>;
  readonly scale: number;
  readonly width: number;
  readonly height: number;
}

function Grid({ frame, scale, width, height }: GridProps) {
  return (
    <g className={classes.grid} aria-hidden>
      {ticks(frame.x, frame.x + frame.width, frame.step).map((value) => {
        const x = (value - frame.x) * scale;
        return (
          <g key={value}>
            <line x1={x} x2={x} y1={0} y2={height} />
            <text x={x + 3} y={height - 5}>
              {metres(value)}
            </text>
          </g>
        );
      })}
      {ticks(frame.y, frame.y + frame.height, frame.step).map((value) => {
        const y = (value - frame.y) * scale;
        return (
          <g key={value}>
            <line x1={0} x2={width} y1={y} y2={y} />
            <text x={4} y={y - 3}>
              {metres(value)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** Measures the width of a name as the browser draws it. */
function widthsIn(fontSize: number): (name: string) => number {
  const pen = document.createElement('canvas').getContext('2d');
  if (!pen) return (name) => name.length * fontSize * 0.65;
  pen.font = `550 ${fontSize}px ${getComputedStyle(document.body).fontFamily}`;
  return (name) => pen.measureText(name).width;
}

const metres = (value: number) => `${Number(value.toPrecision(6))} m`;
