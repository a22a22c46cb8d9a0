import type { ShownDay, Trigger } from '../rules/rule-types.ts';
import { type DeliveryRules, toTimeZone, toTriggerPolicy } from './policy.ts';
import type { Worded } from './words.ts';

/** Messages as the interface has them, and what the rules need of them. */

/** What an app shows when a trigger fires: the notification's or the scenario's own members. */
export type Content = Readonly<Record<string, unknown>>;

export interface SiteTrigger {
  readonly trigger: Trigger;
  /** The name inside the organisation. That of a notification is never shown to visitors. */
  readonly name: string;
  readonly content: Content;
  /** The content of each variant, by name. */
  readonly variants?: ReadonlyMap<string, Content>;
  /** The languages that it is written in. */
  readonly words: Worded;
}

interface VariantRecord {
  readonly name: string;
  readonly weight?: number | undefined;
  readonly message?: object | undefined;
}

/** What notifications and scenarios share. */
export interface MessageRecord extends Worded {
  readonly objectId: string;
  readonly event: Trigger['event'];
  readonly delivery?: DeliveryRules | null | undefined;
  readonly holdout?: number | null | undefined;
  readonly variants?: readonly VariantRecord[] | null | undefined;
}

export interface NotificationRecord extends MessageRecord {
  readonly beaconIds: readonly string[];
  readonly isEnabled: boolean;
  readonly description: string;
  readonly type: string;
  readonly message: object;
}

const contentMembers = ['alertTitle', 'alertMessage', 'urlImageAndroid', 'urlImageIOS', 'urlPage', 'urlVideo'] as const;

export type ScenarioRecord = MessageRecord & {
  readonly beaconIds: readonly string[];
  readonly storylineId: string;
  readonly campaign: string;
  readonly showOn: readonly ShownDay[];
} & { readonly [Member in (typeof contentMembers)[number]]?: string | null | undefined };

function common(record: MessageRecord & { readonly beaconIds: readonly string[] }) {
  const { objectId, event, beaconIds, delivery, holdout } = record;
  const variants = (record.variants ?? []).map(({ name, weight = 1 }) => ({ name, weight }));
  const timeZone = toTimeZone(delivery ?? undefined);
  return {
    id: objectId,
    event,
    beaconIds,
    ...(delivery ? { policy: toTriggerPolicy(delivery) } : {}),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(holdout == null ? {} : { holdout }),
    ...(variants.length === 0 ? {} : { variants }),
  };
}

function variantsOf({ variants }: MessageRecord, contentOf: (words: object) => Content): Pick<SiteTrigger, 'variants'> {
  if (!variants || variants.length === 0) return {};
  return {
    variants: new Map(variants.map(({ name, message = {} }) => [name, { ...contentOf(message), variant: name }])),
  };
}

const wordsOf = ({ language = null, translations = null }: MessageRecord): Worded => ({ language, translations });

export function notificationTrigger(record: NotificationRecord): SiteTrigger {
  const { objectId, isEnabled, description, type, message } = record;
  const content = { objectId, type, message };
  return {
    trigger: { ...common(record), enabled: isEnabled, kind: 'notification' },
    name: description,
    content,
    words: wordsOf(record),
    ...variantsOf(record, (words) => ({ ...content, message: { ...message, ...words } })),
  };
}

export function scenarioTrigger(
  record: ScenarioRecord,
  { title, isEnabled }: { readonly title: string; readonly isEnabled: boolean },
): SiteTrigger {
  const { objectId, storylineId, campaign, showOn } = record;
  const given = Object.fromEntries(
    contentMembers.flatMap((name) => (record[name] == null ? [] : [[name, record[name]]])),
  );
  const content = { objectId, storylineId, title, campaign, ...given };
  return {
    trigger: { ...common(record), enabled: isEnabled, kind: 'scenario', showOn },
    name: record.alertTitle || title,
    content,
    words: wordsOf(record),
    ...variantsOf(record, (words) => ({ ...content, ...words })),
  };
}
