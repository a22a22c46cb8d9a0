/** What became of a message, in a word and a colour. */
export const deliveryWords = {
  queued: 'Waiting',
  sent: 'Sent',
  failed: 'Failed',
  expired: 'Too late',
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

/** What a push service is called; apps may name others for their installations. */
export const senderName = (kind: string): string => senders[kind] ?? kind;
