import { version } from '../../../config/version.ts';
import { countJobs } from '../../../jobs/store.ts';
import type { ServiceCondition } from '../../condition.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { findServiceConditions, node } from './conditions.ts';
import { systemConsoleEndpoints } from './console-routes.ts';

declare module '../../context.ts' {
  interface Context {
    /** What needs a person about this process and its machine. Backups have their own finder. */
    readonly findServiceConditions: () => Promise<readonly ServiceCondition[]>;
    /** The machine's name. */
    readonly node: string;
  }
}

export const makers: Makers<Context, 'findServiceConditions' | 'node'> = {
  findServiceConditions: (context) => () => findServiceConditions(context),
  node: () => node,
};

/** What the service says of itself and its disk. */
export function systemFeature({ config, db, now, room }: Context): Feature {
  const storage = async () => {
    await room.look();
    const { minFreeBytes, reserveBytes } = room.report();
    const problem = db.diskFailure?.message ?? room.problem();
    return { problem, warning: room.warning(), minFreeBytes, reserveBytes };
  };
  return {
    consoleEndpoints: systemConsoleEndpoints({
      ...{ db, now, version, storage },
      dataFolder: config.dataFolder,
      countJobs: () => countJobs(db, now()),
    }),
  };
}
