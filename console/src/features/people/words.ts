import type { AppUser } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';

export const userRoleTexts: Readonly<Record<AppUser['role'], string>> = { user: t('Visitor'), manager: t('Manager') };

export const userRoleOptions = Object.entries(userRoleTexts).map(([value, label]) => ({ value, label }));
