import { AttemptLimits } from '../../../sign-in/attempts.ts';
import type { Context } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { providerConsoleEndpoints } from './provider-routes.ts';
import { identityEndpoints } from './routes.ts';

export function identityFeature(context: Context): Feature {
  const { identities: service, identityProviders: providers, issuerKeys: keys, signInLimiter } = context;
  return {
    endpoints: identityEndpoints({ service, limits: new AttemptLimits(signInLimiter) }),
    consoleEndpoints: providerConsoleEndpoints({ providers, keys }),
    sweeps: { 'forgetting used ID tokens': () => service.sweep() },
  };
}
