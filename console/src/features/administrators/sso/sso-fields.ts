import { adminRoles, type Role } from '../../../lib/data/access.ts';
import { copyName } from '../../../lib/text/copy-name.ts';
import type { Operations, SsoProvider } from '../../../lib/wire.ts';
import type { Reach } from '../reach-fields.tsx';
import type { AppRoles } from './app-roles-fields.tsx';

export type NewSsoProvider = Operations['createSsoProvider']['body'];

/** For each role the groups that have it, one a line. */
export interface SsoFields extends Readonly<Record<Role, string>> {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: the one that is stored stays. */
  readonly clientSecret: string;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly appRoles: AppRoles;
  /** Empty: they are refused. */
  readonly defaultRole: string;
  /** One a line. */
  readonly factorValues: string;
  readonly trustsEmail: boolean;
  /** Of those who join without an invitation; null: everywhere. */
  readonly joinApps: Reach;
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export function fieldsOf(provider?: SsoProvider): SsoFields {
  const groups = (role: Role) => (provider?.roles[role] ?? []).join('\n');
  return {
    name: provider?.name ?? '',
    issuer: provider?.issuer ?? '',
    clientId: provider?.clientId ?? '',
    clientSecret: '',
    scopes: provider?.scopes ?? 'openid email profile',
    groupsClaim: provider?.groupsClaim ?? '',
    ...(Object.fromEntries(adminRoles.map((role) => [role, groups(role)])) as Record<Role, string>),
    appRoles: provider?.appRoles ?? [],
    defaultRole: provider?.defaultRole ?? '',
    factorValues: provider?.factorValues.join('\n') ?? '',
    trustsEmail: provider?.trustsEmail ?? false,
    joinApps: provider?.joinApps === 'all' ? null : (provider?.joinApps ?? []),
  };
}

/** Another provider with the same roles. Each issuer has one provider, and secrets cannot be read. */
export const copyOf = (provider: SsoProvider): SsoFields => ({
  ...fieldsOf(provider),
  name: copyName(provider.name),
  issuer: '',
});

/** What is empty is left out of a new record, and cleared of one that is there. */
export function bodyOf(fields: SsoFields, known?: SsoProvider): object {
  const none = known ? null : undefined;
  const {
    name,
    issuer,
    clientId,
    clientSecret,
    scopes,
    groupsClaim,
    appRoles,
    defaultRole,
    factorValues,
    trustsEmail,
    joinApps,
  } = fields;
  return {
    name: name.trim(),
    ...(known ? {} : { issuer: issuer.trim() }),
    clientId: clientId.trim(),
    ...(clientSecret === '' ? {} : { clientSecret }),
    scopes: scopes.trim().replace(/\s+/g, ' '),
    groupsClaim: groupsClaim.trim() || none,
    roles: Object.fromEntries(adminRoles.map((role) => [role, lines(fields[role])])),
    appRoles: appRoles.map((one) => ({ ...one, group: one.group.trim() })),
    defaultRole: defaultRole || none,
    factorValues: lines(factorValues),
    trustsEmail,
    joinApps: joinApps ?? 'all',
  };
}
