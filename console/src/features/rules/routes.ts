import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../frame/lazy-page.ts';
import { app } from '../../frame/routes.ts';

const rules = createRoute({
  getParentRoute: () => app,
  path: '/rules',
  component: lazyPage(() => import('./rules-page.tsx'), 'RulesPage'),
});

export const ruleRoutes = [rules] as const;
