import type { Db } from '../../../db/db.ts';
import type { PastRecord } from '../../../resources/past.ts';
import { type PutBack, type Restorable, restorable } from '../../../resources/restore.ts';
import type { Context } from '../../context.ts';
import { lockFormerVenue, type PlaceDeps, placeBeacon } from './place.ts';
import { forgetPlacement } from './placement-store.ts';
import { beacons, gatewayKey, uuidKey } from './resource.ts';

interface Sent {
  readonly venueId?: { readonly objectId: string } | undefined;
  readonly zoneId?: { readonly objectId: string } | undefined;
}

export function beaconParts(deps: Context): Restorable {
  const { db, noteChange, checkMaps, assertPlaceReadable, past } = deps;
  const parts = restorable(beacons, {
    db,
    past: { kind: 'beacons', keep: past },
    // Before the beacon: whoever draws in the venue locks it first, and then the beacons.
    holdParent: (db, key) => lockFormerVenue(deps, db, String(key['app_id']), String(key['object_id'])),
    verify: (db, caller, { venueId, zoneId }) => assertPlaceReadable(db, caller, { venueId, zoneId }),
    onWrite: async (db, key, { venueId, zoneId, location }) => {
      const appId = String(key['app_id']);
      await placeBeacon(deps, db, { appId, objectId: String(key['object_id']), sent: { venueId, zoneId, location } });
      await noteChange(db, key);
      await checkMaps(db, appId);
    },
    onRemove: async (db, key) => {
      await forgetPlacement(db, String(key['app_id']), String(key['object_id']));
      await noteChange(db, key);
      await checkMaps(db, String(key['app_id']));
    },
    derive: ({ uuid, metadata }) => ({
      ...(typeof uuid === 'string' ? { uuid_key: uuidKey(uuid) } : {}),
      ...(metadata === undefined ? {} : { gateway_key: gatewayKey(metadata) }),
    }),
  });
  const putBack: PutBack = async (db, caller, past, now) =>
    parts.putBack(db, caller, await withPlaceOfToday(deps, db, past), now);
  return { ...parts, putBack };
}

/** A deleted beacon without its venue or zone, if that is gone by now; the location stays. */
async function withPlaceOfToday(
  { lockVenueForShare, lockZoneForShare }: PlaceDeps,
  db: Db,
  past: PastRecord,
): Promise<PastRecord> {
  const { venueId, zoneId, ...state } = past.state as Sent;
  const { appId } = past;
  const hasVenue = venueId && (await lockVenueForShare(db, appId, venueId.objectId));
  const venueOfZone = zoneId && (await lockZoneForShare(db, appId, zoneId.objectId));
  const hasZone = venueOfZone !== undefined && (venueId === undefined || venueOfZone === venueId.objectId);
  return { ...past, state: { ...state, ...(hasVenue ? { venueId } : {}), ...(hasZone ? { zoneId } : {}) } };
}
