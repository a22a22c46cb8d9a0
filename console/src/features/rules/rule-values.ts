import type { Parts } from '../../components/form/differences.ts';
import type { AppRules, ChangeAppRulesBody } from '../../lib/wire.ts';

export type Preset = AppRules['preset'];
export type Verb = 'list' | 'get' | 'create' | 'update' | 'delete' | 'listen';
export type Group = 'resources' | 'buckets';
export type Rule = AppRules['resources'][string]['rules'][string]['rule'];

/** What an app says itself about one resource or bucket, by name: verbs, and `owner`, `unowned`, `members`. */
export type OwnRules = Readonly<Record<string, unknown>>;

/** The rules as the form edits them: what differs from the preset. */
export interface RuleValues {
  readonly preset: Preset;
  readonly resources: Readonly<Record<string, OwnRules>>;
  readonly buckets: Readonly<Record<string, OwnRules>>;
}

export const valuesOf = ({ preset, stored }: Pick<AppRules, 'preset' | 'stored'>): RuleValues => ({
  preset,
  resources: (stored.resources ?? {}) as RuleValues['resources'],
  buckets: (stored.buckets ?? {}) as RuleValues['buckets'],
});

/** The body that makes these the rules of the app. Rules that name no preset have that of the specification. */
export function bodyOf({ preset, ...own }: RuleValues): ChangeAppRulesBody {
  return { ...own, ...(preset === 'specification' ? {} : { preset }) } as ChangeAppRulesBody;
}

/** What the app says, with one part said anew; undefined: the preset decides again. */
export function withPart(
  values: RuleValues,
  { group, name, part }: { readonly group: Group; readonly name: string; readonly part: string },
  value: unknown,
): RuleValues {
  const { [part]: _, ...others } = values[group][name] ?? {};
  const own = value === undefined ? others : { ...others, [part]: value };
  const { [name]: __, ...rest } = values[group];
  return { ...values, [group]: Object.keys(own).length === 0 ? rest : { ...rest, [name]: own } };
}

/** Each rule by itself, to be compared and chosen one by one when two people change them: `buckets.notes.get`. */
export function partsOf({ preset, ...groups }: RuleValues): Parts {
  const parts = (['resources', 'buckets'] as const).flatMap((group) =>
    Object.entries(groups[group]).flatMap(([name, own]) =>
      Object.entries(own).map(([part, value]) => [`${group}.${name}.${part}`, value] as const),
    ),
  );
  return { preset, ...Object.fromEntries(parts) };
}

export function joinParts({ preset, ...parts }: Parts): RuleValues {
  const empty: RuleValues = { preset: preset as Preset, resources: {}, buckets: {} };
  return Object.entries(parts).reduce((values, [key, value]) => {
    // Neither names nor parts contain a dot.
    const [group, name = '', part = ''] = key.split('.');
    return withPart(values, { group: group as Group, name, part }, value);
  }, empty);
}
