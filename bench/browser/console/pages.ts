import type { Filled } from './fill.ts';

/** The filter: a text in the search field, or a choice. */
export type Narrowing =
  | { readonly kind: 'search'; readonly value: string }
  | { readonly kind: 'choice'; readonly label: string; readonly value: string };

export interface ListPage {
  readonly name: string;
  /** Below the app. */
  readonly path: string;
  readonly narrow?: Narrowing;
}

const search = (value: string): Narrowing => ({ kind: 'search', value });
const choice = (label: string, value: string): Narrowing => ({ kind: 'choice', label, value });

/** Every page of an app that shows a list. */
export const listPages = ({ pushId, bucketName }: Filled): readonly ListPage[] => [
  { name: 'Beacons', path: 'beacons', narrow: search('tower 12') },
  { name: 'Devices', path: 'devices', narrow: search('tower 12') },
  { name: 'Notifications', path: 'notifications', narrow: search('tower 12') },
  { name: 'Storylines', path: 'storylines', narrow: search('tower 12') },
  { name: 'Installations', path: 'installations', narrow: search('client-77') },
  { name: 'Users', path: 'users', narrow: search('visitor77') },
  { name: 'Events', path: 'activity/events', narrow: choice('Kind', 'EXIT') },
  { name: 'Visits', path: 'activity/visits', narrow: choice('Range of time', 'week') },
  { name: 'Deliveries', path: 'activity/deliveries', narrow: choice('Kind', 'failed') },
  { name: 'Log records', path: 'activity/logs', narrow: choice('Kind', 'PRESENCE') },
  { name: 'Push messages', path: 'push' },
  { name: 'Recipients of a push', path: `push/${pushId}` },
  { name: 'Records of a bucket', path: `buckets/${bucketName}`, narrow: search('owl') },
  { name: 'Files', path: 'files', narrow: search('plan-77') },
];
