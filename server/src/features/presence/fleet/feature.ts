import type { ServiceCondition } from '../../condition.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { checkFleet } from './check.ts';
import { beaconConditions } from './conditions.ts';
import { dayOf } from './days/day.ts';
import { findingEndpoints } from './finding-routes.ts';
import { HearingLog } from './hearing-log.ts';
import { telemetryEndpoints } from './routes.ts';
import { beaconDays, countHeardNear } from './store.ts';

declare module '../../context.ts' {
  interface Context {
    /** What is heard of beacons. */
    readonly hearingLog: HearingLog;
    readonly countHeardNear: (appId: string) => Promise<ReadonlyMap<string, number>>;
    readonly beaconConditions: (appId: string) => Promise<readonly ServiceCondition[]>;
  }
}

export const makers: Makers<Context, 'hearingLog' | 'countHeardNear' | 'beaconConditions'> = {
  hearingLog: (context) => new HearingLog(context),
  countHeardNear:
    ({ db, now }) =>
    (appId) =>
      countHeardNear(db, appId, dayOf(now())),
  beaconConditions:
    ({ db, findBeaconNames }) =>
    (appId) =>
      beaconConditions(db, appId, findBeaconNames),
};

/** How the beacons are: what is heard of them, and what is wrong. */
export function fleetFeature(context: Context): Feature {
  const { now, hearingLog, appsWith, owns } = context;
  const what = 'looking after beacons';
  let isBusy = false;
  const tend = async () => {
    await hearingLog.flush();
    if (isBusy) return;
    isBusy = true;
    try {
      for (const appId of await appsWith(beaconDays))
        if (owns(`${what} ${appId}`)) await checkFleet(context, appId, now());
    } finally {
      isBusy = false;
    }
  };
  return {
    endpoints: telemetryEndpoints(context),
    consoleEndpoints: findingEndpoints(context),
    ownSweeps: { [what]: tend },
    repeats: {
      [what]: { everyMs: 15 * 60_000, work: tend },
      // A kill loses what was gathered since.
      'storing what is heard of beacons': { everyMs: 60_000, work: () => hearingLog.flush() },
    },
    close: () => hearingLog.flush(),
  };
}
