import { createRoute } from '@tanstack/react-router';
import { forWholeApp } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const rules = createRoute({
  getParentRoute: () => app,
  path: '/rules',
  component: forWholeApp(() => import('./rules-page.tsx'), 'RulesPage'),
});

export const ruleRoutes = [rules] as const;
