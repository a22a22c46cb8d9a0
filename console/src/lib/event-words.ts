/** `Entered Main hall` */
export const eventWords = {
  ENTER: 'Entered',
  EXIT: 'Left',
  IMMEDIATE: 'Came right up to',
  NEAR: 'Came near',
  FAR: 'Moved away from',
} as const;
