import { type Beacon, type Body, entityTag, type Floor, PharosError, type Zone } from '@pharos/sdk';
import { asItIsNow } from '../../../components/form/use-one-click.ts';
import { listAll } from '../../../lib/data/all-records.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { isSignedOut } from '../../../lib/data/signing-in.ts';
import { isOnFloor, type Point } from '../../../lib/plan/floor-geometry.ts';
import { canonical } from '../../../lib/text/json-compare.ts';
import { t } from '../../../lib/words/words.ts';

/** Changes of things on a floor that somebody else may change at the same time. */

const isSame = (one: unknown, other: unknown) => canonical(one) === canonical(other);

/** The corners of a zone before and after somebody has moved, added or removed some of them. */
interface Moved {
  readonly before: readonly Point[];
  readonly after: readonly Point[];
}

/**
 * The corners that are stored now with what was changed: whoever moves another corner at the same time keeps it.
 *
 * @throws Error when both have changed the same corners, or how many there are
 */
export function withMoved(now: readonly Point[], { before, after }: Moved, name: string): readonly Point[] {
  if (isSame(now, before) || isSame(now, after)) return after;
  const isAsMany = now.length === before.length && now.length === after.length;
  const corners = now.map((corner, at) => {
    if (isSame(before[at], after[at])) return corner;
    return isSame(corner, before[at]) || isSame(corner, after[at]) ? after[at] : undefined;
  });
  if (isAsMany && corners.every((corner) => corner !== undefined)) return corners as Point[];
  throw changedMeanwhile(name);
}

const changedMeanwhile = (name: string) =>
  new Error(
    t('Somebody else has changed {name} meanwhile. Nothing was changed: look at what is there now, and try again.', {
      name,
    }),
  );

/** Changes a zone. What others have changed of it meanwhile stays. @throws Error, PharosError */
export async function changeZoneNow(
  appId: string,
  { objectId, name }: Pick<Zone, 'objectId' | 'name'>,
  change: Body<'updateZone'>,
  moved: Moved | undefined,
): Promise<void> {
  const { zones } = dataOf(appId);
  if (moved === undefined) return void (await zones.update(objectId, change));
  await asItIsNow(async () => {
    const now = await zones.get(objectId);
    const polygon = [...withMoved(now.polygon, moved, name)];
    await zones.update(objectId, { ...change, polygon }, { ifMatch: entityTag(now) });
  });
}

interface Placed {
  /** Where it hangs as far as the page knows. */
  readonly from: Beacon['location'];
  readonly change: Body<'updateBeacon'>;
}

/** Hangs a beacon up elsewhere, unless somebody else has done so meanwhile. @throws Error, PharosError */
export async function placeNow(
  appId: string,
  { objectId, name }: Pick<Beacon, 'objectId' | 'name'>,
  { from, change }: Placed,
): Promise<void> {
  const { beacons } = dataOf(appId);
  const now = await beacons.get(objectId);
  const placeOf = (location: Beacon['location']) => location && [location.x, location.y, location.floor];
  if (!isSame(placeOf(now.location) ?? null, placeOf(from) ?? null)) throw changedMeanwhile(name);
  await beacons.update(objectId, change, { ifMatch: entityTag(now) });
}

interface FloorChange {
  readonly change: Body<'updateFloor'>;
  readonly ifMatch?: string | undefined;
  /** Whether whoever changes it may change beacons, too. */
  readonly mayPlace: boolean;
}

/**
 * Changes a floor. Beacons say by its level or its name that they are on it: with another one, those that are on it come along. They go first:
 * if this is cut short, the floor is as it was, and the next try takes along those that are left.
 *
 * @throws Error if they may not, PharosError
 */
export async function changeFloorNow(
  appId: string,
  floorId: string,
  { change, ifMatch, mayPlace }: FloorChange,
): Promise<Floor | { readonly updatedAt?: string }> {
  const { floors } = dataOf(appId);
  const update = () => floors.update(floorId, change, ifMatch === undefined ? {} : { ifMatch });
  if (change.level === undefined && change.name === undefined) return update();
  const before = await floors.get(floorId);
  const after = { level: change.level ?? before.level, name: change.name ?? before.name };
  const coming = await comingAlong(appId, before, after);
  if (coming.length > 0 && !mayPlace)
    throw new Error(
      t(
        '{count, plural, one {# beacon is} other {# beacons are}} on {name} by its level or name, and your role cannot change beacons: no plan would show them any more. Ask somebody whose role can.',
        { count: coming.length, name: before.name },
      ),
    );
  // It will be refused, and the beacons stay where they are.
  if (coming.length === 0 || (ifMatch !== undefined && ifMatch !== entityTag(before))) return update();
  if (await isTaken(appId, before, after.level)) return update();
  const moved = new BeaconMoves(appId);
  for (const { objectId } of coming) await moved.move(objectId, before, after.level);
  const saved = await update().catch(async (error: unknown) => {
    if (isRefusal(error)) await moved.moveBack();
    throw error;
  });
  const { left } = moved;
  if (left.length > 0)
    throw new Error(
      t(
        '{name} is saved, but {count, plural, one {# beacon still names} other {# beacons still name}} the former level or name as the floor. {message}',
        { name: after.name, count: left.length, message: (left[0] as Error).message },
      ),
    );
  return saved;
}

type Named = Pick<Floor, 'level' | 'name'>;

/** The beacons that say that they are on a floor, and would not say so any more. */
async function comingAlong(appId: string, before: Floor, after: Named): Promise<readonly Beacon[]> {
  const beacons = await listAll(dataOf(appId).beacons.list, { venueId: before.venueId });
  return beacons.filter((beacon) => isOnFloor(beacon, before) && !isOnFloor(beacon, after));
}

async function isTaken(appId: string, { objectId, venueId }: Floor, level: number): Promise<boolean> {
  const { results } = await dataOf(appId).floors.list({ where: { venueId, level } });
  return results.some((floor) => floor.objectId !== objectId);
}

/** The service has looked at it and done nothing; anything else may be done, or could be done later. */
const isRefusal = (error: unknown) =>
  error instanceof PharosError && !error.mayBeDone && !error.retriable && !isSignedOut(error);

/** Beacons on their way to another level. */
class BeaconMoves {
  /** Why some stayed. */
  readonly left: unknown[] = [];
  readonly #appId: string;
  readonly #moved: (readonly [beacon: Beacon, now: object])[] = [];

  constructor(appId: string) {
    this.#appId = appId;
  }

  /** Unless somebody has hung it up elsewhere meanwhile. @throws PharosError if the service is away */
  async move(beaconId: string, from: Named, level: number): Promise<void> {
    const { beacons } = dataOf(this.#appId);
    try {
      const beacon = await beacons.get(beaconId);
      if (!isOnFloor(beacon, from)) return;
      const location = { ...beacon.location, floor: level } as Beacon['location'] & {};
      const now = await beacons.update(beaconId, { location }, { ifMatch: entityTag(beacon) });
      this.#moved.push([beacon, now]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.left.push(error);
    }
  }

  /** As well as it can be done: the beacons that cannot be moved back are at a level without a floor, where they can be seen. */
  async moveBack(): Promise<void> {
    const { beacons } = dataOf(this.#appId);
    for (const [{ objectId, location }, now] of this.#moved)
      await beacons
        .update(objectId, { location: location ?? null } as never, { ifMatch: entityTag(now) })
        .catch(() => undefined);
  }
}
