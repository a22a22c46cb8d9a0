import { parseInstant } from '@pharos/query/instant';
import type { Sensitivity } from '../presence/types.ts';
import type { PolicyOverride, Rules } from '../rules/rule-types.ts';

/** What the owner of an app has set, as far as deciding needs it. */
export interface DecidingPolicy {
  readonly oneZone: boolean;
  readonly sensitivity: Sensitivity;
  readonly polite: boolean;
  readonly delivery: DeliveryRules;
  /** IANA time zone of the app. */
  readonly timeZone: string;
  /** Seconds after which a message is no longer shown. */
  readonly pushTimeToLive: number;
  readonly retentionDays: { readonly visits: number; readonly events: number };
}

/** `delivery` as the interface has it: the engine's policy, with times as text. */
export type DeliveryRules = {
  readonly [Member in Exclude<keyof PolicyOverride, 'validFrom' | 'validUntil'>]?: PolicyOverride[Member] | undefined;
} & {
  readonly validFrom?: string | null | undefined;
  readonly validUntil?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
};

/** How long visits, events and deliveries with zero retention stay (ms), so that slightly late reports are still corrected. */
export const noDayMs = 3_600_000;

/** Whether visits or events have zero retention: then there is no past to compare with. */
export const isForgetful = ({ retentionDays: { visits, events } }: Pick<DecidingPolicy, 'retentionDays'>): boolean =>
  visits === 0 || events === 0;

/** The engine's words for what the interface calls `delivery`. Absent members stay absent, null switches one off. */
export function toTriggerPolicy(delivery: DeliveryRules): PolicyOverride {
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

export function toTimeZone(delivery: DeliveryRules | undefined): string | undefined {
  return typeof delivery?.timeZone === 'string' ? delivery.timeZone : undefined;
}

/** What the app's owner has set for all messages. */
export function appRules(policy: DecidingPolicy): Pick<Rules, 'policy' | 'polite' | 'appTimeZone' | 'timeToLive'> {
  return {
    policy: toTriggerPolicy(policy.delivery),
    polite: policy.polite,
    appTimeZone: toTimeZone(policy.delivery) ?? policy.timeZone,
    timeToLive: policy.pushTimeToLive,
  };
}

/** A calendar day at the site may be 25 hours long, and begins up to a day before it does in UTC. */
const minHistoryMs = 50 * 3_600_000;

/** How far back what was shown may still count for one of the gates, in milliseconds. */
export function historyMs(policies: readonly (PolicyOverride | undefined)[]): number {
  const seconds = policies.flatMap((policy) => [
    policy?.coolDown?.seconds ?? 0,
    ...(policy?.caps ?? []).map(({ window }) => (window === 'day' ? 0 : window)),
  ]);
  return Math.max(minHistoryMs, ...seconds.map((value) => value * 1000));
}
