import { type Beacon, type Body, entityTag, PharosError, type Zone } from '@pharos/sdk';
import { dataOf } from '../../../lib/data/api.ts';
import type { Point } from '../../../lib/plan/floor-geometry.ts';
import { canonical } from '../../../lib/text/json-compare.ts';
import { t } from '../../../lib/words/words.ts';

/** Changes of things on a floor that somebody else may change at the same time. */

const mostTries = 4;
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
  for (let tries = 1; ; tries++) {
    const now = await zones.get(objectId);
    const polygon = [...withMoved(now.polygon, moved, name)];
    try {
      return void (await zones.update(objectId, { ...change, polygon }, { ifMatch: entityTag(now) }));
    } catch (error) {
      if (!(error instanceof PharosError && error.status === 412) || tries === mostTries) throw error;
    }
  }
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
