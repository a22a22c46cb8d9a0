import type { Context } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { privacyConsoleEndpoints } from './console-routes.ts';
import { erasureJobHandlers } from './erase.ts';
import { privacyFacts } from './notice/find-facts.ts';
import { noticeConsoleEndpoints } from './notice/notice-routes.ts';
import { privacyEndpoints } from './routes.ts';
import { privacyDeps } from './wiring.ts';

/** What is known of a person: shown to her, and erased. */
export function privacyFeature(context: Context): Feature {
  const { config, backups } = context;
  const deps = {
    ...privacyDeps(context, { ...context, dataFolder: config.dataFolder, listBackups: () => backups.kept() }),
  };
  return {
    endpoints: privacyEndpoints(deps),
    consoleEndpoints: [
      ...privacyConsoleEndpoints(deps),
      ...noticeConsoleEndpoints({ factsOf: (appId) => privacyFacts(context, config, appId) }),
    ],
    jobs: erasureJobHandlers(deps),
  };
}
