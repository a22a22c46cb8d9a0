import { type ListSearch, readListSearch } from '../../components/list/list-search.ts';
import { appPage } from '../../frame/for-roles.tsx';
import { readTexts } from '../../frame/routes.ts';
import type { ConditionView } from '../../lib/fleet/findings.ts';
import { type BeaconPlace, isPlace } from './beacon-place.ts';

interface BeaconsSearch extends ListSearch {
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

const readBeaconsSearch = (search: Record<string, unknown>): BeaconsSearch => ({
  ...readListSearch(search),
  ...(search['view'] === 'map' ? { view: 'map' } : {}),
});

const readNewSearch = (search: Record<string, unknown>): NewBeaconSearch => ({
  ...(search['next'] === 'home' ? { next: 'home' } : {}),
  ...readTexts('from')(search),
  ...(isPlace(search['on']) ? { on: search['on'] } : {}),
});

const readConditionSearch = ({ view }: Record<string, unknown>): { readonly view?: ConditionView } =>
  view === 'batteries' || view === 'done' ? { view } : {};

export const beaconRoutes = [
  appPage('/beacons', 'listBeacons', () => import('./beacons-page.tsx'), 'BeaconsPage', readBeaconsSearch),
  appPage('/beacons/new', 'createBeacon', () => import('./edit-pages.tsx'), 'NewBeaconPage', readNewSearch),
  appPage('/beacons/import', 'createBeacon', () => import('./import/import-page.tsx'), 'ImportBeaconsPage'),
  appPage(
    '/beacons/condition',
    'listBeacons',
    () => import('./condition/condition-page.tsx'),
    'ConditionPage',
    readConditionSearch,
  ),
  appPage('/beacons/$beaconId', 'getBeacon', () => import('./page/beacon-page.tsx'), 'BeaconPage'),
  appPage('/beacons/$beaconId/edit', 'updateBeacon', () => import('./edit-pages.tsx'), 'EditBeaconPage'),
] as const;
