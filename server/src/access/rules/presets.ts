import type { Preset, StoredRules, Verb, Word } from './rule-types.ts';

/** What has rules, and what they can say. */
export interface RuledResource {
  /** As in a sentence: `the beacons`. */
  readonly noun: string;
  /** What the interface offers, with the words that make sense for it. A verb that is missing has no endpoint. */
  readonly verbs: Readonly<Partial<Record<Verb, readonly Word[]>>>;
  /** Where a where can stand in the place of a word. */
  readonly wheres: readonly Verb[];
  /** Why none can stand anywhere, for whoever tries (ADR 106). */
  readonly noWhere?: string;
  /** The member that names the owner; without it ownership follows the installation. */
  readonly owner?: string;
  /** Records without an owner can be left to every signed-in user. */
  readonly hasUnowned?: true;
}

const open: readonly Word[] = ['nobody', 'manager', 'user', 'app'];
const owned: readonly Word[] = ['nobody', 'manager', 'owner', 'user', 'app'];
const signedIn: readonly Word[] = ['nobody', 'manager', 'owner', 'user'];

const content = (noun: string): RuledResource => ({
  noun,
  verbs: { list: owned, get: owned, create: ['nobody', 'manager', 'user'], update: signedIn, delete: signedIn },
  wheres: ['list', 'get', 'create', 'update', 'delete'],
  owner: 'createdBy',
});

/** What engine and service make, which nobody writes. */
const traces = (noun: string, more: Readonly<Partial<Record<Verb, readonly Word[]>>> = {}): RuledResource => ({
  noun,
  verbs: { list: signedIn, get: signedIn, ...more },
  wheres: ['list', 'get', 'listen'],
});

const heard: readonly Word[] = ['nobody', 'manager', 'owner', 'user'];

export const ruledResources = {
  beacons: content('beacons'),
  venues: content('venues'),
  floors: content('floors'),
  zones: content('zones'),
  notifications: content('notifications'),
  storylines: content('storylines'),
  scenarios: content('scenarios'),
  schemas: {
    noun: 'schemas',
    verbs: {
      list: open,
      get: open,
      create: ['nobody', 'manager', 'user'],
      update: ['nobody', 'manager', 'user'],
      delete: ['nobody', 'manager', 'user'],
    },
    wheres: [],
    noWhere: 'a schema is the same for all records of its bucket, whose own rules say who sees which',
  },
  devices: {
    noun: 'devices',
    verbs: { list: owned, get: owned, create: open, update: signedIn, delete: signedIn },
    wheres: ['list', 'get', 'create', 'update', 'delete'],
    owner: 'createdBy',
    hasUnowned: true,
  },
  files: {
    noun: 'files',
    verbs: { list: owned, get: owned, create: open, delete: signedIn },
    wheres: ['list', 'get', 'delete'],
    owner: 'createdBy',
    hasUnowned: true,
  },
  users: {
    noun: 'accounts',
    verbs: { list: owned, create: ['nobody', 'app'] },
    wheres: ['list'],
    owner: 'objectId',
  },
  installations: {
    noun: 'installations',
    verbs: {
      list: signedIn,
      get: signedIn,
      create: open,
      update: ['nobody', 'manager', 'owner'],
      delete: ['nobody', 'manager', 'owner'],
    },
    wheres: ['list', 'get'],
    owner: 'userId',
  },
  pushes: {
    noun: 'push notifications',
    verbs: {
      list: signedIn,
      get: signedIn,
      create: ['nobody', 'manager', 'user'],
      update: ['nobody', 'manager', 'owner'],
      // The events do not say whose push it is.
      listen: ['nobody', 'manager', 'user'],
    },
    wheres: ['list', 'get'],
    owner: 'userId',
  },
  deliveries: traces('deliveries'),
  visits: traces('visits', { listen: heard }),
  events: traces('events', { listen: heard }),
  verdicts: { ...traces('verdicts'), verbs: { list: signedIn, listen: heard } },
  positions: traces('positions', { listen: heard }),
  analytics: {
    noun: 'analytics',
    verbs: { list: ['nobody', 'manager'] },
    wheres: [],
    noWhere: 'the numbers are of everybody together, and no record of theirs could match',
  },
  logs: { ...traces('log records'), verbs: { list: signedIn, create: open } },
} as const satisfies Readonly<Record<string, RuledResource>>;

export type ResourceName = keyof typeof ruledResources;

/** What can be limited to venues: a resource declares how (`venue`), and analytics are counted for them. */
export const limitedByVenue: ReadonlySet<string> = new Set<ResourceName>([
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

export const bucketRecords: RuledResource = {
  noun: 'records',
  verbs: { list: owned, get: owned, create: owned, update: owned, delete: owned },
  wheres: ['list', 'get', 'create', 'update', 'delete'],
  owner: 'createdBy',
  hasUnowned: true,
};

export type PresetRules = Readonly<Record<ResourceName, StoredRules>> & { readonly bucket: StoredRules };

/** Members of the policy that decided this before there were rules, and still replace some of them. */
export interface LegacyPolicy {
  readonly listUsers: 'app' | 'user' | 'manager' | 'nobody';
  readonly push: 'user' | 'manager' | 'nobody';
  readonly readContent: 'user' | 'app';
  readonly writeContent: 'user' | 'manager' | 'nobody';
  readonly uploadNeedsUser: boolean;
  readonly deviceNeedsUser: boolean;
}

/** What these members are unless the policy says otherwise. */
export const legacyDefaults: Readonly<Record<Preset, LegacyPolicy>> = {
  specification: {
    listUsers: 'app',
    push: 'user',
    readContent: 'user',
    writeContent: 'user',
    uploadNeedsUser: false,
    deviceNeedsUser: false,
  },
  visitors: {
    listUsers: 'manager',
    push: 'manager',
    readContent: 'app',
    writeContent: 'manager',
    uploadNeedsUser: true,
    deviceNeedsUser: true,
  },
};

const strangers = ['app', 'user'] as const;

const all = (word: Word): StoredRules => ({ list: word, get: word, create: word, update: word, delete: word });

const writes = (word: Word): StoredRules => ({ create: word, update: word, delete: word });

/** The rules of an app that has none of its own. */
export function presetRules(preset: Preset, policy: LegacyPolicy): PresetRules {
  const { listUsers, push, readContent, writeContent, uploadNeedsUser, deviceNeedsUser } = policy;
  const isOpen = preset === 'specification';
  const site: StoredRules = {
    ...all(writeContent),
    list: readContent,
    get: readContent,
  };
  // Where a visitor is follows from the plan of the building: only those who run it draw it.
  const plan: StoredRules = { ...site, ...writes(writeContent === 'nobody' ? 'nobody' : 'manager') };
  const own: StoredRules = { list: 'owner', get: 'owner', listen: 'owner' };
  const ownPushes = push === 'user' ? 'owner' : push;
  // Records from before creators were recorded always belonged to everybody who may write at all.
  const unowned = isOpen && writeContent === 'user' ? 'user' : 'manager';
  return {
    beacons: site,
    venues: plan,
    floors: plan,
    zones: plan,
    notifications: site,
    storylines: site,
    scenarios: site,
    schemas: { ...site, list: 'user', get: 'user' },
    devices: {
      list: isOpen ? 'user' : 'owner',
      get: isOpen ? 'user' : 'owner',
      create: deviceNeedsUser ? 'user' : 'app',
      update: 'owner',
      delete: 'owner',
      unowned,
    },
    files: { list: 'owner', get: 'owner', create: uploadNeedsUser ? 'user' : 'app', delete: 'owner', unowned },
    // The specification's list shows addresses. With other presets, opening the list does not reveal them.
    users: { list: listUsers, create: 'app', ...(isOpen ? {} : { members: { validemail: { hidden: strangers } } }) },
    installations: { list: 'owner', get: 'owner', create: 'app', update: 'owner', delete: 'owner' },
    pushes: { list: ownPushes, get: ownPushes, create: push, update: ownPushes, listen: 'manager' },
    deliveries: own,
    visits: own,
    events: own,
    verdicts: own,
    positions: own,
    analytics: { list: 'manager' },
    logs: { list: isOpen ? 'user' : 'owner', create: 'app' },
    bucket: isOpen ? all('user') : { ...all('owner'), create: 'user' },
  };
}
