import { createRoute } from '@tanstack/react-router';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const page = createRoute({
  getParentRoute: () => app,
  path: '/phone',
  validateSearch: ({ beacon }: Record<string, unknown>): { beacon?: string } =>
    typeof beacon === 'string' ? { beacon } : {},
  component: forRoles('phones.pair', () => import('./phone-page.tsx'), 'PretendPhonePage'),
});

export const pretendRoutes = [page] as const;
