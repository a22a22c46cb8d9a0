import { pageLanguage, t, translated } from '../words/words.ts';
import { datesInWords } from './dates-in-words.ts';

/** `Entered Main hall` */
export const eventWords = {
  ENTER: t('Entered {beacon}', { beacon: '' }).trim(),
  EXIT: t('Left {beacon}', { beacon: '' }).trim(),
  IMMEDIATE: t('Came right up to'),
  NEAR: t('Came near'),
  FAR: t('Moved away from'),
} as const;

/** Without the name of the beacon: `Entered`. */
export const eventWordsHere = {
  ENTER: t('Entered'),
  EXIT: t('Left'),
  IMMEDIATE: t('Came right up'),
  NEAR: t('Came near'),
  FAR: t('Moved away'),
} as const;

/** The state of a delivery, as a label and a colour. */
export const deliveryWords = {
  queued: t('Waiting'),
  sent: t('Sent'),
  failed: t('Failed'),
  expired: t('Expired'),
  noTarget: t('No push address'),
  cancelled: t('Cancelled'),
} as const;

export const deliveryColors = {
  queued: 'blue',
  sent: 'teal',
  failed: 'red',
  expired: 'yellow',
  noTarget: 'gray',
  cancelled: 'gray',
} as const;

const senders: Readonly<Record<string, string>> = {
  fcm: 'Firebase',
  apns: 'Apple',
  web: 'Web Push',
  webpush: 'Web Push',
  webhook: t('Webhook'),
  mqtt: 'MQTT',
};

/** The name of a push service; installations may have others. */
export const senderName = (kind: string): string => senders[kind] ?? kind;

/** Why a message is not shown, in few words, by the gate that stopped it. */
export const reasonWords: Readonly<Record<string, string>> = {
  disabled: t('it is switched off'),
  schedule: t('another day'),
  no_consent: t('no consent to messages'),
  stale: t('nobody reported it in time'),
  repeat: t('shown in this visit already'),
  cool_down: t('within the pause'),
  cap: t('over the limit'),
  dwell: t('did not stay long enough'),
  nth_visit: t('another visit'),
  quiet_hours: t('quiet hours'),
  closed: t('venue closed'),
  validity: t('outside its period'),
  no_target: t('the phone cannot be reached'),
  holdout: t('in the group that gets nothing'),
};

/** The sentence of a verdict, without its beginning, which the badge beside it says. */
export function verdictReason(text: string): string {
  const said = datesInWords(translated(text.replace(/^Not shown: /, '')));
  return said.slice(0, 1).toLocaleUpperCase(pageLanguage()) + said.slice(1);
}
