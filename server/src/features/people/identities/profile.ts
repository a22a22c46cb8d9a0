import type { UserRole } from '../../../access/context.ts';
import { textOf, valueAt } from '../../../sign-in/oidc/claims.ts';
import type { VerifiedToken } from '../../../sign-in/oidc/id-token.ts';

/** What an identity provider says about a person. */
export interface Profile {
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly firstname: string;
  readonly lastname: string;
}

/** Which claim makes a manager, and with which values. */
export interface RoleMapping {
  readonly claim: string;
  readonly manager: readonly string[];
}

const maxName = 64;
const maxEmail = 200;

export function profileOf({ claims }: VerifiedToken): Profile {
  const { email, email_verified: verified } = claims;
  const isEmail = typeof email === 'string' && email.length <= maxEmail;
  return {
    email: isEmail ? textOf(email, maxEmail) : undefined,
    // Apple writes it as a text.
    isEmailVerified: isEmail && (verified === true || verified === 'true'),
    firstname: textOf(claims['given_name'], maxName),
    lastname: textOf(claims['family_name'], maxName),
  };
}

/** The role that the provider gives; undefined if it has no say in it. */
export function roleFrom({ claims }: VerifiedToken, mapping: RoleMapping | undefined): UserRole | undefined {
  if (!mapping) return undefined;
  const given = valueAt(claims, mapping.claim);
  const values = Array.isArray(given) ? given : [given];
  return values.some((value) => typeof value === 'string' && mapping.manager.includes(value)) ? 'manager' : 'user';
}
