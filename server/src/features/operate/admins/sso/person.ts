import type { AppGrant } from '../../../../access/reach.ts';
import { type AdminRole, adminRoles, limitedRoles } from '../../../../access/roles.ts';
import { textOf, valueAt } from '../../../../sign-in/oidc/claims.ts';
import type { VerifiedToken } from '../../../../sign-in/oidc/id-token.ts';
import type { ProviderRow } from './store.ts';

export type RoleGroups = Readonly<Partial<Record<AdminRole, readonly string[]>>>;

/** A group whose people have a role in one app, or in venues of it, without one in `RoleGroups`. */
export interface AppRole extends AppGrant {
  readonly group: string;
  readonly role: (typeof limitedRoles)[number];
}

/** What an ID token says about somebody, read as the provider's settings ask. */
export interface SsoPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Undefined without an address that counts as verified. */
  readonly email: string | undefined;
  readonly name: string | undefined;
  /** Null: in none of the groups. Undefined: the provider has no say in roles. */
  readonly role: AdminRole | null | undefined;
  /** Where the role holds, if the groups say that as well. */
  readonly apps: readonly AppGrant[] | undefined;
  readonly hasProvedFactor: boolean;
  /** When the provider last saw a proof of who it is, epoch milliseconds; undefined if it does not say. */
  readonly authenticatedAt: number | undefined;
}

const maxName = 100;
const emailForm = /^[^\s@]{1,64}@[^\s@]{1,135}$/;

export function personOf({ subject, claims }: VerifiedToken, provider: ProviderRow): SsoPerson {
  const { email, email_verified: verified, auth_time: authTime } = claims;
  const isVerified = verified === true || (verified === undefined && provider.trusts_email > 0);
  const names = [claims['name'], [claims['given_name'], claims['family_name']].filter(Boolean).join(' ')];
  return {
    issuer: provider.issuer,
    subject,
    email: typeof email === 'string' && isVerified && emailForm.test(email) ? textOf(email, 200) : undefined,
    name: names.map((name) => textOf(name, maxName)).find((name) => name !== ''),
    ...standingOf(claims, provider),
    hasProvedFactor: hasProvedFactor(claims, JSON.parse(provider.factor_values) as readonly string[]),
    authenticatedAt: typeof authTime === 'number' ? authTime * 1000 : undefined,
  };
}

const textsOf = (value: unknown) => (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');

/** Of several roles the first in the order of the table. Roles in some apps are for those who have none of the others. */
function standingOf(claims: VerifiedToken['claims'], provider: ProviderRow): Pick<SsoPerson, 'role' | 'apps'> {
  if (provider.groups_claim === null) return { role: undefined, apps: undefined };
  const groups = new Set(textsOf(valueAt(claims, provider.groups_claim)));
  const known = JSON.parse(provider.roles) as RoleGroups;
  const found = adminRoles.find((role) => known[role]?.some((group) => groups.has(group)));
  if (found) return { role: found, apps: undefined };
  const apps = grantsOf(appRolesOf(provider).filter(({ group }) => groups.has(group)));
  const highest = limitedRoles.find((role) => apps.some((grant) => grant.role === role));
  return highest ? { role: highest, apps } : { role: provider.default_role, apps: undefined };
}

export const appRolesOf = ({ app_roles: text }: Pick<ProviderRow, 'app_roles'>): readonly AppRole[] =>
  text === null ? [] : (JSON.parse(text) as readonly AppRole[]);

/** One grant for each app: the first role of those that the groups have there, in all the places where it is that one. */
function grantsOf(held: readonly AppRole[]): readonly AppGrant[] {
  return [...new Set(held.map(({ appId }) => appId))].flatMap((appId) => {
    const here = held.filter((one) => one.appId === appId);
    const role = limitedRoles.find((role) => here.some((one) => one.role === role));
    if (role === undefined) return [];
    const places = here.filter((one) => one.role === role).map(({ venues }) => venues);
    const isWhole = places.some((venues) => venues === undefined);
    return [{ appId, role, ...(isWhole ? {} : { venues: [...new Set(places.flatMap((venues) => venues ?? []))] }) }];
  });
}

/** `amr` (RFC 8176) lists how somebody has signed in, `acr` names a level that the provider defines. */
function hasProvedFactor({ amr, acr }: VerifiedToken['claims'], values: readonly string[]): boolean {
  return [...textsOf(amr), ...textsOf(acr)].some((value) => values.includes(value));
}
