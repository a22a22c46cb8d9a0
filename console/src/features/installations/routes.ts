import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/installations',
  validateSearch: readListSearch,
  component: forRoles('listInstallations', () => import('./installations-page.tsx'), 'InstallationsPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/installations/$installationId',
  component: forRoles('getInstallation', () => import('./installation-page.tsx'), 'InstallationPage'),
});

export const installationRoutes = [list, one] as const;
