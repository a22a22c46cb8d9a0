import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { type ListSearch, readListSearch } from '../../components/list/list-search.ts';
import { app } from '../../frame/routes.ts';

export interface BeaconsSearch extends ListSearch {
  readonly view?: 'map';
}

const list = createRoute({
  getParentRoute: () => app,
  path: '/beacons',
  validateSearch: (search: Record<string, unknown>): BeaconsSearch => ({
    ...readListSearch(search),
    ...(search['view'] === 'map' ? { view: 'map' } : {}),
  }),
  component: lazyRouteComponent(() => import('./beacons-page.tsx'), 'BeaconsPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/beacons/new',
  component: lazyRouteComponent(() => import('./edit-pages.tsx'), 'NewBeaconPage'),
});

const bringIn = createRoute({
  getParentRoute: () => app,
  path: '/beacons/import',
  component: lazyRouteComponent(() => import('./import-page.tsx'), 'ImportBeaconsPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/beacons/$beaconId',
  component: lazyRouteComponent(() => import('./beacon-page.tsx'), 'BeaconPage'),
});

const edit = createRoute({
  getParentRoute: () => app,
  path: '/beacons/$beaconId/edit',
  component: lazyRouteComponent(() => import('./edit-pages.tsx'), 'EditBeaconPage'),
});

export const beaconRoutes = [list, create, bringIn, one, edit] as const;
