import { t } from '../words/words.ts';
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
