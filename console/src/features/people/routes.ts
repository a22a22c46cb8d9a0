import { readListSearch } from '../../components/list/list-search.ts';
import { appPage } from '../../frame/for-roles.tsx';

export const peopleRoutes = [
  appPage('/users', 'users.read', () => import('./lists/users-page.tsx'), 'UsersPage', readListSearch),
  appPage('/users/$userId', 'users.read', () => import('./person-page.tsx'), 'PersonPage'),
  appPage(
    '/installations',
    'listInstallations',
    () => import('./lists/installations-page.tsx'),
    'InstallationsPage',
    readListSearch,
  ),
  appPage('/installations/$installationId', 'getInstallation', () => import('./phones/phone-page.tsx'), 'PhonePage'),
] as const;
