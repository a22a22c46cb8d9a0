import type { ResourceName } from './presets.ts';
import type { Verb } from './rule-types.ts';
import type { AppRules, ResourceRules } from './rules.ts';

/** What an app's rules leave to strangers: to anyone with a copy of the app, and to anyone who signs up in it. */

/** `app`: anyone with the app, without signing in. `user`: anyone who signs up. */
type Stranger = 'app' | 'user';

interface OpenPart {
  readonly to: Stranger;
  /** As the end of a sentence that begins with `can`. */
  readonly what: string;
}

export interface Openness {
  readonly parts: readonly OpenPart[];
  /** All parts in one sentence. */
  readonly sentence: string;
}

/** What of resources no stranger should do, and how it is said. Reading content is what an app for visitors is for. */
const watched: readonly {
  readonly resources: readonly ResourceName[];
  readonly verbs: readonly Verb[];
  readonly what: string;
}[] = [
  { resources: ['users'], verbs: ['list'], what: 'read the names and e-mail addresses of all users' },
  {
    resources: ['beacons', 'venues', 'floors', 'zones', 'notifications', 'storylines', 'scenarios', 'schemas'],
    verbs: ['create', 'update', 'delete'],
    what: 'change your content',
  },
  { resources: ['pushes'], verbs: ['create'], what: 'send push notifications to all visitors' },
  { resources: ['pushes', 'deliveries'], verbs: ['list', 'get'], what: 'read what was sent to others' },
  {
    resources: ['visits', 'events', 'verdicts', 'positions', 'installations'],
    verbs: ['list', 'get', 'listen'],
    what: "follow other people's movements",
  },
  { resources: ['files'], verbs: ['list', 'get'], what: "find other people's files" },
  { resources: ['files', 'devices'], verbs: ['update', 'delete'], what: 'change files and devices of others' },
];

/** What is too open only to callers without an account: callers with one can be identified and limited. */
const watchedWithoutAccount: typeof watched = [
  { resources: ['files'], verbs: ['create'], what: 'upload files' },
  { resources: ['devices'], verbs: ['create'], what: 'add devices' },
];

/** @param bucketNames the app's buckets, without `*` */
export function opennessOf(rules: AppRules, bucketNames: readonly string[]): Openness {
  // Where nobody can sign up, a signed-in user is no stranger.
  const canSignUp = rules.of('users').rules.create.word !== 'nobody';
  const openTo = (ruled: ResourceRules, verb: Verb): Stranger | undefined => {
    const { word } = ruled.rules[verb];
    return word === 'app' || (word === 'user' && canSignUp) ? word : undefined;
  };
  const parts: OpenPart[] = [];
  const addResources = (all: typeof watched, takes: (to: Stranger) => boolean) => {
    for (const { resources, verbs, what } of all) {
      const found = resources.flatMap((name) => verbs.flatMap((verb) => openTo(rules.of(name), verb) ?? []));
      const to = widest(found);
      if (to && takes(to)) parts.push({ to, what });
    }
  };
  addResources(watched, () => true);
  addResources(watchedWithoutAccount, (to) => to === 'app');
  parts.push(...openBuckets(rules, bucketNames, openTo));
  return { parts, sentence: openSentence(parts) };
}

const widest = (found: readonly Stranger[]): Stranger | undefined => (found.includes('app') ? 'app' : found[0]);

function openBuckets(
  rules: AppRules,
  names: readonly string[],
  openTo: (ruled: ResourceRules, verb: Verb) => Stranger | undefined,
): OpenPart[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    const ruled = rules.bucket(name);
    const of = (...verbs: Verb[]) => widest(verbs.flatMap((verb) => openTo(ruled, verb) ?? []));
    const [read, change] = [of('list', 'get'), of('update', 'delete')];
    for (const to of ['app', 'user'] as const) {
      const does = [...(read === to ? ['read'] : []), ...(change === to ? ['change'] : [])].join(' and ');
      if (does) counts.set(`${to} ${does}`, (counts.get(`${to} ${does}`) ?? 0) + 1);
    }
  }
  return [...counts].map(([key, n]) => {
    const [to = '', ...does] = key.split(' ');
    return { to: to as Stranger, what: `${does.join(' ')} ${n} bucket${n === 1 ? '' : 's'}` };
  });
}

const whos: Readonly<Record<Stranger, string>> = {
  app: 'anyone with the app can',
  user: 'anyone who signs up can',
};

/** `Anyone with the app can upload files, and anyone who signs up can change your content and read 4 buckets.` */
function openSentence(parts: readonly OpenPart[]): string {
  const clauses = (['app', 'user'] as const).flatMap((to) => {
    const whats = parts.filter((part) => part.to === to).map(({ what }) => what);
    return whats.length === 0 ? [] : [`${whos[to]} ${enumerated(whats)}`];
  });
  if (clauses.length === 0)
    return 'Nothing is open to strangers: people reach what you show to everyone, and what is theirs.';
  const sentence = clauses.join(', and ');
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`;
}

function enumerated(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`;
}
