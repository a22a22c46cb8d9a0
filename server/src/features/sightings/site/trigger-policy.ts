import type { PolicyOverride, Rules } from '@pharos/engine';
import { parseInstant } from '@pharos/query';
import type { DeliveryRules } from '../../../access/delivery-rules.ts';
import type { AppPolicy } from '../../../access/policy.ts';

/** `delivery` as it is stored: what the interface accepted, with times as text. */
export type StoredDelivery = DeliveryRules;

/** The engine's words for what the interface calls `delivery`. Absent members stay absent, null switches one off. */
export function toTriggerPolicy(delivery: StoredDelivery): PolicyOverride {
  const { timeZone: _site, validFrom, validUntil, ...rest } = delivery;
  return {
    ...(rest as PolicyOverride),
    ...(validFrom === undefined ? {} : { validFrom: instant(validFrom) }),
    ...(validUntil === undefined ? {} : { validUntil: instant(validUntil) }),
  };
}

function instant(text: string | null): number | null {
  return text === null ? null : (parseInstant(text) ?? null);
}

export function toTimeZone(delivery: StoredDelivery | undefined): string | undefined {
  return typeof delivery?.timeZone === 'string' ? delivery.timeZone : undefined;
}

/** What the app's owner has set for all messages. */
export function appRules(policy: AppPolicy): Pick<Rules, 'policy' | 'polite' | 'appTimeZone' | 'timeToLive'> {
  return {
    policy: toTriggerPolicy(policy.delivery),
    polite: policy.polite,
    appTimeZone: toTimeZone(policy.delivery) ?? policy.timeZone,
    timeToLive: policy.pushTimeToLive,
  };
}

/** A calendar day at the site may be 25 hours long, and begins up to a day before it does in UTC. */
const shortestHistoryMs = 50 * 3_600_000;

/** How far back what was shown may still count for one of the gates, in milliseconds. */
export function historyMs(policies: readonly (PolicyOverride | undefined)[]): number {
  const seconds = policies.flatMap((policy) => [
    policy?.coolDown?.seconds ?? 0,
    ...(policy?.caps ?? []).map(({ window }) => (window === 'day' ? 0 : window)),
  ]);
  return Math.max(shortestHistoryMs, ...seconds.map((value) => value * 1000));
}
