import { createRoute } from '@tanstack/react-router';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

export interface ApiSearch {
  /** The operationId that is shown. */
  readonly op?: string;
  readonly q?: string;
}

const reference = createRoute({
  getParentRoute: () => app,
  path: '/api',
  validateSearch: ({ op, q }: Record<string, unknown>): ApiSearch => ({
    ...(typeof op === 'string' ? { op } : {}),
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
  }),
  component: forRoles('settings.read', () => import('./api-page.tsx'), 'ApiPage'),
});

export const apiRoutes = [reference] as const;
