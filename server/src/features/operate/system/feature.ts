import { version } from '../../../config/version.ts';
import { RequestCounts } from '../../../http/server/request-counts.ts';
import { countJobs } from '../../../jobs/store.ts';
import type { ServiceCondition } from '../../condition.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { findServiceConditions, node } from './conditions.ts';
import { freeOn, systemConsoleEndpoints } from './console-routes.ts';
import { LoadHistory, stepMs } from './load-history.ts';

declare module '../../context.ts' {
  interface Context {
    /** What needs a person about this process and its machine. Backups have their own finder. */
    readonly findServiceConditions: () => Promise<readonly ServiceCondition[]>;
    /** The machine's name. */
    readonly node: string;
    /** Requests answered since the start, by status. */
    readonly requestCounts: RequestCounts;
  }
}

export const makers: Makers<Context, 'findServiceConditions' | 'node' | 'requestCounts'> = {
  findServiceConditions: (context) => () => findServiceConditions(context),
  node: () => node,
  requestCounts: () => new RequestCounts(),
};

export function systemFeature({ config, db, now, room, requestCounts }: Context): Feature {
  const storage = async () => {
    await room.check();
    const { minFreeBytes, reserveBytes } = room.report();
    const problem = db.diskFailure?.message ?? room.problem();
    return { problem, warning: room.warning(), minFreeBytes, reserveBytes };
  };
  const dataFolder = config.dataFolder;
  const history = new LoadHistory({
    now,
    answered: () => requestCounts.totals(),
    queued: async () => (await countJobs(db, now()))['queued'] ?? 0,
    freeBytes: async () => (await freeOn(dataFolder)).freeBytes,
  });
  return {
    consoleEndpoints: systemConsoleEndpoints({
      ...{ db, now, version, storage, dataFolder },
      countJobs: () => countJobs(db, now()),
      load: () => history.steps,
    }),
    repeats: { 'noting the load': { everyMs: stepMs, work: () => history.note() } },
  };
}
