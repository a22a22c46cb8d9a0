import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const users = createRoute({
  getParentRoute: () => app,
  path: '/users',
  validateSearch: readListSearch,
  component: forRoles('users.read', () => import('./lists/users-page.tsx'), 'UsersPage'),
});

const person = appPage('/users/$userId', 'users.read', () => import('./person-page.tsx'), 'PersonPage');

const phones = createRoute({
  getParentRoute: () => app,
  path: '/installations',
  validateSearch: readListSearch,
  component: forRoles('listInstallations', () => import('./lists/installations-page.tsx'), 'InstallationsPage'),
});

const phone = appPage(
  '/installations/$installationId',
  'getInstallation',
  () => import('./phones/phone-page.tsx'),
  'PhonePage',
);

export const peopleRoutes = [users, person, phones, phone] as const;
