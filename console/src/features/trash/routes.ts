import { createRoute } from '@tanstack/react-router';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/trash',
  validateSearch: ({ kind }: Record<string, unknown>): { readonly kind?: string } =>
    typeof kind === 'string' ? { kind } : {},
  component: forRoles('listStorylines', () => import('./trash-page.tsx'), 'TrashPage'),
});

export const trashRoutes = [list] as const;
