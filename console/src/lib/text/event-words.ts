/** `Entered Main hall` */
export const eventWords = {
  ENTER: 'Entered',
  EXIT: 'Left',
  IMMEDIATE: 'Came right up to',
  NEAR: 'Came near',
  FAR: 'Moved away from',
} as const;

/** Without the name of the beacon: `Entered`. */
export const eventWordsHere = {
  ENTER: 'Entered',
  EXIT: 'Left',
  IMMEDIATE: 'Came right up',
  NEAR: 'Came near',
  FAR: 'Moved away',
} as const;
