import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { lazyPage } from '../../frame/lazy-page.ts';
import { allowed, app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/users',
  beforeLoad: allowed('users.read'),
  validateSearch: readListSearch,
  component: lazyPage(() => import('./users-page.tsx'), 'UsersPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/users/$userId',
  beforeLoad: allowed('users.read'),
  component: lazyPage(() => import('./user-page.tsx'), 'UserPage'),
});

export const userRoutes = [list, one] as const;
