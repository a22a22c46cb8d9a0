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
