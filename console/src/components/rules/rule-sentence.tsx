import { t } from '../../lib/words/words.ts';
import { type Sentence, sentenceOf } from './rule-words.ts';
import classes from './rules.module.css';

interface Props extends Sentence {
  readonly isEnabled: boolean;
}

/** The rule as a sentence. */
export function RuleSentence({ isEnabled, ...sentence }: Props) {
  const words = sentenceOf(sentence);
  return (
    <p className={classes.sentence} data-testid="sentence">
      {words.map((word, index) => {
        if (typeof word === 'string') return word;
        // biome-ignore lint/suspicious/noArrayIndexKey: words have no other identity
        if ('strong' in word) return <strong key={index}>{word.strong}</strong>;
        // biome-ignore lint/suspicious/noArrayIndexKey: words have no other identity
        return <em key={index}>{word.em}</em>;
      })}
      {!isEnabled && <span className={classes.off}> {t('It is switched off.')}</span>}
    </p>
  );
}
