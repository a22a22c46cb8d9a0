import { digestOf } from '../digest.ts';
import type { Trigger } from './rule-types.ts';

/** Who gets which variant of a message, and who is held out. */

/** The group of those who get nothing, so that there is something to compare with. */
export const heldOut = 'holdout';

const range = 2 ** 32;

/** A number from 0 to less than 1 that stays the same. The parts are the salt: another message divides people otherwise. */
function share(parts: readonly string[]): number {
  return (digestOf(JSON.stringify(parts))[0] as number) / range;
}

/**
 * The group of an installation: `heldOut`, the name of a variant, or undefined for a message without groups. It follows from the ids
 * alone, so that all nodes give the same, today and in a year. The holdout is drawn separately from the variants: an installation
 * in a 10 % holdout is also in a 20 % holdout, and changing that moves nobody from one variant to another.
 */
export function groupOf(
  { id, holdout = 0, variants = [] }: Pick<Trigger, 'id' | 'holdout' | 'variants'>,
  installationId: string,
): string | undefined {
  if (holdout > 0 && share(['holdout', id, installationId]) * 100 < holdout) return heldOut;
  if (variants.length === 0) return undefined;
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let left = share(['variant', id, installationId]) * total;
  for (const { name, weight } of variants) {
    left -= weight;
    if (left < 0) return name;
  }
  return variants.at(-1)?.name;
}
