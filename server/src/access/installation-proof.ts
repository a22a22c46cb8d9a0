import { fail, invalid } from '../base/errors.ts';
import { isSecretOf } from './access.ts';
import { type Caller, seesAll } from './caller.ts';

/**
 * An installation may have a secret, which its phone generates and sends with a registration. From then on nobody is accepted as
 * that phone without it, except with the bearer of its user.
 */

export interface InstallationProof {
  readonly userId: string | undefined;
  /** A manager, a secret key or an administrator. */
  readonly seesAll: boolean;
  /** The header `Installation-Secret`, as it was sent. */
  readonly secret: string | undefined;
}

export interface Provable {
  readonly secretHash: string | null;
  /** The user that it is linked to. */
  readonly userId: string | null;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export type ProvingCaller = Caller & { readonly headers: Headers };

export function proofOf(call: ProvingCaller): InstallationProof {
  const secret = call.headers['installation-secret'];
  return {
    userId: call.user?.userId,
    seesAll: seesAll(call),
    secret: typeof secret === 'string' && secret !== '' ? secret : undefined,
  };
}

export function isProven({ secretHash, userId }: Provable, by: InstallationProof): boolean {
  if (secretHash === null || by.seesAll) return true;
  if (by.userId !== undefined && by.userId === userId) return true;
  return by.secret !== undefined && isSecretOf(secretHash, by.secret);
}

export const notProven = () =>
  fail(
    'OperationForbidden',
    'This installation has a secret: send it as Installation-Secret, or the bearer of its user. A phone that has lost both ' +
      'registers with a new installationId.',
  );

/** @throws Failure ValidationError for what is too short to be a secret */
export function readNewSecret(secret: string | undefined): string | undefined {
  if (secret === undefined || /^[\w-]{32,128}$/.test(secret)) return secret;
  throw invalid('Installation-Secret', 'must be 32 to 128 random letters, digits, dashes and underscores');
}
