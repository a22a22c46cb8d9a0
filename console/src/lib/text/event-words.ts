/** `Entered Main hall` */
export const eventWords = {
  ENTER: 'Entered',
  EXIT: 'Left',
  IMMEDIATE: 'Came right up to',
  NEAR: 'Came near',
  FAR: 'Moved away from',
} as const;

/** The same where the beacon stands above: `Entered`. */
export const eventWordsHere = {
  ENTER: 'Entered',
  EXIT: 'Left',
  IMMEDIATE: 'Came right up',
  NEAR: 'Came near',
  FAR: 'Moved away',
} as const;
