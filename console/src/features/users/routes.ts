import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/users',
  validateSearch: readListSearch,
  component: forRoles('users.read', () => import('./users-page.tsx'), 'UsersPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/users/$userId',
  component: forRoles('users.read', () => import('./user-page.tsx'), 'UserPage'),
});

export const userRoutes = [list, one] as const;
