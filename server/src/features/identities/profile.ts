import type { UserRole } from '../../access/context.ts';
import type { VerifiedToken } from '../../sign-in/oidc/id-token.ts';

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

const longestName = 64;
const longestEmail = 200;

/** A text that both databases can store, without line breaks and other control characters. */
function textOf(value: unknown, longest: number): string {
  if (typeof value !== 'string') return '';
  const clean = value
    .slice(0, 4 * longest)
    .replace(/\p{C}/gu, ' ')
    .trim();
  return [...clean.toWellFormed()].slice(0, longest).join('');
}

export function profileOf({ claims }: VerifiedToken): Profile {
  const { email, email_verified: verified } = claims;
  const isEmail = typeof email === 'string' && email.length <= longestEmail;
  return {
    email: isEmail ? textOf(email, longestEmail) : undefined,
    // Apple writes it as a text.
    isEmailVerified: isEmail && (verified === true || verified === 'true'),
    firstname: textOf(claims['given_name'], longestName),
    lastname: textOf(claims['family_name'], longestName),
  };
}

/** The role that the provider gives; undefined if it has no say in it. */
export function roleFrom({ claims }: VerifiedToken, mapping: RoleMapping | undefined): UserRole | undefined {
  if (!mapping) return undefined;
  const given = valueAt(claims, mapping.claim);
  const values = Array.isArray(given) ? given : [given];
  return values.some((value) => typeof value === 'string' && mapping.manager.includes(value)) ? 'manager' : 'user';
}

/** A claim by its name, which may be an address with dots, else by a path: `realm_access.roles`. */
function valueAt(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Readonly<Record<string, unknown>>)[part]
          : undefined,
      claims,
    );
}
