import { type AdminRole, adminRoles } from '../../../access/roles.ts';
import { textOf, valueAt } from '../../../sign-in/oidc/claims.ts';
import type { VerifiedToken } from '../../../sign-in/oidc/id-token.ts';
import type { ProviderRow } from './store.ts';

/** For each role the groups that have it. */
export type RoleGroups = Readonly<Partial<Record<AdminRole, readonly string[]>>>;

/** What an ID token says about somebody, read as the provider's settings ask. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
  /** Undefined without an address that counts as verified. */
  readonly email: string | undefined;
  readonly name: string | undefined;
  /** Null: in none of the groups. Undefined: the provider has no say in roles. */
  readonly role: AdminRole | null | undefined;
  readonly hasProvedFactor: boolean;
  /** When the provider last saw a proof of who it is, epoch milliseconds; undefined if it does not say. */
  readonly authenticatedAt: number | undefined;
}

const longestName = 100;
const emailForm = /^[^\s@]{1,64}@[^\s@]{1,135}$/;

export function personOf({ subject, claims }: VerifiedToken, provider: ProviderRow): Person {
  const { email, email_verified: verified, auth_time: authTime } = claims;
  const isVerified = verified === true || (verified === undefined && provider.trusts_email > 0);
  const names = [claims['name'], [claims['given_name'], claims['family_name']].filter(Boolean).join(' ')];
  return {
    issuer: provider.issuer,
    subject,
    email: typeof email === 'string' && isVerified && emailForm.test(email) ? textOf(email, 200) : undefined,
    name: names.map((name) => textOf(name, longestName)).find((name) => name !== ''),
    role: roleOf(claims, provider),
    hasProvedFactor: hasProvedFactor(claims, JSON.parse(provider.factor_values) as readonly string[]),
    authenticatedAt: typeof authTime === 'number' ? authTime * 1000 : undefined,
  };
}

const textsOf = (value: unknown) => (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');

/** Of several roles the first in the order of the table. */
function roleOf(claims: VerifiedToken['claims'], provider: ProviderRow): AdminRole | null | undefined {
  if (provider.groups_claim === null) return undefined;
  const groups = new Set(textsOf(valueAt(claims, provider.groups_claim)));
  const known = JSON.parse(provider.roles) as RoleGroups;
  const found = adminRoles.find((role) => known[role]?.some((group) => groups.has(group)));
  return found ?? provider.default_role;
}

/** `amr` (RFC 8176) lists how somebody has signed in, `acr` names a level that the provider defines. */
function hasProvedFactor({ amr, acr }: VerifiedToken['claims'], values: readonly string[]): boolean {
  return [...textsOf(amr), ...textsOf(acr)].some((value) => values.includes(value));
}
