import { createRoute } from '@tanstack/react-router';
import { forWholeApp } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/trash',
  validateSearch: ({ kind }: Record<string, unknown>): { readonly kind?: string } =>
    typeof kind === 'string' ? { kind } : {},
  component: forWholeApp(() => import('./trash-page.tsx'), 'TrashPage'),
});

export const trashRoutes = [list] as const;
