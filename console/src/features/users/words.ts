import type { AppUser } from '../../lib/wire.ts';

export const roleWords: Readonly<Record<AppUser['role'], string>> = { user: 'Visitor', manager: 'Manager' };

export const roleOptions = Object.entries(roleWords).map(([value, label]) => ({ value, label }));
