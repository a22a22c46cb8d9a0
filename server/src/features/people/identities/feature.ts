import type { RateLimiter } from '../../../limits/rate-limit.ts';
import { AttemptLimits } from '../../../sign-in/attempts.ts';
import type { IssuerKeys } from '../../../sign-in/oidc/issuer-keys.ts';
import type { AssertApp, Feature } from '../../feature.ts';
import { providerConsoleEndpoints } from './provider-routes.ts';
import type { ProviderService } from './provider-service.ts';
import { identityEndpoints } from './routes.ts';
import type { IdentityService } from './service.ts';

export interface IdentityFeatureDeps {
  readonly service: IdentityService;
  readonly providers: ProviderService;
  readonly keys: IssuerKeys;
  readonly limiter: RateLimiter;
  readonly assertApp: AssertApp;
}

/** Signing in through identity providers. */
export function createIdentityFeature({ service, limiter, ...deps }: IdentityFeatureDeps): Feature {
  return {
    endpoints: identityEndpoints({ service, limits: new AttemptLimits(limiter) }),
    consoleEndpoints: providerConsoleEndpoints(deps),
    sweeps: { 'forgetting used ID tokens': () => service.sweep() },
  };
}
