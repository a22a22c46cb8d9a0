import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { allowed, app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/users',
  beforeLoad: allowed('users.read'),
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./users-page.tsx'), 'UsersPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/users/$userId',
  beforeLoad: allowed('users.read'),
  component: lazyRouteComponent(() => import('./user-page.tsx'), 'UserPage'),
});

export const userRoutes = [list, one] as const;
