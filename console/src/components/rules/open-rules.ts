import type { App } from '../../lib/wire.ts';
import { choices, switches } from './access-rules.ts';

/** Why one should think twice about the rules as they are, a sentence for each. */
export function openRules(policy: App['policy']): readonly string[] {
  return [
    ...choices.flatMap(({ name, warnings }) => warnings[policy[name]] ?? []),
    ...switches.flatMap(({ name, warning }) => (policy[name] ? [] : [warning])),
  ];
}
