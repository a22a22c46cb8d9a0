import type { AppRules } from '../../lib/wire.ts';
import type { Group, Verb } from './rule-values.ts';

export type Described = AppRules['resources'][string];
export type Word = Described['rules'][string]['words'][number];

/** In the order of the columns. */
export const verbs = ['list', 'get', 'create', 'update', 'delete', 'listen'] as const satisfies readonly Verb[];

export const verbLabels: Readonly<Record<Verb, string>> = {
  list: 'List',
  get: 'See',
  create: 'Add',
  update: 'Change',
  delete: 'Delete',
  listen: 'Listen',
};

/** What a cell says. */
export const wordLabels: Readonly<Record<Word, string>> = {
  app: 'Anyone with the app',
  user: 'Signed-in',
  owner: 'Own',
  manager: 'Managers',
  nobody: 'Nobody',
};

export const ruleLabel = (rule: unknown): string =>
  typeof rule === 'string' ? (wordLabels[rule as Word] ?? rule) : 'Condition';

export const presetTexts: Readonly<Record<AppRules['preset'], { readonly label: string; readonly sentence: string }>> =
  {
    visitors: {
      label: 'An app for visitors',
      sentence:
        'Everyone with the app can read beacons and messages. Visitors see only what is their own; managers see everybody.',
    },
    specification: {
      label: 'As the interface specification describes',
      sentence:
        'Signed-in users read and write beacons, messages and records, and anyone with the app can list its users.',
    },
  };

/** The rows of the matrix, in groups. Resources that are not named here come last. */
const groups: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: 'Content', names: ['beacons', 'notifications', 'storylines', 'scenarios', 'schemas', 'files'] },
  { title: 'People and their devices', names: ['users', 'installations', 'devices'] },
  { title: 'Messages that were sent', names: ['pushes', 'deliveries'] },
  { title: 'What the service records', names: ['visits', 'events', 'verdicts', 'positions', 'logs'] },
];

export interface Row {
  readonly group: Group;
  readonly name: string;
  readonly label: string;
  readonly described: Described;
}

export function rowGroups(rules: AppRules): readonly { readonly title: string; readonly rows: readonly Row[] }[] {
  const named = new Set(groups.flatMap(({ names }) => names));
  const rest = Object.keys(rules.resources).filter((name) => !named.has(name));
  const ofResources = [...groups, { title: 'Others', names: rest }].map(({ title, names }) => ({
    title,
    rows: names.flatMap((name) => {
      const described = rules.resources[name];
      return described ? [{ group: 'resources', name, label: capital(described.noun), described } as const] : [];
    }),
  }));
  const ofBuckets = Object.keys(rules.buckets)
    .filter((name) => name !== '*')
    .toSorted()
    .concat('*')
    .flatMap((name) => {
      const described = rules.buckets[name];
      return described ? [{ group: 'buckets', name, label: bucketLabel(name, rules), described } as const] : [];
    });
  return [...ofResources, { title: 'Buckets', rows: ofBuckets }].filter(({ rows }) => rows.length > 0);
}

function bucketLabel(name: string, { buckets }: AppRules): string {
  if (name !== '*') return name;
  return Object.keys(buckets).length > 1 ? 'All other buckets' : 'All buckets';
}

const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
