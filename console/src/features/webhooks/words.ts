import { deliveryColors, deliveryWords } from '../../lib/text/delivery-words.ts';
import type { Webhook, WebhookDelivery } from '../../lib/wire.ts';

export type WebhookEvent = Webhook['events'][number];
export type CallState = WebhookDelivery['state'];

/** What a webhook can be called for, in the order of a visit. */
export const eventWords: Readonly<Record<WebhookEvent, string>> = {
  'presence.enter': 'A visitor has come to a beacon.',
  'presence.exit': 'A visitor has left a beacon.',
  'presence.zone': 'A visitor has come closer or gone farther away.',
  'visit.opened': 'A visit has begun.',
  'visit.closed': 'A visit is over, with how long it was.',
  'message.fired': 'A notification or a scenario was shown.',
  'message.verdict': 'Each decision about a message: shown, or what stopped it. These are many.',
  'push.finished': 'A push has reached everybody whom it could reach.',
};

export const webhookEvents = Object.keys(eventWords) as readonly WebhookEvent[];

export const callStates = ['queued', 'sent', 'failed', 'expired'] as const satisfies readonly CallState[];
export const callWord = (state: CallState): string => deliveryWords[state];
export const callColor = (state: CallState): string => deliveryColors[state];

/** Which calls a webhook's page lists, as it stands in the address. */
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

/** How a webhook does, in a word. */
export function conditionOf({ enabled, disabledReason, health }: Webhook): Condition {
  if (disabledReason !== null) return { label: 'Switched off by its receiver', color: 'red' };
  if (!enabled) return { label: 'Switched off', color: 'gray' };
  if (health === 'failing') return { label: 'Failing for a day', color: 'red' };
  if (health === 'behind') return { label: 'Falling behind', color: 'red' };
  if (health === 'retrying') return { label: 'Calls fail', color: 'yellow' };
  return { label: 'In order', color: 'teal' };
}

/** What there is to know about it beyond the word, in sentences. */
export function troubleOf(
  { disabledReason, failingSince, lastError, givenUp, givenUpSince }: Webhook,
  showTime: (iso: string) => string,
): string | undefined {
  const sentences = [];
  if (disabledReason !== null) sentences.push(`${disabledReason} Switch it on when the receiver is there again.`);
  else if (failingSince !== null)
    sentences.push(
      `No call has worked since ${showTime(failingSince)}. The last one: ${lastError ?? 'no reason is known.'}`,
    );
  if (givenUpSince !== null)
    sentences.push(
      `Too many calls waited, so the oldest were given up: ${givenUp.toLocaleString('en')} since ${showTime(givenUpSince)}.`,
    );
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}
