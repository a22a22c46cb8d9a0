import type { AppUser } from '../../lib/wire.ts';

export const userRoleTexts: Readonly<Record<AppUser['role'], string>> = { user: 'Visitor', manager: 'Manager' };

export const userRoleOptions = Object.entries(userRoleTexts).map(([value, label]) => ({ value, label }));

interface Named {
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
}

/** An identity provider may have told neither a name nor an address. */
export const userName = ({ firstname, lastname, email }: Named): string =>
  [firstname, lastname].filter((name) => name !== '').join(' ') || email || 'No name';
