import { resourceLabel } from '../../components/rules/resource-nouns.ts';
import type { AppRules } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import type { Group, Verb } from './rule-values.ts';

export type Described = AppRules['resources'][string];
export type Word = Described['rules'][string]['words'][number];

/** In the order of the columns. */
export const verbs = ['list', 'get', 'create', 'update', 'delete', 'listen'] as const satisfies readonly Verb[];

export const verbLabels: Readonly<Record<Verb, string>> = {
  list: t('List'),
  get: t('See'),
  create: t('Add'),
  update: t('Change'),
  delete: t('Delete'),
  listen: t('Listen'),
};

/** What conditions may know about the caller. */
export const variableWords: Readonly<Record<string, string>> = {
  '$auth.userId': t('the person who asks'),
  '$auth.role': t('“user” or “manager”'),
  '$auth.installationId': t('any phone that is proven to be the person’s'),
  '$auth.venues': t('any venue to which the person belongs, as the page of the user says'),
};

/** What a cell says. */
export const wordLabels: Readonly<Record<Word, string>> = {
  app: t('Anyone with the app'),
  user: t('Signed-in'),
  owner: t('Own'),
  manager: t('Managers'),
  nobody: t('Nobody'),
};

export const ruleLabel = (rule: unknown): string =>
  typeof rule === 'string' ? (wordLabels[rule as Word] ?? rule) : t('Condition');

export const presetTexts: Readonly<Record<AppRules['preset'], { readonly label: string; readonly sentence: string }>> =
  {
    visitors: {
      label: t('An app for visitors'),
      sentence: t(
        'Everyone with the app can read beacons and messages. Visitors see only what is their own; managers see everybody.',
      ),
    },
    specification: {
      label: t('As the interface specification describes'),
      sentence: t(
        'Signed-in users read and write beacons, messages and records, and anyone with the app can list its users.',
      ),
    },
  };

/** The rows of the matrix, in groups. Resources that are not named here come last. */
const groups: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  {
    title: t('Content'),
    names: ['beacons', 'venues', 'floors', 'zones', 'notifications', 'storylines', 'scenarios', 'schemas', 'files'],
  },
  { title: t('People and their devices'), names: ['users', 'installations', 'devices'] },
  { title: t('Messages that were sent'), names: ['pushes', 'deliveries'] },
  { title: t('What the service records'), names: ['visits', 'events', 'verdicts', 'positions', 'logs', 'analytics'] },
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
  const ofResources = [...groups, { title: t('Others'), names: rest }].map(({ title, names }) => ({
    title,
    rows: names.flatMap((name) => {
      const described = rules.resources[name];
      return described ? [{ group: 'resources', name, label: resourceLabel(described.noun), described } as const] : [];
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
  return [...ofResources, { title: t('Buckets'), rows: ofBuckets }].filter(({ rows }) => rows.length > 0);
}

function bucketLabel(name: string, { buckets }: AppRules): string {
  if (name !== '*') return name;
  return Object.keys(buckets).length > 1 ? t('All other buckets') : t('All buckets');
}
