import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/devices',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./devices-page.tsx'), 'DevicesPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/devices/new',
  component: lazyRouteComponent(() => import('./edit-pages.tsx'), 'NewDevicePage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/devices/$deviceId',
  component: lazyRouteComponent(() => import('./device-page.tsx'), 'DevicePage'),
});

const edit = createRoute({
  getParentRoute: () => app,
  path: '/devices/$deviceId/edit',
  component: lazyRouteComponent(() => import('./edit-pages.tsx'), 'EditDevicePage'),
});

export const deviceRoutes = [list, create, one, edit] as const;
