import type { SecretKey } from '../../../lib/wire.ts';

export type Scope = SecretKey['scopes'][number];
type Resource = Scope['resource'];
type Verb = Scope['verbs'][number];

/** What a key may do with one resource, as a person says it. To see is to list and to get. */
export interface Part {
  readonly resource: Resource;
  readonly label: string;
  readonly actions: readonly { readonly label: string; readonly verbs: readonly Verb[] }[];
}

const see = { label: 'see', verbs: ['list', 'get'] } as const;
const add = { label: 'add', verbs: ['create'] } as const;
const change = { label: 'change', verbs: ['update'] } as const;
const remove = { label: 'delete', verbs: ['delete'] } as const;
const hear = { label: 'hear live', verbs: ['listen'] } as const;
const send = { label: 'send', verbs: ['create'] } as const;
const record = [see, add, change, remove];

/** Every scope, in groups. */
export const scopeGroups: readonly { readonly title: string; readonly parts: readonly Part[] }[] = [
  {
    title: 'Content',
    parts: [
      { resource: 'beacons', label: 'Beacons', actions: record },
      { resource: 'notifications', label: 'Notifications', actions: record },
      { resource: 'storylines', label: 'Storylines', actions: record },
      { resource: 'scenarios', label: 'Scenarios', actions: record },
      { resource: 'files', label: 'Files', actions: [see, { ...add, label: 'upload' }, remove] },
      { resource: 'records', label: 'Records of buckets', actions: record },
      { resource: 'schemas', label: 'Schemas of buckets', actions: record },
    ],
  },
  {
    title: 'What phones and gateways send',
    parts: [
      { resource: 'sightings', label: 'Sightings', actions: [send] },
      { resource: 'logs', label: 'Log records', actions: [{ ...see, verbs: ['list'] }, send] },
      { resource: 'receipts', label: 'Receipts of messages', actions: [send] },
      { resource: 'simulations', label: 'Simulations', actions: [{ ...send, label: 'run' }] },
    ],
  },
  {
    title: 'What has happened',
    parts: [
      { resource: 'visits', label: 'Visits', actions: [see, hear] },
      { resource: 'events', label: 'Events', actions: [see, hear] },
      { resource: 'verdicts', label: 'Verdicts', actions: [{ ...see, verbs: ['list'] }, hear] },
      { resource: 'positions', label: 'Positions', actions: [see] },
      { resource: 'deliveries', label: 'Deliveries', actions: [see] },
    ],
  },
  {
    title: 'People and devices',
    parts: [
      { resource: 'pushes', label: 'Pushes', actions: [see, send, { ...change, label: 'cancel' }, hear] },
      {
        resource: 'installations',
        label: 'Installations',
        actions: [see, { ...add, label: 'register' }, change, remove],
      },
      {
        resource: 'users',
        label: 'App users',
        actions: [
          { ...see, verbs: ['list'] },
          { ...add, label: 'sign up' },
        ],
      },
      { resource: 'devices', label: 'Devices', actions: record },
    ],
  },
];

export const scopeParts: readonly Part[] = scopeGroups.flatMap(({ parts }) => parts);

/** What is ticked: `beacons:see`. */
export type Ticked = readonly string[];

export const tickOf = (part: Pick<Part, 'resource'>, action: { readonly label: string }) =>
  `${part.resource}:${action.label}`;

/** @param buckets of records; none are all */
export function scopesOf(ticked: Ticked, buckets: readonly string[]): Scope[] {
  return scopeParts.flatMap((part) => {
    const verbs = part.actions
      .filter((action) => ticked.includes(tickOf(part, action)))
      .flatMap((action) => action.verbs);
    if (verbs.length === 0) return [];
    const only = part.resource === 'records' && buckets.length > 0 ? { buckets } : {};
    return [{ resource: part.resource, verbs, ...only }];
  });
}

/**
 * `See beacons, visits; see and add records of buckets (guestbook)`: what may be done alike is said once. A key that was made
 * with the command line may list without getting.
 */
export function scopeWords(scopes: readonly Scope[]): string {
  const byActions = new Map<string, string[]>();
  for (const { resource, verbs, buckets } of scopes) {
    const { label = resource, actions = [] } = scopeParts.find((part) => part.resource === resource) ?? {};
    const whole = actions.filter((action) => action.verbs.every((verb) => verbs.includes(verb)));
    const rest = verbs.filter((verb) => !whole.some((action) => action.verbs.includes(verb)));
    const done = inWords([...whole.map((action) => action.label), ...rest]);
    const what = label.charAt(0).toLowerCase() + label.slice(1) + (buckets ? ` (${buckets.join(', ')})` : '');
    byActions.set(done, [...(byActions.get(done) ?? []), what]);
  }
  const text = [...byActions].map(([done, what]) => `${done} ${what.join(', ')}`).join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const inWords = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

export interface Purpose {
  readonly value: string;
  readonly label: string;
  readonly description: string;
  readonly ticked: Ticked;
}

const seen = (...resources: readonly Resource[]) => resources.map((resource) => `${resource}:see`);
const written = (...resources: readonly Resource[]) =>
  scopeParts
    .filter(({ resource }) => resources.includes(resource))
    .flatMap((part) => part.actions.map((action) => tickOf(part, action)));

export const purposes: readonly Purpose[] = [
  {
    value: 'gateway',
    label: 'Gateway',
    description: 'Sends sightings of visitors and sees nothing.',
    ticked: ['sightings:send'],
  },
  {
    value: 'analytics',
    label: 'Analytics, read only',
    description: 'Sees beacons, visits, events, verdicts, positions, deliveries and log records.',
    ticked: seen('beacons', 'visits', 'events', 'verdicts', 'positions', 'deliveries', 'logs'),
  },
  {
    value: 'cms',
    label: 'Content from a CMS',
    description: 'Sees and edits beacons, notifications, storylines, scenarios and files.',
    ticked: written('beacons', 'notifications', 'storylines', 'scenarios', 'files'),
  },
  { value: 'own', label: 'Something else', description: 'Choose below what it may do.', ticked: [] },
];
