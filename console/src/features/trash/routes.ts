import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../frame/lazy-page.ts';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/trash',
  validateSearch: ({ kind }: Record<string, unknown>): { readonly kind?: string } =>
    typeof kind === 'string' ? { kind } : {},
  component: lazyPage(() => import('./trash-page.tsx'), 'TrashPage'),
});

export const trashRoutes = [list] as const;
