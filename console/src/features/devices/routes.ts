import { readListSearch } from '../../components/list/list-search.ts';
import { appPage } from '../../frame/for-roles.tsx';
import { readTexts } from '../../frame/routes.ts';

export const deviceRoutes = [
  appPage('/devices', 'listDevices', () => import('./devices-page.tsx'), 'DevicesPage', readListSearch),
  appPage('/devices/new', 'createDevice', () => import('./edit-pages.tsx'), 'NewDevicePage', readTexts('from')),
  appPage('/devices/$deviceId', 'getDevice', () => import('./device-page.tsx'), 'DevicePage'),
  appPage('/devices/$deviceId/edit', 'updateDevice', () => import('./edit-pages.tsx'), 'EditDevicePage'),
] as const;
