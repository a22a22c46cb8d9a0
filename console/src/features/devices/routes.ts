import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app, readFrom } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/devices',
  validateSearch: readListSearch,
  component: forRoles('listDevices', () => import('./devices-page.tsx'), 'DevicesPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/devices/new',
  validateSearch: readFrom,
  component: forRoles('createDevice', () => import('./edit-pages.tsx'), 'NewDevicePage'),
});

const one = appPage('/devices/$deviceId', 'getDevice', () => import('./device-page.tsx'), 'DevicePage');

const edit = appPage('/devices/$deviceId/edit', 'updateDevice', () => import('./edit-pages.tsx'), 'EditDevicePage');

export const deviceRoutes = [list, create, one, edit] as const;
