import { Text } from '@mantine/core';
import type { Floor, Zone } from '@pharos/sdk';
import { useEffect, useRef } from 'react';
import { useFields } from '../../../components/form/use-fields.ts';
import { TextLink } from '../../../components/names/names.tsx';
import type { Point } from '../../../lib/plan/floor-geometry.ts';
import { middleOf } from '../../../lib/plan/plan-frame.ts';
import { wallTime } from '../../../lib/time/zoned-time.ts';
import { rich, t } from '../../../lib/words/words.ts';
import { useFloorPlan } from '../plan/floor.ts';
import type { SiteOf } from '../site.ts';
import { Happenings } from './happenings.tsx';
import { type Playback, usePlayback } from './playback.ts';
import { Player } from './player.tsx';
import stageClasses from './stage.module.css';
import { StagePlan } from './stage-plan.tsx';
import { Figures, Legend, NowLine } from './stage-words.tsx';
import { problemsOf, useWalk } from './use-walk.ts';
import {
  believedZone,
  floorAt,
  type Ground,
  type Place,
  poseAt,
  suggestedWay,
  type WalkAnswer,
  type WalkFields,
  wordsOf,
} from './walk.ts';
import { WalkForm } from './walk-form.tsx';
import { WayTable } from './way-table.tsx';

interface Props {
  readonly appId: string;
  /** The one that is shown. */
  readonly floor: Floor;
  readonly site: SiteOf;
  /** Of the venue. */
  readonly zone: string;
  readonly onFloor: (floorId: string) => void;
}

/** The plan with the way that is drawn, what is asked of the walk, and what it comes to. */
export function Stage({ appId, floor, site, zone, onFloor }: Props) {
  const { plan, zones, all, beacons } = useFloorPlan(appId, floor, site);
  const ground = groundOf(site, floor, all);
  const { objectId: floorId } = floor;
  const placed = beacons.map(({ objectId, name, location }) => ({
    id: objectId,
    name,
    at: { x: location?.x ?? 0, y: location?.y ?? 0 },
  }));
  const entrance = zones.find(({ kind }) => kind === 'entrance')?.polygon;
  const middle = entrance ? middleOf(entrance) : middleOf(placed.length > 0 ? placed.map(({ at }) => at) : [origin]);
  const fields = useFields<WalkFields>(firstFields(zone));
  const { mode, points } = fields.values;
  const walking = useWalk(appId, floor, { fields, zone });
  const { walk } = walking;
  const playback = usePlayback(walk?.seconds ?? 0);
  useFollowed(ground, walk, { playback, onFloor });
  function start() {
    const problems = problemsOf(fields.values);
    if (problems.length > 0) fields.setProblems(problems);
    else void walking.start().then((isThere) => isThere && playback.begin());
  }
  const put = (point: Point) =>
    mode === 'roam'
      ? fields.set('entrance', { ...point, floorId })
      : fields.set('points', [...points, { ...point, floorId, stay: 0 }]);
  const chosen = fields.values.entrance;
  return (
    <>
      <div className={stageClasses.stage}>
        <div>
          <StagePlan
            label={t('Plan of {name}', { name: floor.name })}
            plan={plan}
            zones={drawnZones(ground, { zones, walk, time: playback.time })}
            walls={floor.walls}
            beacons={placed}
            floor={floor}
            points={mode === 'way' ? points : []}
            entrance={mode === 'roam' ? entranceOn(floorId, chosen, entrance && middle) : undefined}
            walkers={walk ? walkersAt(walk, playback) : []}
            onAdd={put}
            onMove={(index, to) =>
              mode === 'roam'
                ? fields.set('entrance', { ...to, floorId })
                : fields.set(
                    'points',
                    points.map((point, at) => (at === index ? { ...point, ...to } : point)),
                  )
            }
          />
          {walk ? (
            <>
              <Player walk={walk} playback={playback} zone={zone} />
              <NowLine walk={walk} ground={ground} time={playback.time} />
            </>
          ) : (
            <Text c="dimmed">
              {mode === 'way'
                ? t('Each click on the plan adds a point of the way; points can be dragged.')
                : t('Click on the plan where visitors come in. They go from beacon to beacon, and leave again.')}
            </Text>
          )}
          <Legend hasWalk={walk !== undefined} />
        </div>
        <WalkForm
          appId={appId}
          fields={fields}
          zone={zone}
          hasFloors={ground.floors.length > 1}
          isBusy={walking.isBusy}
          onStart={start}
          onStop={walking.stop}
        >
          <WayTable
            points={points}
            floors={ground.floors}
            middle={{ ...middle, floorId }}
            onChange={(changed) => fields.set('points', changed)}
            onSuggest={() =>
              fields.set(
                'points',
                suggestedWay(
                  { ...middle, floorId },
                  placed.map(({ at }) => at),
                ),
              )
            }
          />
          {fields.problem('points') && (
            <Text c="red" role="alert">
              {fields.problem('points')}
            </Text>
          )}
        </WalkForm>
      </div>
      {walk && (
        <>
          <Figures walk={walk} ground={ground} />
          <Happenings appId={appId} walk={walk} ground={ground} zone={zone} playback={playback} />
        </>
      )}
      <OtherRules appId={appId} />
    </>
  );
}

const firstFields = (zone: string): WalkFields => ({
  mode: 'way',
  points: [],
  entrance: undefined,
  allFloors: false,
  visitors: 5,
  minutes: 5,
  phone: 'usual',
  clutter: 'furnished',
  walls: false,
  when: wallTime(Date.now(), zone).slice(0, 16),
  seed: '1',
  canBeReached: true,
});

function OtherRules({ appId }: Pick<Props, 'appId'>) {
  return (
    <Text c="dimmed" mt="md">
      {rich(
        'What other rules would have sent to the visitors of the last 30 days is told by the form of each <message>message</message>.',
        {
          message: (inner) => (
            <TextLink to="/apps/$appId/messages" params={{ appId }}>
              {inner}
            </TextLink>
          ),
        },
      )}
    </Text>
  );
}

const origin = { x: 0, y: 0 };

function groundOf({ floors, zones }: SiteOf, { venueId: { objectId } }: Floor, beacons: Ground['beacons']): Ground {
  const own = floors.filter(({ venueId }) => venueId.objectId === objectId);
  return {
    floors: own,
    zones: zones.filter(({ floorId }) => own.some((one) => one.objectId === floorId.objectId)),
    beacons,
  };
}

/** Where roaming visitors enter, if it is on this floor: where somebody clicked, else the middle of the entrance. */
function entranceOn(floorId: string, chosen: Place | undefined, usual: Point | undefined): Point | undefined {
  if (!chosen) return usual;
  return chosen.floorId === floorId ? chosen : undefined;
}

interface Following {
  readonly playback: Playback;
  readonly onFloor: (floorId: string) => void;
}

function useFollowed(ground: Ground, walk: WalkAnswer | undefined, { playback, onFloor }: Following): void {
  const [visitor, ...others] = walk?.visitors ?? [];
  const at = visitor && others.length === 0 ? poseAt(visitor, playback.time).at : undefined;
  const floorId = floorAt(ground, at)?.objectId;
  const show = useRef(onFloor);
  show.current = onFloor;
  useEffect(() => {
    if (floorId !== undefined) show.current(floorId);
  }, [floorId]);
}

interface DrawnOf {
  /** Of the floor that is shown. */
  readonly zones: readonly Zone[];
  readonly walk: WalkAnswer | undefined;
  readonly time: number;
}

function drawnZones(ground: Ground, { zones, walk, time }: DrawnOf) {
  const counts = new Map<string, number>();
  for (const visitor of walk?.visitors ?? []) {
    const { objectId } = believedZone(ground, poseAt(visitor, time).believed) ?? {};
    if (objectId !== undefined) counts.set(objectId, (counts.get(objectId) ?? 0) + 1);
  }
  const most = Math.max(1, ...counts.values());
  return zones.map(({ objectId, name, polygon }) => {
    const count = counts.get(objectId) ?? 0;
    return { id: objectId, name, polygon, said: count > 0 && most > 1 ? String(count) : '', strength: count / most };
  });
}

/** How long a message stays above a visitor, in seconds of the reader. */
const shownFor = 3;

function walkersAt(walk: WalkAnswer, { time, speed, isRunning }: Playback) {
  const start = Date.parse(walk.at);
  const since = isRunning ? Math.max(5, shownFor * Number(speed)) : 5;
  return walk.visitors.map((visitor) => {
    const fired = visitor.verdicts.findLast(({ outcome, decidedAt }) => {
      const at = (Date.parse(decidedAt) - start) / 1_000;
      return outcome === 'fired' && at <= time && at > time - since;
    });
    const message = visitor.messages.find(
      ({ eventId, triggerId }) => eventId === fired?.eventId && triggerId === fired.triggerId,
    );
    const words = message && wordsOf(message);
    return { number: visitor.number, ...poseAt(visitor, time), said: words && (words.title || words.text) };
  });
}
