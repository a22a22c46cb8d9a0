import { tagKey } from '@pharos/engine';
import type { Db } from '../../../db/db.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { adoptByRules } from './adopt.ts';
import { HeardNearby, type Stranger } from './heard-nearby.ts';
import { adoptionEndpoints } from './routes.ts';
import { saveStrangers } from './store.ts';

declare module '../../context.ts' {
  interface Context {
    /** What gateways hear and nobody knows. */
    readonly heardNearby: HeardNearby;
  }
}

export const makers: Makers<Context, 'heardNearby'> = { heardNearby: ({ now }) => new HeardNearby(now) };

/** What gateways hear becomes a beacon or a tag, by rule or by a click, or is ignored. */
export function adoptionFeature(context: Context): Feature {
  const { db, now, heardNearby, onError } = context;
  const what = 'noting what gateways hear nearby';
  const save = async (appId?: string) => {
    for (const [id, heard] of heardNearby.take(appId)) {
      await saveStrangers(db, id, heard, {
        now: now(),
        leaveOutKnown: (db, strangers) => unknownOf(context, db, { appId: id, strangers }),
      });
      await adoptByRules(context, id, heard);
    }
  };
  return {
    endpoints: adoptionEndpoints({
      ...{ db, now },
      save: (appId) => save(appId).catch((error) => onError(what, error)),
      leaveOutKnown: (appId, strangers) => unknownOf(context, db, { appId, strangers }),
    }),
    repeats: { [what]: { everyMs: 30_000, work: () => save() } },
  };
}

/** Somebody may have made a beacon or a tag of it since it was heard. */
async function unknownOf<T extends Stranger>(
  { findBeaconsByAddress, findInstallationsByTag }: Context,
  db: Db,
  { appId, strangers }: { readonly appId: string; readonly strangers: readonly T[] },
): Promise<readonly T[]> {
  const numbers = strangers.flatMap(({ identity }) =>
    identity?.kind === 'ibeacon' || identity?.kind === 'altbeacon' ? [identity] : [],
  );
  const keysOf = ({ tag, address }: Stranger) => [tagKey(tag), ...(address === undefined ? [] : [address])];
  const [beacons, tags] = await Promise.all([
    findBeaconsByAddress(db, appId, numbers),
    findInstallationsByTag(db, appId, strangers.flatMap(keysOf)),
  ]);
  const known = new Set([
    ...beacons.map(({ uuidKey, major, minor }) => `${uuidKey}:${major}:${minor}`),
    ...tags.map((one) => one.advertised_key),
  ]);
  return strangers.filter((one) => keysOf(one).every((key) => !known.has(key)));
}
