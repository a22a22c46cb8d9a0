import type { AppUser } from '../../lib/wire.ts';

export const userRoleTexts: Readonly<Record<AppUser['role'], string>> = { user: 'Visitor', manager: 'Manager' };

export const userRoleOptions = Object.entries(userRoleTexts).map(([value, label]) => ({ value, label }));
