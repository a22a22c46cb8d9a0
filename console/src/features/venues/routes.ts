import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

/** Below the beacons, since that is where they were before they had a place of their own in the navigation: links are kept in mails and notes. */
const list = createRoute({
  getParentRoute: () => app,
  path: '/beacons/venues',
  validateSearch: readListSearch,
  component: forRoles('listVenues', () => import('./venues-page.tsx'), 'VenuesPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/beacons/venues/new',
  /** `from`: the venue to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: forRoles('createVenue', () => import('./edit-pages.tsx'), 'NewVenuePage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/beacons/venues/$venueId',
  component: forRoles('getVenue', () => import('./venue-page.tsx'), 'VenuePage'),
});

const edit = createRoute({
  getParentRoute: () => app,
  path: '/beacons/venues/$venueId/edit',
  component: forRoles('updateVenue', () => import('./edit-pages.tsx'), 'EditVenuePage'),
});

const floor = createRoute({
  getParentRoute: () => app,
  path: '/beacons/venues/$venueId/floors/$floorId',
  component: forRoles('getFloor', () => import('./floor/floor-page.tsx'), 'FloorPage'),
});

const bringIn = createRoute({
  getParentRoute: () => app,
  path: '/beacons/venues/$venueId/import',
  component: forRoles('createZone', () => import('./geojson/import-page.tsx'), 'ImportVenuePage'),
});

const round = createRoute({
  getParentRoute: () => app,
  path: '/beacons/venues/$venueId/round',
  component: forRoles('listPlacements', () => import('./round/round-page.tsx'), 'RoundPage'),
});

const labels = createRoute({
  getParentRoute: () => app,
  path: '/beacons/venues/$venueId/labels',
  component: forRoles('listBeacons', () => import('./round/labels-page.tsx'), 'LabelsPage'),
});

export const venueRoutes = [list, create, one, edit, floor, bringIn, round, labels] as const;
