import type { AssertGoal } from '../../access/experiment.ts';
import { fail } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import type { ProximityMessage } from '../../delivery/push/content.ts';
import type { Makers, Services } from '../services.ts';
import { requestProximityPushes } from './push/proximity.ts';

interface Made {
  readonly assertGoal: AssertGoal;
  /** Asks for pushes in the transaction that `db` is. */
  readonly requestPushes: (db: Db, messages: readonly ProximityMessage[]) => Promise<void>;
}

type Offers = typeof import('./offers.ts');
declare module '../services.ts' {
  interface Services extends Made, Offers {}
}

export const makers: Makers<Services, keyof Made> = {
  assertGoal:
    ({ findUnreadableBeacons, assertPlaceReadable, findBucket }) =>
    async (db, caller, { beaconId, zoneId, venueId, bucket }) => {
      const [missing] = beaconId === undefined ? [] : await findUnreadableBeacons(db, caller, [beaconId]);
      if (missing !== undefined) throw fail('ObjectNotFound', `goal.beaconId: there is no beacon ${missing}.`);
      await assertPlaceReadable(db, caller, {
        ...(zoneId === undefined ? {} : { zoneId: { objectId: zoneId } }),
        ...(venueId === undefined ? {} : { venueId: { objectId: venueId } }),
      });
      if (bucket !== undefined && (await findBucket(db, caller.app.appId, bucket)) === undefined)
        throw fail('ObjectNotFound', `goal.bucket: there is no bucket ${bucket}.`);
    },
  requestPushes:
    ({ outbox }) =>
    (db, messages) =>
      requestProximityPushes(db, messages, outbox),
};
