import type { SecretKey } from '../../../lib/wire.ts';
import { keepsCapital, listed, t } from '../../../lib/words/words.ts';

export type Scope = SecretKey['scopes'][number];
type Resource = Scope['resource'];
type Verb = Scope['verbs'][number];

/** What a key may do with one resource, as a person says it. To see is to list and to get. */
export interface Part {
  readonly resource: Resource;
  readonly label: string;
  readonly actions: readonly { readonly label: string; readonly verbs: readonly Verb[] }[];
}

const see = { label: t('see'), verbs: ['list', 'get'] } as const;
const add = { label: t('add'), verbs: ['create'] } as const;
const change = { label: t('change'), verbs: ['update'] } as const;
const remove = { label: t('delete'), verbs: ['delete'] } as const;
const hear = { label: t('hear live'), verbs: ['listen'] } as const;
const send = { label: t('send'), verbs: ['create'] } as const;
const record = [see, add, change, remove];

/** Every scope, in groups. */
export const scopeGroups: readonly { readonly title: string; readonly parts: readonly Part[] }[] = [
  {
    title: t('Content'),
    parts: [
      { resource: 'beacons', label: t('Beacons'), actions: record },
      { resource: 'venues', label: t('Venues'), actions: record },
      { resource: 'floors', label: t('Floors'), actions: record },
      { resource: 'zones', label: t('Zones'), actions: record },
      { resource: 'notifications', label: t('Notifications'), actions: record },
      { resource: 'storylines', label: t('Storylines'), actions: record },
      { resource: 'scenarios', label: t('Scenarios'), actions: record },
      { resource: 'files', label: t('Files'), actions: [see, { ...add, label: t('upload') }, remove] },
      { resource: 'records', label: t('Records of buckets'), actions: record },
      { resource: 'schemas', label: t('Schemas of buckets'), actions: record },
    ],
  },
  {
    title: t('What phones and gateways send'),
    parts: [
      { resource: 'sightings', label: t('Sightings'), actions: [send] },
      { resource: 'logs', label: t('Log records'), actions: [{ ...see, verbs: ['list'] }, send] },
      { resource: 'receipts', label: t('Receipts of messages'), actions: [send] },
      { resource: 'simulations', label: t('Simulations'), actions: [{ ...send, label: t('run') }] },
    ],
  },
  {
    title: t('What has happened'),
    parts: [
      { resource: 'visits', label: t('Visits'), actions: [see, hear] },
      { resource: 'events', label: t('Events'), actions: [see, hear] },
      { resource: 'verdicts', label: t('Verdicts'), actions: [{ ...see, verbs: ['list'] }, hear] },
      { resource: 'positions', label: t('Positions'), actions: [see, hear] },
      { resource: 'analytics', label: t('Analytics'), actions: [{ ...see, verbs: ['list'] }] },
      { resource: 'deliveries', label: t('Deliveries'), actions: [see] },
    ],
  },
  {
    title: t('People and devices'),
    parts: [
      { resource: 'pushes', label: t('Pushes'), actions: [see, send, { ...change, label: t('cancel') }, hear] },
      {
        resource: 'installations',
        label: t('Installations'),
        actions: [see, { ...add, label: t('register') }, change, remove],
      },
      {
        resource: 'users',
        label: t('App users'),
        actions: [
          { ...see, verbs: ['list'] },
          { ...add, label: t('sign up') },
        ],
      },
      { resource: 'devices', label: t('Devices'), actions: record },
    ],
  },
];

export const scopeParts: readonly Part[] = scopeGroups.flatMap(({ parts }) => parts);

/** What is ticked: `beacons:list+get`. */
export type Ticked = readonly string[];

export const tickOf = (part: Pick<Part, 'resource'>, action: { readonly verbs: readonly Verb[] }) =>
  `${part.resource}:${action.verbs.join('+')}`;

/** Where a scope can be limited to venues: what belongs to one. Not with `listen`. */
export const resourcesByVenue: ReadonlySet<Resource> = new Set<Resource>([
  'beacons',
  'venues',
  'floors',
  'zones',
  'notifications',
  'visits',
  'events',
  'verdicts',
  'positions',
  'analytics',
]);

const isTicked = (ticked: Ticked, { resource }: Part) => ticked.some((tick) => tick.startsWith(`${resource}:`));

/** Whether anything that is ticked can be limited to venues. */
export const canTakeVenues = (ticked: Ticked): boolean =>
  scopeParts.some((part) => resourcesByVenue.has(part.resource) && isTicked(ticked, part));

/** What stays the same for all venues, in words. */
export const withoutVenues = (ticked: Ticked): readonly string[] =>
  scopeParts.flatMap((part) => (!resourcesByVenue.has(part.resource) && isTicked(ticked, part) ? [part.label] : []));

/** Events are sent to all listeners before their venue is known. */
export const listensByVenue = (ticked: Ticked): boolean =>
  scopeParts.some((part) => resourcesByVenue.has(part.resource) && ticked.includes(tickOf(part, hear)));

/** `buckets`: of records; `venues`: of what belongs to one; none are all. */
export function scopesOf(
  ticked: Ticked,
  { buckets, venues }: { readonly buckets: readonly string[]; readonly venues: readonly string[] },
): Scope[] {
  return scopeParts.flatMap((part) => {
    const verbs = part.actions
      .filter((action) => ticked.includes(tickOf(part, action)))
      .flatMap((action) => action.verbs);
    if (verbs.length === 0) return [];
    const only = part.resource === 'records' && buckets.length > 0 ? { buckets } : {};
    const within = resourcesByVenue.has(part.resource) && venues.length > 0 ? { venues } : {};
    return [{ resource: part.resource, verbs, ...only, ...within }];
  });
}

/** The check boxes for the scopes of a key. Scopes that only the command line can set are left out. */
export const tickedOf = (scopes: readonly Scope[]): Ticked =>
  scopeParts.flatMap((part) => {
    const own = scopes.find(({ resource }) => resource === part.resource);
    return part.actions
      .filter(({ verbs }) => verbs.every((verb) => own?.verbs.includes(verb)))
      .map((action) => tickOf(part, action));
  });

/**
 * `See beacons, visits; see and add records of buckets (guestbook)`: what may be done alike is said once. A key that was made
 * with the command line may list without getting.
 */
export function scopeWords(scopes: readonly Scope[]): string {
  const byActions = new Map<string, string[]>();
  for (const { resource, verbs, buckets, venues } of scopes) {
    const { label = resource, actions = [] } = scopeParts.find((part) => part.resource === resource) ?? {};
    const whole = actions.filter((action) => action.verbs.every((verb) => verbs.includes(verb)));
    const rest = verbs.filter((verb) => !whole.some((action) => action.verbs.includes(verb)));
    const done = listed([...whole.map((action) => action.label), ...rest]);
    const what =
      (keepsCapital() ? label : label.charAt(0).toLowerCase() + label.slice(1)) +
      (buckets ? ` (${buckets.join(', ')})` : '') +
      venueWords(venues);
    byActions.set(done, [...(byActions.get(done) ?? []), what]);
  }
  const text = [...byActions].map(([done, what]) => t('{done} {things}', { done, things: what.join(', ') })).join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const venueWords = (venues: readonly string[] | undefined) =>
  venues ? t(' of {count, plural, one {one venue} other {{count} venues}}', { count: venues.length }) : '';

export interface Purpose {
  readonly value: string;
  readonly label: string;
  readonly description: string;
  readonly ticked: Ticked;
}

const seen = (...resources: readonly Resource[]) =>
  scopeParts
    .filter(({ resource }) => resources.includes(resource))
    .flatMap((part) => part.actions.filter(({ label }) => label === see.label).map((action) => tickOf(part, action)));
const written = (...resources: readonly Resource[]) =>
  scopeParts
    .filter(({ resource }) => resources.includes(resource))
    .flatMap((part) => part.actions.map((action) => tickOf(part, action)));

export const purposes: readonly Purpose[] = [
  {
    value: 'gateway',
    label: t('Gateway'),
    description: t('Sends sightings of visitors and sees nothing.'),
    ticked: written('sightings'),
  },
  {
    value: 'analytics',
    label: t('Analytics, read only'),
    description: t('Sees beacons, visits, events, verdicts, positions, deliveries and log records.'),
    ticked: seen('beacons', 'visits', 'events', 'verdicts', 'positions', 'deliveries', 'logs'),
  },
  {
    value: 'cms',
    label: t('Content from a CMS'),
    description: t('Sees and edits beacons, notifications, storylines, scenarios and files.'),
    ticked: written('beacons', 'notifications', 'storylines', 'scenarios', 'files'),
  },
  { value: 'own', label: t('Something else'), description: t('Choose below what it may do.'), ticked: [] },
];
