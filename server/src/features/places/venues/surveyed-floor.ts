import type { Caller } from '../../../access/caller.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { findAllowed } from '../../../resources/allowed.ts';
import { floors } from './floor-resource.ts';
import { holdFloor, lockVenue } from './store.ts';

/** A floor as somebody who walks it with a phone needs it. */

export interface SurveyedFloor {
  readonly objectId: string;
  readonly venueId: string;
  readonly level: number;
  /** Its edges in metres; undefined: nobody has said how large it is. */
  readonly extent: Extent | undefined;
}

export interface Extent {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The floor, for those who may change it. @throws Failure ObjectNotFound, OperationForbidden */
export async function findFloorToSurvey(db: Db, caller: Caller, objectId: string): Promise<SurveyedFloor> {
  const key = { app_id: caller.app.appId, object_id: objectId };
  const row = await findAllowed(db, floors, { key, verb: 'update', caller });
  if (!row) throw fail('ObjectNotFound', 'There is no floor with this objectId.');
  const { level, venueId, ...sized } = floors.records.decode(row) as unknown as Drawn;
  return { objectId, venueId: venueId.objectId, level, extent: extentOf(sized) };
}

/** In a transaction: it stays until the end, and its surveys come one after the other. @throws Failure ObjectNotFound */
export async function holdFloorToSurvey(
  db: Db,
  appId: string,
  { objectId, venueId }: Pick<SurveyedFloor, 'objectId' | 'venueId'>,
): Promise<void> {
  const isThere = (await lockVenue(db, appId, venueId)) && (await holdFloor(db, appId, objectId));
  if (!isThere) throw fail('ObjectNotFound', 'There is no floor with this objectId.');
}

interface Drawn extends Sized {
  readonly level: number;
  readonly venueId: { readonly objectId: string };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Sized {
  readonly plan?: { readonly width: number; readonly height: number };
  readonly scale?: { readonly from: Point; readonly to: Point; readonly metres: number };
  readonly origin?: Point;
  readonly size?: { readonly width: number; readonly height: number };
}

export function extentOf({ plan, scale, origin = { x: 0, y: 0 }, size }: Sized): Extent | undefined {
  if (plan && scale) {
    const metres = scale.metres / Math.hypot(scale.from.x - scale.to.x, scale.from.y - scale.to.y);
    const [left, top] = [-origin.x * metres, -origin.y * metres];
    return { left, top, right: left + plan.width * metres, bottom: top + plan.height * metres };
  }
  return plan || !size ? undefined : { left: 0, top: 0, right: size.width, bottom: size.height };
}
