import type { Db } from '../../../../db/db.ts';
import type { AdminContext, NewSession } from '../../../../http/console/console-endpoint.ts';
import type { SignInOrigin } from '../accounts/client.ts';
import type { AdminRow } from '../accounts/store.ts';

/** Through whom a session is begun. */
export interface Through {
  readonly providerId: string;
  /** The provider vouched for a second factor. */
  readonly hasProvedFactor: boolean;
  /** When a session ends that goes on in this one. */
  readonly until?: number;
}

/** What single sign-on needs of the sessions of administrators. */
export interface SessionPort {
  /** @throws Failure APICallLimit */
  throttleAddress(address: string): void;
  /** @throws Failure UserInvalidLoginParams when the account was changed in the meantime */
  signInThrough(
    row: AdminRow,
    how: { readonly through: Through & { readonly name: string }; readonly client: SignInOrigin },
  ): Promise<NewSession>;
  findByHash(hash: string): Promise<AdminContext | undefined>;
  noteConfirmation(sessionHash: string): Promise<void>;
  noteRefusal(account: string | undefined, address: string): Promise<void>;
  /** @throws Failure OperationForbidden for whoever could not sign in any more */
  assertHasOwnWay(db: Db, adminId: string): Promise<void>;
}
