import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { HearingLog } from './hearing-log.ts';
import { telemetryEndpoints } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    /** What is heard of beacons. */
    readonly hearingLog: HearingLog;
  }
}

export const makers: Makers<Context, 'hearingLog'> = {
  hearingLog: ({ db, now, findBeaconsByAddress, findBeaconsByGateway }) =>
    new HearingLog({
      ...{ db, now },
      findByNumbers: (appId, numbers) => findBeaconsByAddress(db, appId, numbers),
      findByGateways: (appId, names) => findBeaconsByGateway(db, appId, names),
    }),
};

const flushEveryMs = 10 * 60_000;

/** What is heard of the beacons, and what they tell of themselves. */
export function fleetFeature(context: Context): Feature {
  const { db, now, hearingLog, inBackground, findUnreadableBeacons, findMissingBeacons } = context;
  const what = 'storing what was heard of beacons';
  const flush = () => hearingLog.flush();
  let timer: NodeJS.Timeout | undefined;
  return {
    endpoints: telemetryEndpoints({
      ...{ db, now },
      findUnreadable: findUnreadableBeacons,
      findMissing: findMissingBeacons,
    }),
    ownSweeps: { [what]: flush },
    start() {
      timer = setInterval(() => inBackground(what, flush), flushEveryMs).unref();
    },
    stop: () => clearInterval(timer),
    close: flush,
  };
}
