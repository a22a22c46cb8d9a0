import { t } from '../words/words.ts';
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
