import { type LegacyPolicy, legacyDefaults, presetRules, type ResourceName } from './presets.ts';
import { type StoredAppRules, type StoredRule, type StoredRules, verbs, words } from './rule-types.ts';

/**
 * The rules that close an app to strangers: the preset for visitors, with the app's own rules. Where members of the policy allow
 * more than that preset does, it becomes a rule.
 *
 * @param policy what the policy would be under that preset
 */
export function closedRules(stored: StoredAppRules, policy: LegacyPolicy): StoredAppRules {
  const left = presetRules('visitors', policy);
  const wanted = presetRules('visitors', legacyDefaults.visitors);
  const resources: Record<string, StoredRules> = { ...stored.resources };
  for (const name of Object.keys(wanted) as (ResourceName | 'bucket')[]) {
    if (name === 'bucket') continue;
    const closer = verbs.filter(
      (verb) => resources[name]?.[verb] === undefined && isWider(left[name][verb], wanted[name][verb]),
    );
    if (closer.length > 0)
      resources[name] = { ...Object.fromEntries(closer.map((verb) => [verb, wanted[name][verb]])), ...resources[name] };
  }
  return { ...stored, preset: 'visitors', ...(Object.keys(resources).length > 0 ? { resources } : {}) };
}

const widthOf = (rule: StoredRule | undefined) => (typeof rule === 'string' ? words.indexOf(rule) : -1);

const isWider = (a: StoredRule | undefined, b: StoredRule | undefined) => widthOf(a) > widthOf(b);
