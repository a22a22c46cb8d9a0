import { commandLine } from '../../access/audit.ts';
import type { FindHeld } from '../../access/caller.ts';
import type { Db } from '../../db/db.ts';
import type { Accounts } from '../../sign-in/accounts.ts';
import { askByMail } from '../../sign-in/link-mail.ts';
import type { Makers, Services } from '../services.ts';
import { ProviderService } from './identities/provider-service.ts';
import { IdentityService } from './identities/service.ts';
import { forgetIdentities, noteErased } from './identities/store.ts';
import * as phones from './installations/store.ts';
import { beginErasure, type ErasureRequest } from './privacy/erase.ts';
import type { PersonPart } from './privacy/person.ts';
import { forgetFactors } from './second-factors/store.ts';
import { createAccounts } from './users/accounts.ts';
import { UserService } from './users/service.ts';

interface Made {
  readonly accounts: Accounts;
  /** Begins to erase a person, in the transaction that `db` is; answers the id of the receipt. */
  readonly beginErasure: (db: Db, asked: ErasureRequest) => Promise<string>;
  readonly findHeld: FindHeld;
  /** What signs in to an account beside a password, or gets what is for its user. */
  readonly forgetOtherWays: (db: Db, appId: string, userId: string) => Promise<void>;
  readonly identities: IdentityService;
  readonly identityProviders: ProviderService;
  readonly users: UserService;
}

type Offers = typeof import('./offers.ts');
declare module '../services.ts' {
  interface Services extends Made, Offers {
    /** What is known of a person, for her export and her erasure. */
    readonly personParts: readonly PersonPart[];
  }
}

export const makers: Makers<Services, keyof Made> = {
  accounts: createAccounts,
  beginErasure:
    ({ personParts: parts, enqueue, now, lockForDecision: lockInstallation }) =>
    (db, asked) =>
      beginErasure(db, asked, { parts, enqueue, now, lockInstallation }),
  findHeld: ({ db }) => phones.findHeld.bind(undefined, db),
  forgetOtherWays:
    ({ now }) =>
    async (db, appId, userId) => {
      await forgetIdentities(db, appId, userId);
      await forgetFactors(db, appId, userId);
      await phones.releasePhones(db, appId, userId, now());
    },
  identities: ({ db, cacheVersion, now, accounts, issuerKeys: keys }) =>
    new IdentityService({ db, cacheVersion, now, accounts, keys }),
  identityProviders: (services) => new ProviderService(services),
  users: ({ db, cacheVersion, now, passwords, findMissing, lockVenueForShare, tell, canMail, enqueue, beginErasure }) =>
    new UserService({
      db,
      cacheVersion,
      now,
      passwords,
      findMissing,
      lockVenueForShare,
      tell,
      askToVerify: canMail ? askByMail(enqueue) : undefined,
      forget: async (db, { appId, userId, isManager, by }) => {
        // Also one that somebody has taken by its id since, but not one that she has taken so herself.
        const installationIds = await phones.findInstallationsOf(db, appId, userId);
        const askedBy = by === undefined ? 'person' : by === commandLine ? 'command line' : 'administrator';
        await noteErased(db, { appId, userId, now: now() });
        const erasureId = await beginErasure(db, { kind: 'user', appId, userId, isManager, installationIds, askedBy });
        await phones.letGoOfPhones(db, appId, userId);
        return erasureId;
      },
    }),
};
