import { AccessGuard } from '../../../access/access.ts';
import type { AppContext } from '../../../access/context.ts';
import { UsageMeter } from '../../../limits/usage.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { appConsoleEndpoints } from './console-routes.ts';
import { DryRunCounter } from './rules/dry-run-meter.ts';
import { dryRunConsoleEndpoints } from './rules/dry-run-routes.ts';
import { DryRunService } from './rules/dry-runs.ts';
import { rulesConsoleEndpoints } from './rules/rules-routes.ts';
import { secretKeyConsoleEndpoints } from './secret-key-routes.ts';
import { emptyAppJob } from './service.ts';
import { usageConsoleEndpoints } from './usage-routes.ts';

declare module '../../context.ts' {
  interface Context {
    /** Counts what other rules would refuse. */
    readonly dryRuns: DryRunCounter;
    /** Finds an app for the console, also one that is switched off. @throws Failure ObjectNotFound */
    readonly findConsoleApp: (appId: string) => Promise<AppContext>;
    readonly guard: AccessGuard;
    readonly usage: UsageMeter;
  }
}

export const makers: Makers<Context, 'dryRuns' | 'findConsoleApp' | 'guard' | 'usage'> = {
  dryRuns: ({ db, now, inBackground }) => new DryRunCounter({ db, now, inBackground }),
  findConsoleApp:
    ({ cacheVersion, guard }) =>
    async (appId) => {
      await cacheVersion.fresh();
      return guard.appOfConsole(appId);
    },
  guard: createGuard,
  usage: ({ db, now, inBackground, countFilesOf, countRecordsOf, findUser }) =>
    new UsageMeter({
      ...{ db, now, inBackground },
      countStored: async (appId, userId) => ({
        ...(await countFilesOf(db, appId, userId)),
        ...(await countRecordsOf(db, appId, userId)),
      }),
      isManager: async (appId, userId) => (await findUser(db, { appId, userId }))?.role === 'manager',
    }),
};

export function appFeature(context: Context): Feature {
  const { db, cacheVersion, now, ruledFields, apps, secretKeys, buckets, usage, dryRuns: counter, assertApp } = context;
  const { endpoints, findHeld } = context;
  const listBuckets = (appId: string) => buckets.listBuckets(appId);
  const dryRuns = new DryRunService({ db, cacheVersion, now, ruledFields, counter, listBuckets });
  return {
    consoleEndpoints: [
      ...appConsoleEndpoints(apps),
      ...secretKeyConsoleEndpoints(secretKeys),
      ...rulesConsoleEndpoints({
        ...{ apps, endpoints, findHeld, listBuckets },
        findUser: async (appId, userId) => {
          const user = await context.findUser(db, { appId, userId });
          return user && { userId, role: user.role, venueIds: context.venuesOf(user) };
        },
        findParents: async (name, appId, objectId) => {
          const storylineId = name === 'scenarios' ? await context.findStorylineOf(db, appId, objectId) : undefined;
          return storylineId === undefined ? undefined : { objectId: storylineId };
        },
      }),
      ...dryRunConsoleEndpoints(dryRuns),
      ...usageConsoleEndpoints({ usage, getApp: assertApp }),
    ],
    jobs: {
      [emptyAppJob]: {
        concurrency: 1,
        maxAttempts: 50,
        baseDelayMs: 5_000,
        maxDelayMs: 300_000,
        run: ({ payload }) => apps.finishRemoval((payload as { readonly appId: string }).appId),
      },
    },
    ownSweeps: { 'counting what is stored': () => usage.sweep() },
    close: () => counter.write(),
  };
}

function createGuard(context: Context): AccessGuard {
  const { db, now, cacheVersion, identities, inBackground, dryRuns, pseudonymsOf } = context;
  const guard = new AccessGuard(
    {
      findApp: async (appId) => {
        const app = await context.findAppAccess(db, appId, dryRuns);
        const pseudonyms = app && (await pseudonymsOf(appId));
        return app && { ...app, ...(pseudonyms ? { pseudonyms } : {}) };
      },
      findSession: (appId, tokenHash) => context.findUserSession(db, appId, tokenHash),
      acceptToken: (app, token) => identities.accept(app, token),
      noteKeyUse: (appId, keyId, at) =>
        inBackground('noting the use of a key', () => context.noteKeyUse(db, appId, keyId, at)),
      noteSecretKeyUse: (appId, keyId, use) =>
        inBackground('noting the use of a secret key', () => context.noteSecretKeyUse(db, appId, keyId, use)),
      noteTokenUse: (appId, tokenHash, use) =>
        inBackground('noting the use of a token', () => context.noteTokenUse(db, appId, tokenHash, use)),
      noteTokenHeard: (appId, tokenHash) =>
        inBackground('noting that a token has arrived', () => context.noteTokenHeard(db, appId, tokenHash)),
      recheck: () => cacheVersion.recheck(),
    },
    now,
  );
  cacheVersion.onChange((appId) => guard.drop(appId));
  return guard;
}
