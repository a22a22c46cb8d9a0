import { createRoute } from '@tanstack/react-router';
import { forWholeApp } from '../../frame/for-roles.tsx';
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
  component: forWholeApp(() => import('./api-page.tsx'), 'ApiPage'),
});

export const apiRoutes = [reference] as const;
