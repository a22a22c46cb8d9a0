import { type AppPolicy, periodsOf } from '../../../access/policy.ts';
import type { RetentionRule } from '../../../db/table.ts';

/** How long rows are kept. */

export const dayMs = 86_400_000;

export interface RetainedApp {
  readonly appId: string;
  readonly policy: AppPolicy;
}

/** Older rows go (ms). */
export const keptSince = (kept: RetentionRule, policy: AppPolicy, now: number): number =>
  now - Math.max(daysOf(kept, policy) * dayMs, kept.atLeastMs ?? 0);

function daysOf({ days }: RetentionRule, policy: AppPolicy): number {
  if (typeof days === 'number') return days;
  const ofPolicy = (periodsOf(policy) as Readonly<Record<string, number>>)[days];
  if (ofPolicy === undefined) throw new Error(`The policy of an app does not say how many days it keeps ${days}.`);
  return ofPolicy;
}

/** How many records of each kind were deleted. */
export type Purged = Readonly<Record<string, number>>;
