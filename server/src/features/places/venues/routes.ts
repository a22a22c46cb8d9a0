import { type Caller, seesAll } from '../../../access/caller.ts';
import { type Failure, fail, invalid } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import type { Endpoint } from '../../../http/endpoint.ts';
import { resourceEndpoints } from '../../../resources/resource.ts';
import { type Restorable, restorable } from '../../../resources/restore.ts';
import type { Key } from '../../../resources/table.ts';
import type { Context } from '../../context.ts';
import { floors } from './floor-resource.ts';
import { headBytes, planProblem } from './plan.ts';
import { boxOf, isInside, type Point } from './polygon.ts';
import { assertReadable, missing } from './readable.ts';
import {
  countFloors,
  countZones,
  type FloorRow,
  findFloorName,
  findVenueOf,
  findZone,
  findZoneAt,
  hasZones,
  holdFloor,
  isOnFloor,
  lockVenue,
  setVenueOfZone,
} from './store.ts';
import { venues } from './venue-resource.ts';
import { zones } from './zone-resource.ts';

const idsOf = (key: Key) => ({ appId: String(key['app_id']), objectId: String(key['object_id']) });

/** Zones that were deleted can be restored: numbers and goals of messages name them by their ids. */
export function venueParts(deps: Context): Restorable {
  const zones = ofZones(deps);
  return { ...zones, endpoints: [...ofVenues(deps), ...ofFloors(deps), ...zones.endpoints] };
}

const some = (n: number, one: string, many: string) => (n === 0 ? [] : [`${n} ${n === 1 ? one : many}`]);

/**
 * Where the beacons of a venue are follows from its floors and zones, and is decided by one writer after the other: whoever writes a floor or a
 * zone locks the venue, whoever places a beacon holds it. Each does so before locking anything else of the venue, so that nobody waits in a circle.
 */
async function lockVenueOf(db: Db, key: Key, dimension: 'zone' | 'floor'): Promise<void> {
  const { appId, objectId: id } = idsOf(key);
  const venueId = await findVenueOf(db, appId, { dimension, id });
  if (venueId !== undefined) await lockVenue(db, appId, venueId);
}

/** A caller from whom rules may hide records learns that something is in the way of a deletion, not how much. */
function inTheWay(caller: Caller, counted: string, uncounted: string): Failure {
  return fail('ValidationError', seesAll(caller) ? counted : uncounted);
}

function ofVenues({ db, noteChange, listPlaced }: Context): Endpoint[] {
  return resourceEndpoints(venues, {
    db,
    onWrite: noteChange,
    onRemove: async (db, key, caller) => {
      const { appId, objectId } = idsOf(key);
      const parts = [
        ...some(await countFloors(db, appId, objectId), 'floor', 'floors'),
        ...some((await listPlaced(db, appId, objectId)).length, 'beacon', 'beacons'),
      ];
      if (parts.length > 0)
        throw inTheWay(
          caller,
          `The venue still has ${parts.join(' and ')}. Move or delete them first.`,
          'The venue still has floors or beacons. Move or delete them first.',
        );
      await noteChange(db, key);
    },
    removeErrors: ['ValidationError'],
  });
}

function ofFloors(deps: Context): Endpoint[] {
  const { db, blobs, listPlaced, readFileHead, noteChange, forgetSurveys, replaceSignals, checkMaps } = deps;
  return resourceEndpoints(floors, {
    db,
    holdParent: async (db, key) => lockVenueOf(db, key, 'floor'),
    verify: async (db, caller, { venueId, plan, gateways = [] }, stored) => {
      if (venueId && stored && stored.venueId.objectId !== venueId.objectId)
        throw invalid('venueId', 'cannot be changed: make the floor in the other venue');
      if (venueId) await assertReadable(db, venues, caller, { member: 'venueId', ...venueId });
      await assertKeys(deps, db, { appId: caller.app.appId, gateways, before: stored?.gateways ?? [] });
      if (!plan || plan.fileId === stored?.plan?.fileId) return;
      const file = await readFileHead({ db, blobs }, caller, { objectId: plan.fileId, bytes: headBytes });
      if (!file) throw missing('plan.fileId', 'file', plan.fileId);
      const problem = planProblem(plan, file);
      if (problem !== undefined) throw invalid('plan.fileId', problem);
    },
    onWrite: async (db, key, { venueId, level, name }, caller) => {
      const { appId, objectId } = idsOf(key);
      const written = await holdFloor(db, appId, objectId);
      if (!written || (!venueId && level === undefined && name === undefined)) return;
      if (!(await lockVenue(db, appId, written.venue_id))) throw missing('venueId', 'venue', written.venue_id);
      const spot = { appId, venueId: written.venue_id, level: written.level, except: objectId };
      const other = await findFloorName(db, spot);
      if (other === undefined) {
        await placeAgain(deps, db, appId, written.venue_id);
        return checkMaps(db, appId);
      }
      // Rules may hide the other one.
      if (!seesAll(caller)) throw fail('DuplicateValue', 'level: there is a floor at this level of the venue already.');
      throw fail('DuplicateValue', `level: "${other}" is already at level ${written.level} of this venue.`);
    },
    onRemove: async (db, key, caller) => {
      const { appId, objectId } = idsOf(key);
      const floor = await holdFloor(db, appId, objectId);
      if (!floor) return;
      const located = (await listPlaced(db, appId, floor.venue_id)).filter(
        ({ location }) => location !== null && isOnFloor(location, floor),
      );
      const parts = [
        ...some(await countZones(db, appId, objectId), 'zone', 'zones'),
        ...some(located.length, 'beacon', 'beacons'),
      ];
      if (parts.length > 0)
        throw inTheWay(
          caller,
          `On this floor there are still ${parts.join(' and ')}. Move or delete them first.`,
          'On this floor there are still zones or beacons. Move or delete them first.',
        );
      await forgetSurveys(db, appId, objectId);
      await replaceSignals(db, appId, objectId, {});
      await noteChange(db, { app_id: appId });
    },
    removeErrors: ['ValidationError'],
  });
}

interface Hung {
  readonly appId: string;
  readonly gateways: readonly Keyed[];
  readonly before: readonly Keyed[];
}

interface Keyed {
  readonly keyId?: string;
}

/** A key that is revoked later does not stand in the way of other changes. @throws Failure ObjectNotFound */
async function assertKeys({ knownSecretKeys }: Context, db: Db, { appId, gateways, before }: Hung): Promise<void> {
  const isNew = (id: string | undefined): id is string => id !== undefined && before.every(({ keyId }) => keyId !== id);
  const named = gateways.map(({ keyId }) => keyId).filter(isNew);
  if (named.length === 0) return;
  const known = await knownSecretKeys(db, appId, named);
  for (const [at, { keyId }] of gateways.entries())
    if (isNew(keyId) && !known.has(keyId)) throw missing(`gateways.${at}.keyId`, 'secret key', keyId);
}

/** The most zones of a floor: all of them are read when one changes. */
const maxZones = 500;

function ofZones(deps: Context): Restorable {
  const { db, noteChange, past } = deps;
  return restorable(zones, {
    db,
    past: { kind: 'zones', keep: past },
    holdParent: async (db, key) => lockVenueOf(db, key, 'zone'),
    verify: async (db, caller, { floorId }) => {
      if (floorId) await assertReadable(db, floors, caller, { member: 'floorId', ...floorId });
    },
    derive: ({ polygon }) => (polygon ? boxOf(polygon) : {}),
    onWrite: async (db, key, { floorId, polygon, capacity }) => {
      if (floorId || polygon) await draw(deps, db, key);
      if (capacity !== undefined) await noteChange(db, key);
    },
    onRemove: async (db, key) => {
      const { appId, objectId } = idsOf(key);
      const zone = await findZone(db, appId, objectId);
      if (zone) await letGo(deps, db, { appId, objectId, ...zone });
      if (zone?.capacity) await noteChange(db, key);
    },
  });
}

/** Completes the writing of a zone: it belongs to the venue of its floor, and its beacons are found again. */
async function draw(deps: Context, db: Db, key: Key): Promise<void> {
  const { appId, objectId } = idsOf(key);
  const zone = await findZone(db, appId, objectId);
  if (!zone) return;
  const venueId = await findVenueOf(db, appId, { dimension: 'floor', id: zone.floor_id });
  if (venueId !== undefined) await lockVenue(db, appId, venueId);
  const floor = await holdFloor(db, appId, zone.floor_id);
  if (!floor) throw missing('floorId', 'floor', zone.floor_id);
  if ((await countZones(db, appId, floor.object_id)) > maxZones)
    throw invalid('floorId', `has ${maxZones} zones already, and no floor may have more`);
  await setVenueOfZone(db, appId, objectId, floor.venue_id);
  if (zone.venue_id && zone.venue_id !== floor.venue_id) await letGo(deps, db, { appId, objectId, ...zone });
  await gather(deps, db, { appId, zoneId: objectId, floor, points: JSON.parse(zone.polygon) as Point[] });
}

interface Drawn {
  readonly appId: string;
  readonly zoneId: string;
  readonly floor: FloorRow;
  readonly points: readonly Point[];
}

/** The zone of a beacon follows from its place: those in the polygon, and those that were in it, are looked up again. */
async function gather(
  { now, listPlaced, setZone }: Context,
  db: Db,
  { appId, zoneId, floor, points }: Drawn,
): Promise<void> {
  const venueId = floor.venue_id;
  for (const { objectId, zoneId: before, location } of await listPlaced(db, appId, venueId)) {
    if (location === null) continue;
    const isHere = isOnFloor(location, floor) && isInside(points, location as unknown as Point);
    if (!isHere && before !== zoneId) continue;
    const next = (await findZoneAt(db, { appId, venueId, location })) ?? null;
    if (next !== before) await setZone(db, { appId, objectId, zoneId: next, now: now() });
  }
}

/** Places the beacons of a venue again after a floor was added, or its level or name changed, by which locations find it. */
async function placeAgain(
  { now, listPlaced, setZone }: Context,
  db: Db,
  appId: string,
  venueId: string,
): Promise<void> {
  if (!(await hasZones(db, appId, venueId))) return;
  for (const { objectId, zoneId: before, location } of await listPlaced(db, appId, venueId)) {
    const zoneId = (location && (await findZoneAt(db, { appId, venueId, location }))) ?? null;
    if (location !== null && zoneId !== before) await setZone(db, { appId, objectId, zoneId, now: now() });
  }
}

interface Left {
  readonly appId: string;
  readonly objectId: string;
  readonly venue_id: string;
}

/** Moves the beacons of a deleted zone to the next larger one, or to none. */
async function letGo(
  { now, listPlaced, setZone }: Context,
  db: Db,
  { appId, objectId: except, venue_id: venueId }: Left,
): Promise<void> {
  for (const { objectId, zoneId, location } of await listPlaced(db, appId, venueId)) {
    if (zoneId !== except) continue;
    const next = location && (await findZoneAt(db, { appId, venueId, location, except }));
    await setZone(db, { appId, objectId, zoneId: next ?? null, now: now() });
  }
}
