import { fail } from '../../../../base/errors.ts';
import { type Database, ifTaken } from '../../../../db/db.ts';
import { emailKey, isEmailAddress } from '../../../../sign-in/email.ts';
import { assertMetadata } from '../../../own-metadata.ts';
import * as store from '../store.ts';
import { profileTable } from '../tables.ts';

export interface ImportedUser extends store.UserKey {
  readonly email: string;
  readonly isVerified: boolean;
  readonly isDisabled: boolean;
  readonly firstname: string;
  readonly lastname: string;
  /** As the other system has hashed it; without one the user asks for a new password by mail. */
  readonly passwordHash: string | undefined;
  readonly metadata: object;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * The address and name of the account if it is here already. Nothing is written.
 *
 * @throws Failure InvalidEmailAddress, UserEmailTaken, ValidationError
 */
export async function findImported(
  db: Database,
  user: ImportedUser,
): Promise<Pick<ImportedUser, 'email' | 'firstname' | 'lastname'> | undefined> {
  if (!isEmailAddress(user.email)) throw fail('InvalidEmailAddress', 'email must be an e-mail address.');
  assertMetadata(user.metadata);
  const found = await store.findUser(db, user);
  const holder = await store.findUserByEmail(db, user.appId, emailKey(user.email));
  if (!found && holder) throw fail('UserEmailTaken', 'Another account has this e-mail address.');
  return found && { email: found.email, firstname: found.firstname, lastname: found.lastname };
}

/** @throws Failure UserEmailTaken */
export async function insertImported(db: Database, user: ImportedUser): Promise<void> {
  const columns = {
    app_id: user.appId,
    object_id: user.userId,
    email_key: emailKey(user.email),
    email_verified_at: user.isVerified ? user.updatedAt : null,
    password_hash: user.passwordHash ?? null,
    disabled_at: user.isDisabled ? user.updatedAt : null,
    role: 'user',
  };
  const { firstname, lastname, metadata, createdAt, updatedAt } = user;
  const values = { firstname, lastname, metadata, validemail: user.email.trim(), createdAt, updatedAt };
  await profileTable
    .insert(db, columns, values)
    .catch(ifTaken(() => fail('UserEmailTaken', 'Another account has this e-mail address.')));
}
