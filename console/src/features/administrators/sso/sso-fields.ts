import type { Role } from '../../../lib/data/access.ts';
import type { Operations, SsoProvider } from '../../../lib/wire.ts';

export type NewSsoProvider = Operations['createSsoProvider']['body'];

export const groupRoles = ['owner', 'manager', 'editor', 'installer', 'analyst'] as const satisfies readonly Role[];

export interface SsoFields {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: the one that is stored stays. */
  readonly clientSecret: string;
  readonly scopes: string;
  readonly groupsClaim: string;
  /** One a line. */
  readonly owner: string;
  readonly manager: string;
  readonly editor: string;
  readonly installer: string;
  readonly analyst: string;
  /** Empty: they are refused. */
  readonly defaultRole: string;
  /** One a line. */
  readonly factorValues: string;
  readonly trustsEmail: boolean;
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
    owner: groups('owner'),
    manager: groups('manager'),
    editor: groups('editor'),
    installer: groups('installer'),
    analyst: groups('analyst'),
    defaultRole: provider?.defaultRole ?? '',
    factorValues: provider?.factorValues.join('\n') ?? '',
    trustsEmail: provider?.trustsEmail ?? false,
  };
}

/** What is empty is left out of a new record, and cleared of one that is there. */
export function bodyOf(fields: SsoFields, known?: SsoProvider): object {
  const none = known ? null : undefined;
  const { name, issuer, clientId, clientSecret, scopes, groupsClaim, defaultRole, factorValues, trustsEmail } = fields;
  return {
    name: name.trim(),
    ...(known ? {} : { issuer: issuer.trim() }),
    clientId: clientId.trim(),
    ...(clientSecret === '' ? {} : { clientSecret }),
    scopes: scopes.trim().replace(/\s+/g, ' '),
    groupsClaim: groupsClaim.trim() || none,
    roles: Object.fromEntries(groupRoles.map((role) => [role, lines(fields[role])])),
    defaultRole: defaultRole || none,
    factorValues: lines(factorValues),
    trustsEmail,
  };
}
