import { Text } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useFields } from '../../../components/form/use-fields.ts';
import names from '../../../components/page/names.module.css';
import { dataOf } from '../../../lib/data/api.ts';
import { withSession } from '../../../lib/data/signing-in.ts';
import type { Point } from '../../../lib/plan/floor-geometry.ts';
import { wallTime } from '../../../lib/time/zoned-time.ts';
import { rich, t, tenths } from '../../../lib/words/words.ts';
import classes from '../analytics.module.css';
import { useFloorPlan } from '../plan/floor.ts';
import { middleOf } from '../plan/plan-drawing.tsx';
import type { SiteOf } from '../site.ts';
import { Happenings } from './happenings.tsx';
import { type Playback, usePlayback } from './playback.ts';
import { Player } from './player.tsx';
import stageClasses from './stage.module.css';
import { StagePlan } from './stage-plan.tsx';
import {
  believedZone,
  type Ground,
  happeningsOf,
  poseAt,
  suggestedWay,
  summaryOf,
  type WalkAnswer,
  type WalkFields,
  walkBody,
  wordsOf,
  zoneAt,
} from './walk.ts';
import { WalkForm } from './walk-form.tsx';
import { WayTable } from './way-table.tsx';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
  readonly site: SiteOf;
  /** Of the venue. */
  readonly zone: string;
}

/** A walk may take longer to work out than other calls. */
const patienceMs = 180_000;

/** The plan with the way that is drawn, what is asked of the walk, and what it comes to. */
export function Stage({ appId, floor, site, zone }: Props) {
  const { plan, zones, all, beacons } = useFloorPlan(appId, floor, site);
  const ground: Ground = { zones, beacons: all };
  const placed = beacons.map(({ objectId, name, location }) => ({
    id: objectId,
    name,
    at: { x: location?.x ?? 0, y: location?.y ?? 0 },
  }));
  const entrance = zones.find(({ kind }) => kind === 'entrance')?.polygon;
  const middle = entrance ? middleOf(entrance) : middleOf(placed.length > 0 ? placed.map(({ at }) => at) : [origin]);
  const fields = useFields<WalkFields>({
    mode: 'way',
    points: [],
    entrance: undefined,
    visitors: 5,
    minutes: 5,
    phone: 'usual',
    clutter: 'furnished',
    walls: false,
    when: wallTime(Date.now(), zone).slice(0, 16),
    seed: '1',
    canBeReached: true,
  });
  const { mode, points } = fields.values;
  const walking = useWalk(appId, floor, { fields, zone });
  const { walk } = walking;
  const playback = usePlayback(walk?.seconds ?? 0);
  function start() {
    const problems = problemsOf(fields.values);
    if (problems.length > 0) fields.setProblems(problems);
    else void walking.start().then((isThere) => isThere && playback.begin());
  }
  const put = (point: Point) =>
    mode === 'roam' ? fields.set('entrance', point) : fields.set('points', [...points, { ...point, stay: 0 }]);
  return (
    <>
      <div className={stageClasses.stage}>
        <div>
          <StagePlan
            label={t('Plan of {name}', { name: floor.name })}
            plan={plan}
            zones={drawnZones(ground, walk, playback.time)}
            beacons={placed}
            points={mode === 'way' ? points : []}
            entrance={mode === 'roam' ? (fields.values.entrance ?? (entrance && middle)) : undefined}
            walkers={walk ? walkersAt(walk, playback) : []}
            onAdd={put}
            onMove={(index, to) =>
              mode === 'roam'
                ? fields.set('entrance', to)
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
            <Text size="sm" c="dimmed">
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
          isBusy={walking.isBusy}
          onStart={start}
          onStop={walking.stop}
        >
          <WayTable
            points={points}
            middle={middle}
            onChange={(changed) => fields.set('points', changed)}
            onSuggest={() =>
              fields.set(
                'points',
                suggestedWay(
                  middle,
                  placed.map(({ at }) => at),
                ),
              )
            }
          />
          {fields.problem('points') && (
            <Text size="sm" c="red" role="alert">
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
      <Text size="sm" c="dimmed" mt="md">
        {rich(
          'What other rules would have sent to the visitors of the last 30 days is told by the form of each message: open a <message>notification</message> or a <storyline>storyline</storyline>.',
          {
            message: (inner) => (
              <Link to="/apps/$appId/notifications" params={{ appId }} className={names.link}>
                {inner}
              </Link>
            ),
            storyline: (inner) => (
              <Link to="/apps/$appId/storylines" params={{ appId }} className={names.link}>
                {inner}
              </Link>
            ),
          },
        )}
      </Text>
    </>
  );
}

const origin = { x: 0, y: 0 };

function problemsOf({ mode, points, visitors, minutes, when }: WalkFields) {
  return [
    ...(mode === 'way' && points.length < 2
      ? [{ field: 'points', problem: t('A way has at least two points: click on the plan, or let one be suggested') }]
      : []),
    ...(mode === 'roam' && !(Number(visitors) >= 1 && Number(visitors) <= 20)
      ? [{ field: 'visitors', problem: t('must be from 1 to 20') }]
      : []),
    ...(mode === 'roam' && !(Number(minutes) >= 1 && Number(minutes) <= 60)
      ? [{ field: 'minutes', problem: t('must be from 1 to 60') }]
      : []),
    ...(when === '' ? [{ field: 'when', problem: t('choose a day and a time') }] : []),
  ];
}

interface Asking {
  readonly fields: ReturnType<typeof useFields<WalkFields>>;
  readonly zone: string;
}

/** Asks for a walk, which can be cancelled. */
function useWalk(appId: string, floor: Floor, { fields, zone }: Asking) {
  const [walk, setWalk] = useState<WalkAnswer>();
  const [running, setRunning] = useState<AbortController>();
  const last = useRef<AbortController>(undefined);
  useEffect(() => () => last.current?.abort(), []);
  return {
    walk,
    isBusy: running !== undefined,
    stop: () => last.current?.abort(),
    /** Whether there is a walk to be played. */
    async start(): Promise<boolean> {
      const controller = new AbortController();
      last.current = controller;
      setRunning(controller);
      fields.setFailure(null);
      try {
        const body = walkBody(fields.current(), floor, zone);
        const { signal } = controller;
        setWalk(await withSession(() => dataOf(appId).activity.simulateWalks(body, { signal, timeout: patienceMs })));
        return true;
      } catch (error) {
        if (!controller.signal.aborted) fields.setFailure(error as Error);
        return false;
      } finally {
        setRunning(undefined);
      }
    },
  };
}

/** Zones by how many are believed to be in them. */
function drawnZones(ground: Ground, walk: WalkAnswer | undefined, time: number) {
  const counts = new Map<string, number>();
  for (const visitor of walk?.visitors ?? []) {
    const { objectId } = believedZone(ground, poseAt(visitor, time).believed) ?? {};
    if (objectId !== undefined) counts.set(objectId, (counts.get(objectId) ?? 0) + 1);
  }
  const most = Math.max(1, ...counts.values());
  return ground.zones.map(({ objectId, name, polygon }) => {
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

interface NowProps {
  readonly walk: WalkAnswer;
  readonly ground: Ground;
  readonly time: number;
}

/** Where the visitor is at this moment, in words. */
function NowLine({ walk, ground, time }: NowProps) {
  const [visitor, ...others] = walk.visitors;
  if (!visitor) return null;
  if (others.length > 0) {
    const poses = walk.visitors.map((one) => poseAt(one, time));
    const here = poses.filter(({ at }) => at).length;
    const noticed = poses.filter(({ believed }) => believed).length;
    return (
      <p className={stageClasses.now}>
        {t('{here, plural, one {One visitor is} other {# visitors are}} in the house, {noticed} noticed.', {
          here,
          noticed,
        })}
      </p>
    );
  }
  const { at, believed } = poseAt(visitor, time);
  const outside = t('outside of all zones');
  const is = at ? (zoneAt(ground, at)?.name ?? outside) : t('not in the house');
  const beacon = ground.beacons.find(({ objectId }) => objectId === believed?.beacon)?.name ?? '';
  const guess = believed ? (believedZone(ground, believed)?.name ?? beacon) : t('nowhere');
  return (
    <p className={stageClasses.now}>
      {believed?.error !== undefined && at
        ? t('The visitor is: {is}. The service believes: {guess}, {error} m off.', {
            is,
            guess,
            error: tenths(believed.error),
          })
        : t('The visitor is: {is}. The service believes: {guess}.', { is, guess })}
    </p>
  );
}

function Legend({ hasWalk }: { readonly hasWalk: boolean }) {
  const { legend, dot, guess, square } = stageClasses;
  return (
    <ul className={legend}>
      <li>
        <span className={`${dot} ${square}`} /> {t('beacon')}
      </li>
      {hasWalk && (
        <>
          <li>
            <span className={dot} /> {t('where the visitor is')}
          </li>
          <li>
            <span className={`${dot} ${guess}`} /> {t('where the service believes the visitor to be')}
          </li>
        </>
      )}
    </ul>
  );
}

/** What the walk comes to. */
function Figures({ walk, ground }: { readonly walk: WalkAnswer; readonly ground: Ground }) {
  const { median, most, right, shown } = summaryOf(walk.visitors, ground);
  const entered = new Set(
    happeningsOf(walk).flatMap(({ event }) =>
      event.event === 'ENTER' ? (believedZone(ground, { beacon: event.beaconId.objectId })?.objectId ?? []) : [],
    ),
  );
  return (
    <ul className={classes.figures}>
      <li>
        <span>{t('Messages shown')}</span>
        <b>{shown}</b>
      </li>
      <li>
        <span>{t('Zones entered')}</span>
        <b>{entered.size}</b>
        <small>{t('of {count} on this floor', { count: ground.zones.length })}</small>
      </li>
      {median !== undefined && most !== undefined && (
        <li>
          <span>{t('Off by, usually')}</span>
          <b>{t('{metres} m', { metres: tenths(median) })}</b>
          <small>{t('{metres} m at most in nine of ten seconds', { metres: tenths(most) })}</small>
        </li>
      )}
      {right !== undefined && (
        <li>
          <span>{t('In the right zone')}</span>
          <b>{t('{share} %', { share: Math.round(right * 100) })}</b>
          <small>{t('of the time')}</small>
        </li>
      )}
    </ul>
  );
}
