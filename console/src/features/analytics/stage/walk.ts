import type { Answer, Beacon, Floor, Zone } from '@pharos/sdk';
import { isInside, type Point, round } from '../../../lib/plan/floor-geometry.ts';
import { instantOf } from '../../../lib/time/zoned-time.ts';

/** The request of a walk, and its answer at a given moment. */

export type WalkAnswer = Answer<'simulateWalks'>['result'];
export type Walked = WalkAnswer['visitors'][number];
type Step = Walked['steps'][number];

export interface Place extends Point {
  readonly floorId: string;
}

export interface WayPoint extends Place {
  /** Seconds. */
  readonly stay: number;
}

export type Clutter = 'open' | 'furnished' | 'crowded';

export interface WalkFields {
  /** A way that is drawn, or roaming. */
  readonly mode: 'way' | 'roam';
  readonly points: readonly WayPoint[];
  readonly entrance: Place | undefined;
  /** Roaming visitors go to the other floors too. */
  readonly allFloors: boolean;
  readonly visitors: number | string;
  readonly minutes: number | string;
  /** `usual`, `loud`, `faint`, or `model ` and what a model is called. */
  readonly phone: string;
  readonly clutter: Clutter;
  readonly walls: boolean;
  /** `2026-05-04T11:30`, in the zone of the venue. */
  readonly when: string;
  readonly seed: string;
  readonly canBeReached: boolean;
}

/** dB by which a phone hears less than others. */
const losses: Readonly<Record<string, number>> = { usual: 0, loud: -6, faint: 8 };
export const modelPrefix = 'model ';

export function walkBody(fields: WalkFields, floor: Floor, zone: string) {
  const { mode, points, entrance, allFloors, visitors, minutes } = fields;
  const { phone, clutter, walls, when, seed, canBeReached } = fields;
  const model = phone.startsWith(modelPrefix) ? phone.slice(modelPrefix.length) : undefined;
  return {
    floorId: (mode === 'way' ? points[0]?.floorId : entrance?.floorId) ?? floor.objectId,
    ...(mode === 'way'
      ? { route: points.map(({ x, y, stay, floorId }) => ({ x, y, stay, floorId })) }
      : {
          ...(entrance ? { entrance: { x: entrance.x, y: entrance.y } } : {}),
          allFloors,
          seconds: Math.round(60 * Number(minutes)),
        }),
    visitors: mode === 'way' ? 1 : Number(visitors),
    at: new Date(instantOf(when, zone)).toISOString(),
    seed: seed.trim() === '' ? '1' : seed.trim(),
    clutter,
    walls,
    phone: model === undefined ? { loss: losses[phone] ?? 0 } : { model },
    hasTarget: canBeReached,
  };
}

/** Past all beacons, each time to the nearest that is left, stopping a little before each. */
export function suggestedWay(from: Place, beacons: readonly Point[]): WayPoint[] {
  const { floorId } = from;
  const left = [...beacons].slice(0, 60);
  const door = { x: round(from.x), y: round(from.y), stay: 0, floorId };
  const way: WayPoint[] = [door];
  let at: Point = from;
  while (left.length > 0) {
    const here = at;
    left.sort((a, b) => Math.hypot(a.x - here.x, a.y - here.y) - Math.hypot(b.x - here.x, b.y - here.y));
    at = left.shift() ?? here;
    way.push({ x: round(at.x + 0.6), y: round(at.y), stay: 20, floorId });
  }
  return [...way, door];
}

/** Where somebody is and is believed to be. */
export interface Pose {
  /** Absent: not in the house. `floor` is a level. */
  readonly at?: Point & { readonly floor: number };
  readonly believed?: Step['believed'];
}

/** At a number of seconds after the start, in a straight line between two steps. */
export function poseAt({ steps }: Walked, time: number): Pose {
  const step = steps[Math.max(0, Math.min(steps.length, Math.floor(time)) - 1)];
  const next = steps[Math.min(steps.length - 1, Math.floor(time))];
  if (!step || time < 1) return {};
  const part = time - Math.floor(time);
  const isHere = step.x !== undefined && step.y !== undefined;
  const { x = 0, y = 0, floor = 0 } = step;
  const to = next?.x !== undefined && next.y !== undefined ? { x: next.x, y: next.y } : { x, y };
  return {
    ...(isHere ? { at: { x: x + part * (to.x - x), y: y + part * (to.y - y), floor } } : {}),
    ...(step.believed ? { believed: step.believed } : {}),
  };
}

/** The venue. */
export interface Ground {
  readonly floors: readonly Floor[];
  readonly zones: readonly Zone[];
  readonly beacons: readonly Beacon[];
}

export const floorAt = ({ floors }: Ground, at: Pose['at']): Floor | undefined =>
  floors.find(({ level }) => level === at?.floor);

/** The smallest zone in which somebody is. */
export function zoneAt(ground: Ground, at: Pose['at']): Zone | undefined {
  const floor = floorAt(ground, at);
  if (!at || !floor) return undefined;
  return ground.zones
    .filter(({ floorId, polygon }) => floorId.objectId === floor.objectId && isInside(polygon, at))
    .toSorted((a, b) => areaOf(a.polygon) - areaOf(b.polygon))[0];
}

function areaOf(points: readonly Point[]): number {
  return Math.abs(
    points.reduce((sum, { x, y }, index) => {
      const next = points[(index + 1) % points.length] as Point;
      return sum + x * next.y - next.x * y;
    }, 0),
  );
}

export function believedZone({ zones, beacons }: Ground, believed: Step['believed']): Zone | undefined {
  const zoneId = beacons.find(({ objectId }) => objectId === believed?.beacon)?.zoneId?.objectId;
  return zones.find(({ objectId }) => objectId === zoneId);
}

export interface Summary {
  /** Metres; undefined where no position is known. */
  readonly median: number | undefined;
  readonly most: number | undefined;
  /** Share of the seconds in zones in which the zone was right. */
  readonly right: number | undefined;
  readonly shown: number;
}

export function summaryOf(visitors: readonly Walked[], ground: Ground): Summary {
  const steps = visitors.flatMap((one) => one.steps).filter(({ x }) => x !== undefined);
  const errors = steps.flatMap(({ believed }) => believed?.error ?? []).sort((a, b) => a - b);
  const inZones = steps.flatMap(({ x = 0, y = 0, floor = 0, believed }) => {
    const zone = zoneAt(ground, { x, y, floor });
    return zone ? [believedZone(ground, believed)?.objectId === zone.objectId] : [];
  });
  return {
    median: errors[Math.floor(errors.length / 2)],
    most: errors[Math.floor(errors.length * 0.9)],
    right: inZones.length === 0 ? undefined : inZones.filter(Boolean).length / inZones.length,
    shown: visitors.reduce((sum, { messages }) => sum + messages.length, 0),
  };
}

type Event = Walked['events'][number];
export type Verdict = Walked['verdicts'][number];
type Message = Walked['messages'][number];

/** Something that happened to a visitor. */
export interface Happening {
  readonly id: string;
  readonly visitor: number;
  /** Seconds after the beginning. */
  readonly time: number;
  readonly event: Event;
  readonly verdicts: readonly { readonly verdict: Verdict; readonly message: Message | undefined }[];
}

const rank = { fired: 0, pending: 1, stopped: 2 } as const;

/** In order of time. */
export function happeningsOf({ at, visitors }: WalkAnswer): Happening[] {
  const start = Date.parse(at);
  return visitors
    .flatMap(({ number, events, verdicts, messages }) =>
      events.map((event) => {
        // A message that waits for a dwell is judged twice: what it came to counts.
        const last = new Map(
          verdicts.filter(({ eventId }) => eventId === event.objectId).map((verdict) => [verdict.triggerId, verdict]),
        );
        return {
          id: `${number} ${event.objectId}`,
          visitor: number,
          time: (Date.parse(event.occurredAt) - start) / 1_000,
          event,
          verdicts: [...last.values()]
            .toSorted((a, b) => rank[a.outcome] - rank[b.outcome])
            .map((verdict) => ({
              verdict,
              message: messages.find(
                ({ eventId, triggerId }) => eventId === verdict.eventId && triggerId === verdict.triggerId,
              ),
            })),
        };
      }),
    )
    .toSorted((a, b) => a.time - b.time);
}

export function wordsOf({ notification, scenario }: Message): { readonly title: string; readonly text: string } {
  const message = (notification as { readonly message?: Record<string, unknown> } | undefined)?.message;
  const { alertTitle, alertMessage } = (message ?? scenario ?? {}) as Record<string, unknown>;
  const said = (text: unknown) => (typeof text === 'string' ? text : '');
  return { title: said(alertTitle), text: said(alertMessage) };
}
