import { offsetOf, type ReceiverOffset, receiverOffsetOf } from '@pharos/engine';
import type { SiteTrigger } from '@pharos/engine/decide';
import {
  type FloorPlan,
  type PlannedBeacon,
  Routes,
  type Spot,
  type Stop,
  type Wall,
  type Waypoint,
} from '@pharos/engine/simulation';
import type { Db } from '../../../../db/db.ts';
import type { Context } from '../../../context.ts';
import { findHearings } from '../site/receiver-offsets.ts';
import { findBeaconsById, type SiteBeacon, type SiteReads } from '../site/site.ts';
import { findTriggers } from '../site/triggers.ts';

/** Floors as a stage: what simulated visitors walk past on them, and how their phones hear. */

interface Point {
  readonly x: number;
  readonly y: number;
}

export type StageFloor = NonNullable<Awaited<ReturnType<Context['findDrawnFloor']>>>;

export type StageReads = Pick<Context, 'findDrawnFloor' | 'listPlaced' | 'isOnFloor'>;

export const clutters = ['open', 'furnished', 'crowded'] as const;
type Clutter = (typeof clutters)[number];

/**
 * What things and people in a room do to the radio: by how much they raise the exponent of the path loss, and the deviation of
 * their shadows, dB. Source of the exponents: Recommendation ITU-R P.1238, power loss coefficients at 1.8-2 GHz: 20 in large
 * open rooms, 22 in shops, 28 and more in furnished offices. The deviations are chosen around radio.ts's.
 */
const radioOf: Readonly<Record<Clutter, { readonly exponent: number; readonly deviation: number }>> = {
  open: { exponent: 0, deviation: 3 },
  furnished: { exponent: 0.2, deviation: 4 },
  crowded: { exponent: 0.8, deviation: 6 },
};
/** The measured power if none is set, dBm at one metre. */
const usualPower = -59;
const usualInterval = 300;
/** A light wall, dB. Source: COST Action 231, 1999, §4.7. */
const wallLoss = 3.4;
/** In a venue with more beacons, only those on a floor where somebody walks are heard. */
const maxBeacons = 1_000;
const readAtOnce = 500;
/** How long a roaming visitor stays in front of a beacon, seconds. */
const usualStay = [10, 90] as const;

export interface StagedWay {
  readonly clutter: Clutter;
  /** The outlines of zones weaken signals. */
  readonly walls: boolean;
  readonly route: readonly Stop[] | undefined;
  readonly entrance: Point | undefined;
}

/** What a walk needs, read once: a message changed in the meantime changes the next walk. */
export interface Stage {
  readonly plan: FloorPlan;
  readonly way: Routes | readonly Stop[];
  readonly beacons: ReadonlyMap<string, SiteBeacon>;
  readonly site: SiteReads;
  /** Beacons of the venue that have a place and can be heard. */
  readonly placed: number;
  /** Those that have a place, and are left out. */
  readonly omitted: number;
}

/** The floors where visitors walk, all of one venue; they enter on the first. */
export type StagedFloors = readonly [StageFloor, ...StageFloor[]];

/** @returns undefined where there is nothing to walk past */
export async function setStage(
  db: Db,
  reads: StageReads,
  { appId, floors, way }: { readonly appId: string; readonly floors: StagedFloors; readonly way: StagedWay },
): Promise<Stage | undefined> {
  const { spots, omitted } = await beaconSpots(db, reads, { appId, floors });
  if (spots.size === 0) return undefined;
  const found: SiteBeacon[] = [];
  const ids = [...spots.keys()];
  for (let at = 0; at < ids.length; at += readAtOnce)
    found.push(...(await findBeaconsById(db, appId, ids.slice(at, at + readAtOnce))));
  const beacons = new Map(found.map((beacon) => [beacon.objectId, beacon]));
  const planned = found.flatMap((beacon) => {
    const spot = spots.get(beacon.objectId);
    return spot ? [plannedBeacon(beacon, spot)] : [];
  });
  const { exponent, deviation } = radioOf[way.clutter];
  const plan: FloorPlan = {
    beacons: planned,
    walls: way.walls ? floors.flatMap(wallsOf) : [],
    waypoints: way.route ? [] : waypointsOf(floors, planned, way.entrance),
    paths: undefined,
    pathLossExponent: 2 + exponent,
    shadowDeviation: deviation,
  };
  return {
    plan,
    // Doors are not drawn, so roaming visitors walk straight.
    way: way.route ?? new Routes({ ...plan, walls: [] }),
    beacons,
    site: snapshot(db, appId, beacons),
    placed: spots.size,
    omitted,
  };
}

/** Where the beacons of the venue hang. Floors without a number in the location are named in it. */
async function beaconSpots(
  db: Db,
  reads: StageReads,
  { appId, floors }: { readonly appId: string; readonly floors: StagedFloors },
): Promise<{ readonly spots: ReadonlyMap<string, Spot>; readonly omitted: number }> {
  const [floor] = floors;
  const spots = new Map<string, Spot>();
  const listed = await reads.listPlaced(db, appId, floor.venueId);
  const levelOf = (location: Parameters<StageReads['isOnFloor']>[0]) => {
    const found = [floor, ...floor.floors].find((one) => reads.isOnFloor(location, one));
    return found?.level ?? (typeof location['floor'] === 'number' ? location['floor'] : 0);
  };
  for (const { objectId, location } of listed) {
    const { x, y } = location ?? {};
    if (!location || typeof x !== 'number' || typeof y !== 'number') continue;
    spots.set(objectId, { x, y, floor: levelOf(location) });
  }
  if (spots.size <= maxBeacons) return { spots, omitted: 0 };
  // Those of other floors are hardly heard.
  const here = new Map([...spots].filter(([, spot]) => floors.some(({ level }) => level === spot.floor)));
  return { spots: here, omitted: spots.size - here.size };
}

function plannedBeacon({ objectId, settings }: SiteBeacon, spot: Spot): PlannedBeacon {
  const { measuredPower = usualPower, learned } = settings;
  return { ...spot, address: { beacon: objectId }, measuredPower, interval: usualInterval, learned };
}

function wallsOf({ zones, level }: StageFloor): Wall[] {
  const walls: Wall[] = [];
  for (const { polygon } of zones)
    polygon.forEach((from, index) => {
      const to = polygon[(index + 1) % polygon.length] ?? from;
      walls.push({ from: { ...from, floor: level }, to: { ...to, floor: level }, loss: wallLoss });
    });
  return walls;
}

/** The entrance, and a place in front of each beacon of the floors. */
function waypointsOf(floors: StagedFloors, planned: readonly PlannedBeacon[], entrance: Point | undefined): Waypoint[] {
  const [first] = floors;
  const here = planned.filter((beacon) => floors.some(({ level }) => level === beacon.floor));
  const stops = here.map((beacon, index): Waypoint => {
    const { x, y, floor } = beacon;
    return { name: `beacon ${index + 1}`, x: x + 0.8, y, floor, stay: usualStay, faces: beacon };
  });
  const onFirst = here.filter(({ floor }) => floor === first.level);
  return [{ ...(entrance ?? entranceOf(first, onFirst)), name: 'entrance', floor: first.level }, ...stops];
}

/** The middle of the first zone that is an entrance, else outside on the left. */
function entranceOf({ zones }: StageFloor, here: readonly Spot[]): Point {
  const drawn = zones.find(({ kind }) => kind === 'entrance')?.polygon ?? [];
  const mean = (values: readonly number[]) =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  if (drawn.length > 0) return { x: mean(drawn.map(({ x }) => x)), y: mean(drawn.map(({ y }) => y)) };
  const left = here.reduce((least, { x }) => Math.min(least, x), here[0]?.x ?? 0);
  return { x: left - 12, y: mean(here.map(({ y }) => y)) };
}

/** Beacons and messages as they are now; each message is read when it is first asked for. */
function snapshot(db: Db, appId: string, beacons: ReadonlyMap<string, SiteBeacon>): SiteReads {
  const triggers = new Map<string, Promise<readonly SiteTrigger[]>>();
  const read = async (id: string) => (await findTriggers(db, appId, [id])).get(id) ?? [];
  return {
    beaconsById: async (_db, _appId, ids) => ids.flatMap((id) => beacons.get(id) ?? []),
    beaconsByAddress: async () => [],
    triggers(_db, _appId, beaconId) {
      const known = triggers.get(beaconId) ?? read(beaconId);
      triggers.set(beaconId, known);
      return known;
    },
  };
}

export interface PhoneHearing {
  /** How much less than others it hears, dB; null: nothing is known of the model. */
  readonly loss: number | null;
  /** What the engine starts from. */
  readonly receiverOffset: ReceiverOffset | null;
}

export async function hearingOfModel(db: Db, appId: string, model: string): Promise<PhoneHearing> {
  const subjects = [model.trim(), ''].map((of) => ({ appId, installationId: '', model: of }));
  const [alike, site] = (await findHearings(db, subjects)).map(offsetOf);
  const known = model.trim() === '' ? null : (alike ?? null);
  return { loss: known?.loss ?? null, receiverOffset: receiverOffsetOf(null, { model: known, site: site ?? null }) };
}
