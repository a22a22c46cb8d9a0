import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { keptKinds } from './kept-kinds.ts';
import { historyEndpoints } from './routes.ts';
import { HistoryService } from './service.ts';

declare module '../../context.ts' {
  interface Context {
    readonly history: HistoryService;
  }
}

export const makers: Makers<Context, 'history'> = {
  history: (context) => {
    const { db, now, past, usage, appsWith } = context;
    return new HistoryService({ db, now, past, usage, appsWith, kinds: keptKinds(context) });
  },
};

/** Earlier states of records, and those that were deleted. */
export const historyFeature = ({ history: service, findConsoleApp: findApp, assertRoom }: Context): Feature => ({
  consoleEndpoints: historyEndpoints({ service, findApp, assertRoom }),
  sweeps: { 'emptying the trash': () => service.sweep() },
});
