import type { Feature } from '../../feature.ts';
import { type PrivacyConsoleDeps, privacyConsoleEndpoints } from './console-routes.ts';
import { type ErasureDeps, erasureJobHandlers } from './erase.ts';
import { type NoticeRouteDeps, noticeConsoleEndpoints } from './notice-routes.ts';
import { type PrivacyRouteDeps, privacyEndpoints } from './routes.ts';

export interface PrivacyFeatureDeps
  extends PrivacyRouteDeps,
    PrivacyConsoleDeps,
    NoticeRouteDeps,
    Omit<ErasureDeps, 'sentTo'> {}

/** What is known of a person: shown to her, and erased. */
export function createPrivacyFeature(deps: PrivacyFeatureDeps): Feature {
  return {
    endpoints: privacyEndpoints(deps),
    consoleEndpoints: [...privacyConsoleEndpoints(deps), ...noticeConsoleEndpoints(deps)],
    jobs: erasureJobHandlers(deps),
  };
}
