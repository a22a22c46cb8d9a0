import type { MailWords } from '../../../mail/words/mail-words.ts';

/** How a condition has changed since administrators were last notified of it. */
export type ConditionChange = 'begun' | 'still' | 'ended';

/** The title of a condition, with what has become of it. */
export function titleOf(words: MailWords, what: ConditionChange, title: string): string {
  const said = words.translated(title);
  if (what === 'begun') return said;
  return what === 'still' ? words.t('Still: {title}', { title: said }) : words.t('Over: {title}', { title: said });
}
