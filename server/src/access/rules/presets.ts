import type { Preset, StoredRules, Verb, Word } from './rule-types.ts';

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
  /** It can be limited to venues: a resource declares how (`venue`), and analytics are counted for them. */
  readonly byVenue?: true;
  /** What holds in an app that has no rules of its own. */
  readonly preset: (by: Presets) => StoredRules;
}

interface Presets {
  readonly site: StoredRules;
  readonly plan: StoredRules;
  readonly own: StoredRules;
  readonly unowned: 'user' | 'manager';
  /** As in the specification. */
  readonly isOpen: boolean;
  readonly policy: LegacyPolicy;
}

const open: readonly Word[] = ['nobody', 'manager', 'user', 'app'];
const owned: readonly Word[] = ['nobody', 'manager', 'owner', 'user', 'app'];
const signedIn: readonly Word[] = ['nobody', 'manager', 'owner', 'user'];

const content = (noun: string, more: Partial<RuledResource> = {}): RuledResource => ({
  noun,
  verbs: { list: owned, get: owned, create: ['nobody', 'manager', 'user'], update: signedIn, delete: signedIn },
  wheres: ['list', 'get', 'create', 'update', 'delete'],
  owner: 'createdBy',
  preset: ({ site }) => site,
  ...more,
});

/** Where a visitor is follows from the plan of the building: only those who run it draw it. */
const ofPlan = { byVenue: true, preset: ({ plan }: Presets) => plan } as const;

/** What engine and service make, which nobody writes. */
const traces = (noun: string, more: Readonly<Partial<Record<Verb, readonly Word[]>>> = {}): RuledResource => ({
  noun,
  verbs: { list: signedIn, get: signedIn, ...more },
  wheres: ['list', 'get', 'listen'],
  preset: ({ own }) => own,
});

const heard: readonly Word[] = ['nobody', 'manager', 'owner', 'user'];

export const ruledResources = {
  beacons: content('beacons', { byVenue: true }),
  venues: content('venues', ofPlan),
  floors: content('floors', ofPlan),
  zones: content('zones', ofPlan),
  notifications: content('notifications', { byVenue: true }),
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
    preset: ({ site }) => ({ ...site, list: 'user', get: 'user' }),
  },
  devices: {
    noun: 'devices',
    verbs: { list: owned, get: owned, create: open, update: signedIn, delete: signedIn },
    wheres: ['list', 'get', 'create', 'update', 'delete'],
    owner: 'createdBy',
    hasUnowned: true,
    preset: ({ isOpen, unowned, policy: { deviceNeedsUser } }) => ({
      list: isOpen ? 'user' : 'owner',
      get: isOpen ? 'user' : 'owner',
      create: deviceNeedsUser ? 'user' : 'app',
      update: 'owner',
      delete: 'owner',
      unowned,
    }),
  },
  files: {
    noun: 'files',
    verbs: { list: owned, get: owned, create: open, delete: signedIn },
    wheres: ['list', 'get', 'delete'],
    owner: 'createdBy',
    hasUnowned: true,
    preset: ({ unowned, policy: { uploadNeedsUser } }) => ({
      list: 'owner',
      get: 'owner',
      create: uploadNeedsUser ? 'user' : 'app',
      delete: 'owner',
      unowned,
    }),
  },
  users: {
    noun: 'accounts',
    verbs: { list: owned, create: ['nobody', 'app'] },
    wheres: ['list'],
    owner: 'objectId',
    // The specification's list shows addresses. With other presets, opening the list does not reveal them.
    preset: ({ isOpen, policy: { listUsers } }) => ({
      list: listUsers,
      create: 'app',
      ...(isOpen ? {} : { members: { validemail: { hidden: ['app', 'user'] } } }),
    }),
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
    preset: () => ({ list: 'owner', get: 'owner', create: 'app', update: 'owner', delete: 'owner' }),
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
    preset: ({ policy: { push } }) => {
      const own = push === 'user' ? 'owner' : push;
      return { list: own, get: own, create: push, update: own, listen: 'manager' };
    },
  },
  deliveries: traces('deliveries'),
  visits: { ...traces('visits', { listen: heard }), byVenue: true },
  events: { ...traces('events', { listen: heard }), byVenue: true },
  verdicts: { ...traces('verdicts'), verbs: { list: signedIn, listen: heard }, byVenue: true },
  positions: { ...traces('positions', { listen: heard }), byVenue: true },
  analytics: {
    noun: 'analytics',
    verbs: { list: ['nobody', 'manager'] },
    wheres: [],
    noWhere: 'the numbers are of everybody together, and no record of theirs could match',
    byVenue: true,
    preset: () => ({ list: 'manager' }),
  },
  logs: {
    ...traces('log records'),
    verbs: { list: signedIn, create: open },
    preset: ({ isOpen }) => ({ list: isOpen ? 'user' : 'owner', create: 'app' }),
  },
} as const satisfies Readonly<Record<string, RuledResource>>;

export type ResourceName = keyof typeof ruledResources;

export const limitedByVenue: ReadonlySet<string> = new Set(
  Object.entries<RuledResource>(ruledResources).flatMap(([name, { byVenue }]) => (byVenue ? [name] : [])),
);

export const bucketRecords: RuledResource = {
  noun: 'records',
  verbs: { list: owned, get: owned, create: owned, update: owned, delete: owned },
  wheres: ['list', 'get', 'create', 'update', 'delete'],
  owner: 'createdBy',
  hasUnowned: true,
  preset: ({ isOpen }) => (isOpen ? all('user') : { ...all('owner'), create: 'user' }),
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

const all = (word: Word): StoredRules => ({ list: word, get: word, create: word, update: word, delete: word });

const writes = (word: Word): StoredRules => ({ create: word, update: word, delete: word });

export function presetRules(preset: Preset, policy: LegacyPolicy): PresetRules {
  const { readContent, writeContent } = policy;
  const isOpen = preset === 'specification';
  const site: StoredRules = { ...all(writeContent), list: readContent, get: readContent };
  const by: Presets = {
    site,
    plan: { ...site, ...writes(writeContent === 'nobody' ? 'nobody' : 'manager') },
    own: { list: 'owner', get: 'owner', listen: 'owner' },
    // Records from before creators were recorded always belonged to everybody who may write at all.
    unowned: isOpen && writeContent === 'user' ? 'user' : 'manager',
    isOpen,
    policy,
  };
  const rules = Object.entries<RuledResource>(ruledResources).map(([name, one]) => [name, one.preset(by)] as const);
  return { ...(Object.fromEntries(rules) as Record<ResourceName, StoredRules>), bucket: bucketRecords.preset(by) };
}
