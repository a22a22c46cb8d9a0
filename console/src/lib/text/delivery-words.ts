/** The state of a delivery, as a label and a colour. */
export const deliveryWords = {
  queued: 'Waiting',
  sent: 'Sent',
  failed: 'Failed',
  expired: 'Expired',
  noTarget: 'No push address',
  cancelled: 'Cancelled',
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
  webhook: 'Webhook',
  mqtt: 'MQTT',
};

/** The name of a push service; installations may have others. */
export const senderName = (kind: string): string => senders[kind] ?? kind;
