import { pageLanguage, t, translated } from '../words/words.ts';
import { datesInWords } from './dates-in-words.ts';

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
