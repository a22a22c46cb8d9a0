import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { lazyPage } from '../../frame/lazy-page.ts';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/installations',
  validateSearch: readListSearch,
  component: lazyPage(() => import('./installations-page.tsx'), 'InstallationsPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/installations/$installationId',
  component: lazyPage(() => import('./installation-page.tsx'), 'InstallationPage'),
});

export const installationRoutes = [list, one] as const;
