import { AccessGuard } from '../../../access/access.ts';
import type { Context } from '../../context.ts';

/** Knows the credentials of apps and users. */
export function createGuard(context: Context): AccessGuard {
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
