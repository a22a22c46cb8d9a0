import { appPage } from '../../frame/for-roles.tsx';

const rules = appPage('/rules', 'settings.read', () => import('./rules-page.tsx'), 'RulesPage');

export const ruleRoutes = [rules] as const;
