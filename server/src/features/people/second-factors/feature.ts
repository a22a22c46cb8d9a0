import type { RateLimiter } from '../../../limits/rate-limit.ts';
import { AttemptLimits } from '../../../sign-in/attempts.ts';
import type { AssertApp, Feature } from '../../feature.ts';
import { type AuthenticatorDeps, Authenticators } from './authenticators.ts';
import { factorConsoleEndpoints } from './console-routes.ts';
import { factorEndpoints } from './factor-routes.ts';
import { passkeyEndpoints } from './passkey-routes.ts';
import { type PasskeyDeps, UserPasskeys } from './passkeys.ts';
import { signInEndpoints } from './sign-in-routes.ts';

export type SecondFactorFeatureDeps = AuthenticatorDeps &
  PasskeyDeps & {
    /** Limits attempts to sign in. */
    readonly limiter: RateLimiter;
    readonly assertApp: AssertApp;
  };

/** What an app's users prove beside a password or instead of it. */
export function createSecondFactorFeature(deps: SecondFactorFeatureDeps): Feature {
  const authenticators = new Authenticators(deps);
  const passkeys = new UserPasskeys(deps);
  const parts = { authenticators, passkeys, limits: new AttemptLimits(deps.limiter) };
  return {
    endpoints: [...signInEndpoints(parts), ...factorEndpoints(parts), ...passkeyEndpoints(parts)],
    consoleEndpoints: factorConsoleEndpoints({ authenticators, passkeys, assertApp: deps.assertApp }),
    sweeps: { 'sweeping challenges of passkeys of users': () => passkeys.sweep() },
  };
}
