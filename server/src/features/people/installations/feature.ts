import type { Db } from '../../../db/db.ts';
import { tokenFault } from '../../../delivery/token-fault.ts';
import { RateLimiter } from '../../../limits/rate-limit.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { installationConsoleEndpoints } from './console-routes.ts';
import { pairingConsoleEndpoints } from './pairing/console-routes.ts';
import { pairingEndpoints } from './pairing/routes.ts';
import { PairingService } from './pairing/service.ts';
import { ownPhoneTestEndpoints } from './pairing/test-routes.ts';
import { concealing, forgetPseudonyms, keptPseudonyms, type PseudonymsOf, seeding } from './pseudonyms.ts';
import { installationEndpoints } from './routes.ts';
import { sensingConsoleEndpoints } from './sensing/console-routes.ts';
import { noteSensingDays } from './sensing/fleet.ts';
import { InstallationService } from './service.ts';

declare module '../../context.ts' {
  interface Context {
    /** How an app names phones to others; undefined for one that has never had pseudonyms. */
    readonly pseudonymsOf: PseudonymsOf;
    readonly seedsFor: ReturnType<typeof seeding>;
    readonly conceal: ReturnType<typeof concealing>;
  }
}

export const makers: Makers<Context, 'pseudonymsOf' | 'seedsFor' | 'conceal'> = {
  pseudonymsOf: keptPseudonyms,
  seedsFor: seeding,
  conceal: concealing,
};

/** The phones of an app's users and visitors, and those of administrators. */
export function installationFeature(context: Context): Feature {
  const { config, db, now, beginErasure, endPresence, persistentLimits, assertApp } = context;
  const forget = (kind: 'installation' | 'traces') => async (db: Db, appId: string, id: string) => {
    await beginErasure(db, { kind, appId, userId: undefined, installationIds: [id], askedBy: 'request' });
  };
  const service = new InstallationService({
    ...context,
    tokenFault: (registered) => tokenFault(registered, config.pushUrl),
    endPresence: (db, appId, installationId) => endPresence(db, { appId, installationId, now: now() }),
    forget: forget('traces'),
  });
  const pairing = new PairingService({ db, now, limiter: new RateLimiter(undefined, persistentLimits) });
  return {
    endpoints: [
      ...installationEndpoints({ db, service, forget: forget('installation') }),
      ...pairingEndpoints({ db, service: pairing }),
    ],
    consoleEndpoints: [
      ...installationConsoleEndpoints(db),
      ...sensingConsoleEndpoints(db),
      ...pairingConsoleEndpoints({ service: pairing, getApp: assertApp }),
      ...ownPhoneTestEndpoints(context, pairing),
    ],
    sweeps: {
      'forgetting pseudonyms of days that are gone': () => forgetPseudonyms(context),
      'counting how phones can sense': () => noteSensingDays(context),
    },
  };
}
