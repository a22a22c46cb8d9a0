import { AttemptLimits } from '../../../sign-in/attempts.ts';
import type { Context } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { Authenticators } from './authenticators.ts';
import { factorConsoleEndpoints } from './console-routes.ts';
import { factorEndpoints } from './factor-routes.ts';
import { passkeyEndpoints } from './passkey-routes.ts';
import { UserPasskeys } from './passkeys.ts';
import { signInEndpoints } from './sign-in-routes.ts';

export function secondFactorFeature(context: Context): Feature {
  const authenticators = new Authenticators({ ...context, limiter: context.signInLimiter });
  const passkeys = new UserPasskeys(context);
  const parts = { authenticators, passkeys, limits: new AttemptLimits(context.signInLimiter) };
  return {
    endpoints: [...signInEndpoints(parts), ...factorEndpoints(parts), ...passkeyEndpoints(parts)],
    consoleEndpoints: factorConsoleEndpoints({ authenticators, passkeys }),
    sweeps: { 'sweeping challenges of passkeys of users': () => passkeys.sweep() },
  };
}
