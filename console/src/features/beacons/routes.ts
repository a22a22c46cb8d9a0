import { createRoute } from '@tanstack/react-router';
import { type ListSearch, readListSearch } from '../../components/list/list-search.ts';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';
import type { ConditionView } from '../../lib/fleet/findings.ts';
import { type BeaconPlace, isPlace } from './beacon-place.ts';

export interface BeaconsSearch extends ListSearch {
  readonly view?: 'map';
}

interface NewBeaconSearch {
  /** The beacon to copy. */
  readonly from?: string;
  /** Where it is put, from the page of a floor. */
  readonly on?: BeaconPlace;
  /** Whoever came from the first steps goes on there. */
  readonly next?: 'home';
}

const list = createRoute({
  getParentRoute: () => app,
  path: '/beacons',
  validateSearch: (search: Record<string, unknown>): BeaconsSearch => ({
    ...readListSearch(search),
    ...(search['view'] === 'map' ? { view: 'map' } : {}),
  }),
  component: forRoles('listBeacons', () => import('./beacons-page.tsx'), 'BeaconsPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/beacons/new',
  validateSearch: ({ from, on, next }: Record<string, unknown>): NewBeaconSearch => ({
    ...(next === 'home' ? { next } : {}),
    ...(typeof from === 'string' ? { from } : {}),
    ...(isPlace(on) ? { on } : {}),
  }),
  component: forRoles('createBeacon', () => import('./edit-pages.tsx'), 'NewBeaconPage'),
});

const bringIn = appPage(
  '/beacons/import',
  'createBeacon',
  () => import('./import/import-page.tsx'),
  'ImportBeaconsPage',
);

const one = appPage('/beacons/$beaconId', 'getBeacon', () => import('./page/beacon-page.tsx'), 'BeaconPage');

const edit = appPage('/beacons/$beaconId/edit', 'updateBeacon', () => import('./edit-pages.tsx'), 'EditBeaconPage');

const condition = createRoute({
  getParentRoute: () => app,
  path: '/beacons/condition',
  validateSearch: ({ view }: Record<string, unknown>): { readonly view?: ConditionView } =>
    view === 'batteries' || view === 'done' ? { view } : {},
  component: forRoles('listBeacons', () => import('./condition/condition-page.tsx'), 'ConditionPage'),
});

export const beaconRoutes = [list, create, bringIn, condition, one, edit] as const;
