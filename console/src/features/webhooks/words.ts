import { deliveryColors, deliveryWords } from '../../lib/text/event-words.ts';
import type { Session, Webhook, WebhookDelivery } from '../../lib/wire.ts';
import { t, translated } from '../../lib/words/words.ts';

export type WebhookEvent = Webhook['events'][number];
export type CallState = WebhookDelivery['state'];

/** The events that a webhook can be called for, in the order of a visit; then what needs a person. */
export const webhookEventTexts: Readonly<Record<WebhookEvent, string>> = {
  'presence.enter': t('A visitor came to a beacon.'),
  'presence.exit': t('A visitor left a beacon.'),
  'presence.zone': t('A visitor came closer or moved away.'),
  'place.enter': t('A phone came within reach of a venue.'),
  'place.exit': t('A phone is out of reach of a venue.'),
  'visit.opened': t('A visit began.'),
  'visit.closed': t('A visit ended, with its duration.'),
  'visit.updated': t('Late reports changed a visit, merged it with another one or removed it.'),
  'message.fired': t('A message was shown.'),
  'message.verdict': t('A decision about a message: shown, or why not. There are many of these.'),
  'push.finished': t('A push is complete.'),
  'occupancy.exceeded': t('There are more visitors in a zone or a venue than may be.'),
  'occupancy.cleared': t('There are few enough again.'),
  'record.creating': t('A record is about to be created: the server may refuse or amend it.'),
  'record.updating': t('A record is about to be changed: the server may refuse or amend it.'),
  'record.deleting': t('A record is about to be deleted: the server may refuse it.'),
  'alert.begun': t('Something in this app needs a person, such as a beacon that fell silent.'),
  'alert.ended': t('It is over.'),
  'service.alert.begun': t('Something of the whole service needs a person: disk, database, backups, certificates.'),
  'service.alert.ended': t('It is over.'),
};

export const webhookEvents = Object.keys(webhookEventTexts) as readonly WebhookEvent[];

/** Whether it is asked before records change. */
export const isAsked = (events: readonly WebhookEvent[]): boolean =>
  events.some((event) => event.startsWith('record.'));

/** What concerns the service as a whole is for administrators of all apps. */
export const mayHear = (apps: Session['apps'], event: WebhookEvent): boolean =>
  apps === null || !event.startsWith('service.');

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

export function webhookHealth({ enabled, disabledBy, health }: Webhook): Condition {
  if (disabledBy === 'rights') return { label: t('Switched off by the service'), color: 'red' };
  if (disabledBy !== null) return { label: t('Switched off by the receiver'), color: 'red' };
  if (!enabled) return { label: t('Switched off'), color: 'gray' };
  if (health === 'failing') return { label: t('Failing for a day'), color: 'red' };
  if (health === 'behind') return { label: t('Falling behind'), color: 'red' };
  if (health === 'retrying') return { label: t('Not getting through'), color: 'yellow' };
  return { label: t('Working'), color: 'teal' };
}

/** What is wrong with a webhook, in sentences. */
export function webhookTrouble(
  { disabledBy, disabledReason, failingSince, lastError, givenUp, givenUpSince }: Webhook,
  showTime: (iso: string) => string,
): string | undefined {
  const sentences = [];
  if (disabledBy === 'rights')
    sentences.push(
      t('{disabledReason} Somebody who is limited to no apps can switch it on again, or choose other events for it.', {
        disabledReason: translated(disabledReason ?? ''),
      }),
    );
  else if (disabledReason !== null)
    sentences.push(
      t('{disabledReason} Switch it on when the receiver is back.', { disabledReason: translated(disabledReason) }),
    );
  else if (failingSince !== null)
    sentences.push(
      t('No call has succeeded since {time}. Last error: {lastError}', {
        time: showTime(failingSince),
        lastError: lastError === null ? t('unknown.') : translated(lastError),
      }),
    );
  if (givenUpSince !== null)
    sentences.push(
      t('Too many calls were waiting, so the oldest were dropped: {givenUp, number} since {time}.', {
        givenUp,
        time: showTime(givenUpSince),
      }),
    );
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}
