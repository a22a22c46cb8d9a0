import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app, readFrom } from '../../frame/routes.ts';

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
  validateSearch: readFrom,
  component: forRoles('createVenue', () => import('./edit-pages.tsx'), 'NewVenuePage'),
});

const one = appPage('/beacons/venues/$venueId', 'getVenue', () => import('./venue-page.tsx'), 'VenuePage');

const edit = appPage('/beacons/venues/$venueId/edit', 'updateVenue', () => import('./edit-pages.tsx'), 'EditVenuePage');

const floor = appPage(
  '/beacons/venues/$venueId/floors/$floorId',
  'getFloor',
  () => import('./floor/floor-page.tsx'),
  'FloorPage',
);

const survey = appPage(
  '/beacons/venues/$venueId/floors/$floorId/survey',
  'createSurvey',
  () => import('./survey/survey-page.tsx'),
  'SurveyPage',
);

const bringIn = appPage(
  '/beacons/venues/$venueId/import',
  'createZone',
  () => import('./geojson/import-page.tsx'),
  'ImportVenuePage',
);

const round = appPage(
  '/beacons/venues/$venueId/round',
  'verifyPlacement',
  () => import('./round/round-page.tsx'),
  'RoundPage',
);

const labels = appPage(
  '/beacons/venues/$venueId/labels',
  'listBeacons',
  () => import('./round/labels-page.tsx'),
  'LabelsPage',
);

export const venueRoutes = [list, create, one, edit, floor, survey, bringIn, round, labels] as const;
