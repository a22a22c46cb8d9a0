import { resourceLabel } from '../../../components/rules/resource-nouns.ts';
import { type SecretKey, scopeResources } from '../../../lib/wire.ts';
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

const see = t('see');
const send = t('send');
const usual: Readonly<Record<Exclude<Verb, 'list' | 'get'>, string>> = {
  create: t('add'),
  update: t('change'),
  delete: t('delete'),
  listen: t('hear live'),
};

/** Where another word than the noun in rules, or than the usual one for a verb, says it better. */
const special: Readonly<Partial<Record<Resource, { readonly label?: string } & { readonly [V in Verb]?: string }>>> = {
  files: { create: t('upload') },
  installations: { create: t('register') },
  logs: { create: send },
  pushes: { label: t('Pushes'), create: send, update: t('cancel') },
  receipts: { label: t('Receipts of messages'), create: send },
  records: { label: t('Records of buckets') },
  schemas: { label: t('Schemas of buckets') },
  sightings: { label: t('Sightings'), create: send },
  simulations: { label: t('Simulations'), create: t('run') },
  users: { label: t('App users'), create: t('sign up') },
};

function partOf(resource: Resource): Part {
  const { noun, verbs } = scopeResources[resource];
  const { label = resourceLabel(noun), ...words } = special[resource] ?? {};
  const seeing = verbs.filter((verb) => verb === 'list' || verb === 'get');
  const others = verbs.flatMap((verb) =>
    verb === 'list' || verb === 'get' ? [] : [{ label: words[verb] ?? usual[verb], verbs: [verb] }],
  );
  return { resource, label, actions: [...(seeing.length > 0 ? [{ label: see, verbs: seeing }] : []), ...others] };
}

const grouped: readonly (readonly [title: string, resources: readonly Resource[]])[] = [
  [t('What phones and gateways send'), ['sightings', 'logs', 'receipts', 'simulations']],
  [t('What has happened'), ['visits', 'events', 'verdicts', 'positions', 'analytics', 'deliveries']],
  [t('People and devices'), ['pushes', 'installations', 'users', 'devices']],
];
const others = new Set(grouped.flatMap(([, resources]) => resources));
const content = (Object.keys(scopeResources) as Resource[]).filter((resource) => !others.has(resource));

export const scopeGroups: readonly { readonly title: string; readonly parts: readonly Part[] }[] = [
  [t('Content'), content] as const,
  ...grouped,
].map(([title, resources]) => ({ title, parts: resources.map(partOf) }));

export const scopeParts: readonly Part[] = scopeGroups.flatMap(({ parts }) => parts);

/** What is ticked: `beacons:list+get`. */
export type Ticked = readonly string[];

export const tickOf = (part: Pick<Part, 'resource'>, action: { readonly verbs: readonly Verb[] }) =>
  `${part.resource}:${action.verbs.join('+')}`;

/** Where a scope can be limited to venues: what belongs to one. Not with `listen`. */
export const resourcesByVenue: ReadonlySet<Resource> = new Set(
  scopeParts.map(({ resource }) => resource).filter((resource) => scopeResources[resource].byVenue),
);

const isTicked = (ticked: Ticked, { resource }: Part) => ticked.some((tick) => tick.startsWith(`${resource}:`));

/** Whether anything that is ticked can be limited to venues. */
export const canTakeVenues = (ticked: Ticked): boolean =>
  scopeParts.some((part) => resourcesByVenue.has(part.resource) && isTicked(ticked, part));

/** Whether it may send what gateways hear, and can be limited to some of them. */
export const canTakeGateways = (ticked: Ticked): boolean => ticked.includes('sightings:create');

/** What stays the same for all venues, in words. */
export const withoutVenues = (ticked: Ticked): readonly string[] =>
  scopeParts.flatMap((part) => (!resourcesByVenue.has(part.resource) && isTicked(ticked, part) ? [part.label] : []));

/** Events are sent to all listeners before their venue is known. */
export const listensByVenue = (ticked: Ticked): boolean =>
  scopeParts.some((part) => resourcesByVenue.has(part.resource) && ticked.includes(`${part.resource}:listen`));

interface Limits {
  /** Of records. */
  readonly buckets: readonly string[];
  /** Of what belongs to one. */
  readonly venues: readonly string[];
  /** Of sightings. */
  readonly gateways: readonly string[];
}

/** No buckets, venues or gateways are all. */
export function scopesOf(ticked: Ticked, { buckets, venues, gateways }: Limits): Scope[] {
  return scopeParts.flatMap((part) => {
    const verbs = part.actions
      .filter((action) => ticked.includes(tickOf(part, action)))
      .flatMap((action) => action.verbs);
    if (verbs.length === 0) return [];
    const only = part.resource === 'records' && buckets.length > 0 ? { buckets } : {};
    const within = resourcesByVenue.has(part.resource) && venues.length > 0 ? { venues } : {};
    const heard = part.resource === 'sightings' && gateways.length > 0 ? { gateways } : {};
    return [{ resource: part.resource, verbs, ...only, ...within, ...heard }];
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
  for (const { resource, verbs, buckets, venues, gateways } of scopes) {
    const { label = resource, actions = [] } = scopeParts.find((part) => part.resource === resource) ?? {};
    const whole = actions.filter((action) => action.verbs.every((verb) => verbs.includes(verb)));
    const rest = verbs.filter((verb) => !whole.some((action) => action.verbs.includes(verb)));
    const done = listed([...whole.map((action) => action.label), ...rest]);
    const what =
      (keepsCapital() ? label : label.charAt(0).toLowerCase() + label.slice(1)) +
      (buckets ? ` (${buckets.join(', ')})` : '') +
      (gateways ? ` (${gateways.join(', ')})` : '') +
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
    .flatMap((part) => part.actions.filter(({ label }) => label === see).map((action) => tickOf(part, action)));
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
    description: t('Sees and edits beacons, messages and files.'),
    ticked: written('beacons', 'notifications', 'storylines', 'scenarios', 'files'),
  },
  { value: 'own', label: t('Something else'), description: t('Choose below what it may do.'), ticked: [] },
];
