import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/devices',
  validateSearch: readListSearch,
  component: forRoles('listDevices', () => import('./devices-page.tsx'), 'DevicesPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/devices/new',
  /** `from`: the device to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: forRoles('createDevice', () => import('./edit-pages.tsx'), 'NewDevicePage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/devices/$deviceId',
  component: forRoles('getDevice', () => import('./device-page.tsx'), 'DevicePage'),
});

const edit = createRoute({
  getParentRoute: () => app,
  path: '/devices/$deviceId/edit',
  component: forRoles('updateDevice', () => import('./edit-pages.tsx'), 'EditDevicePage'),
});

export const deviceRoutes = [list, create, one, edit] as const;
