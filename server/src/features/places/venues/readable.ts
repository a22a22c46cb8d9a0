import type { Caller } from '../../../access/caller.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { findAllowed } from '../../../resources/allowed.ts';
import type { Resource } from '../../../resources/define.ts';
import { venues } from './venue-resource.ts';
import { zones } from './zone-resource.ts';

/** @throws Failure ObjectNotFound for a pointer to what the caller may not see */
export async function assertReadable(
  db: Db,
  resource: Resource,
  caller: Caller,
  sent: { readonly member: string; readonly objectId: string },
): Promise<void> {
  const key = { app_id: caller.app.appId, object_id: sent.objectId };
  if (!(await findAllowed(db, resource, { key, verb: 'get', caller })))
    throw missing(sent.member, resource.noun[0], sent.objectId);
}

export const missing = (member: string, noun: string, objectId: string) =>
  fail('ObjectNotFound', `${member}: there is no ${noun} ${objectId}.`);

interface Sent {
  readonly venueId?: { readonly objectId: string } | undefined;
  readonly zoneId?: { readonly objectId: string } | undefined;
}

/** Checks the venue and the zone that a beacon is given. */
export async function assertPlaceReadable(db: Db, caller: Caller, { venueId, zoneId }: Sent): Promise<void> {
  if (venueId) await assertReadable(db, venues, caller, { member: 'venueId', ...venueId });
  if (zoneId) await assertReadable(db, zones, caller, { member: 'zoneId', ...zoneId });
}
