import { deliveryColors, deliveryWords } from '../../lib/text/delivery-words.ts';
import type { Webhook, WebhookDelivery } from '../../lib/wire.ts';

export type WebhookEvent = Webhook['events'][number];
export type CallState = WebhookDelivery['state'];

/** The events that a webhook can be called for, in the order of a visit. */
export const webhookEventTexts: Readonly<Record<WebhookEvent, string>> = {
  'presence.enter': 'A visitor came to a beacon.',
  'presence.exit': 'A visitor left a beacon.',
  'presence.zone': 'A visitor came closer or moved away.',
  'visit.opened': 'A visit began.',
  'visit.closed': 'A visit ended, with its duration.',
  'visit.updated': 'Late reports changed a visit, merged it with another one or removed it.',
  'message.fired': 'A notification or a scenario was shown.',
  'message.verdict': 'A decision about a message: shown, or why not. There are many of these.',
  'push.finished': 'A push is complete.',
};

export const webhookEvents = Object.keys(webhookEventTexts) as readonly WebhookEvent[];

export const callStates = ['queued', 'sent', 'failed', 'expired'] as const satisfies readonly CallState[];
export const callWord = (state: CallState): string => deliveryWords[state];
export const callColor = (state: CallState): string => deliveryColors[state];

/** Which calls the page of a webhook lists, as in the address. */
export interface CallsSearch {
  readonly state?: CallState;
}

export function readCallsSearch({ state }: Readonly<Record<string, unknown>>): CallsSearch {
  const known = callStates.find((one) => one === state);
  return known ? { state: known } : {};
}

interface Condition {
  readonly label: string;
  readonly color: string;
}

/** The condition of a webhook in a few words. */
export function webhookHealth({ enabled, disabledReason, health }: Webhook): Condition {
  if (disabledReason !== null) return { label: 'Switched off by the receiver', color: 'red' };
  if (!enabled) return { label: 'Switched off', color: 'gray' };
  if (health === 'failing') return { label: 'Failing for a day', color: 'red' };
  if (health === 'behind') return { label: 'Falling behind', color: 'red' };
  if (health === 'retrying') return { label: 'Retrying', color: 'yellow' };
  return { label: 'Working', color: 'teal' };
}

/** What is wrong with a webhook, in sentences. */
export function webhookTrouble(
  { disabledReason, failingSince, lastError, givenUp, givenUpSince }: Webhook,
  showTime: (iso: string) => string,
): string | undefined {
  const sentences = [];
  if (disabledReason !== null) sentences.push(`${disabledReason} Switch it on when the receiver is back.`);
  else if (failingSince !== null)
    sentences.push(`No call has succeeded since ${showTime(failingSince)}. Last error: ${lastError ?? 'unknown.'}`);
  if (givenUpSince !== null)
    sentences.push(
      `Too many calls were waiting, so the oldest were dropped: ${givenUp.toLocaleString('en')} since ${showTime(givenUpSince)}.`,
    );
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}
