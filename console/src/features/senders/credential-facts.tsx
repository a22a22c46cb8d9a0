import { CopyButton } from '../../components/code/copy-field.tsx';
import { useTimes } from '../../lib/time/times.ts';
import type { Sender } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { summaryLabels } from './sender-forms.ts';
import classes from './senders.module.css';

interface Props {
  readonly appId: string;
  readonly sender: Pick<Sender, 'summary' | 'updatedAt'>;
}

/** The facts about credentials that may be shown, and since when they are set. */
export function CredentialFacts({ appId, sender: { summary, updatedAt } }: Props) {
  const times = useTimes(appId);
  return (
    <dl className={classes.facts}>
      {Object.entries(summary).map(([member, value]) => (
        <div key={member}>
          <dt>{summaryLabels[member] ?? member}</dt>
          <dd>
            <span className="mono">{value}</span>
            {member === 'publicKey' && <CopyButton text={value} label={t('the public key')} />}
          </dd>
        </div>
      ))}
      {updatedAt && (
        <div>
          <dt>{t('Entered on')}</dt>
          <dd>{times.dateTime(updatedAt)}</dd>
        </div>
      )}
    </dl>
  );
}
