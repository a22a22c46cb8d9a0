import type { App } from '../../lib/wire.ts';
import { accessChoices, accessSwitches } from './access-rules.ts';

/** The risks of the current rules, one sentence each. */
export function openRules(policy: App['policy']): readonly string[] {
  return [
    ...accessChoices.flatMap(({ name, warnings }) => warnings[policy[name]] ?? []),
    ...accessSwitches.flatMap(({ name, warning }) => (policy[name] ? [] : [warning])),
  ];
}
