import { readListSearch } from '../../components/list/list-search.ts';
import { appPage } from '../../frame/for-roles.tsx';
import { readTexts } from '../../frame/routes.ts';

/** Below the beacons, since that is where they were before they had a place of their own in the navigation: links are kept in mails and notes. */
export const venueRoutes = [
  appPage('/beacons/venues', 'listVenues', () => import('./venues-page.tsx'), 'VenuesPage', readListSearch),
  appPage('/beacons/venues/new', 'createVenue', () => import('./edit-pages.tsx'), 'NewVenuePage', readTexts('from')),
  appPage('/beacons/venues/$venueId', 'getVenue', () => import('./venue-page.tsx'), 'VenuePage'),
  appPage('/beacons/venues/$venueId/edit', 'updateVenue', () => import('./edit-pages.tsx'), 'EditVenuePage'),
  appPage('/beacons/venues/$venueId/floors/$floorId', 'getFloor', () => import('./floor/floor-page.tsx'), 'FloorPage'),
  appPage(
    '/beacons/venues/$venueId/floors/$floorId/survey',
    'createSurvey',
    () => import('./survey/survey-page.tsx'),
    'SurveyPage',
  ),
  appPage(
    '/beacons/venues/$venueId/import',
    'createZone',
    () => import('./geojson/import-page.tsx'),
    'ImportVenuePage',
  ),
  appPage('/beacons/venues/$venueId/round', 'verifyPlacement', () => import('./round/round-page.tsx'), 'RoundPage'),
  appPage('/beacons/venues/$venueId/labels', 'listBeacons', () => import('./round/labels-page.tsx'), 'LabelsPage'),
] as const;
