import type { Context, Makers } from '../../context.ts';
import type { LogStore } from '../../event-log.ts';
import type { Feature } from '../../feature.ts';
import { createEngineLogs } from './engine-store.ts';
import { logEndpoints } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    /** The log records of events. */
    readonly engineLogs: LogStore;
  }
}

export const makers: Makers<Context, 'engineLogs'> = {
  engineLogs: ({ mayHaveOlderNodes }) => createEngineLogs(mayHaveOlderNodes),
};

export function logFeature(context: Context): Feature {
  const { announce, engineLogs: logs, noteClientLog, rollups, seedsFor, sightings } = context;
  const noting = {
    ...{ announce, logs, seedsFor, trackCache: sightings.trackCache },
    countVisits: (appId: string) => rollups.note(appId),
  };
  return { endpoints: logEndpoints({ ...context, noteVisit: (db, log) => noteClientLog(db, log, noting) }) };
}
