import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { AskedAction } from '../../../components/dialogs/confirm-dialog.tsx';
import { Fact } from '../../../components/page/facts.tsx';
import { useMay } from '../../../lib/data/access.ts';
import { call } from '../../../lib/data/api.ts';
import { showDuration } from '../../../lib/time/times.ts';
import { t, tenths } from '../../../lib/words/words.ts';
import { radioQuery } from '../queries.ts';

interface Props {
  readonly appId: string;
  readonly beaconId: string;
}

/** What passing visitors have taught about the beacon's signal; distances and positions are reckoned with it. */
export function SignalFact({ appId, beaconId }: Props) {
  const may = useMay();
  const query = radioQuery(appId, beaconId);
  const { data: radio } = useQuery({ ...query, enabled: may('activity.read') });
  if (!radio) return null;
  return (
    <Fact label={t('Signal, as visitors show it')} isWide>
      {wordsOf(radio)}
      {may('beacons.write') && (
        <AskedAction
          button={(ask) => (
            <Button variant="subtle" size="compact-sm" onClick={ask}>
              {t('Forget')}
            </Button>
          )}
          title={t('Forget what visitors have shown of the signal')}
          confirm={t('Forget')}
          run={() => call('resetRadio', { params: { appId, beaconId } })}
          done={t('It is learned again from the next visitors on.')}
          refresh={[query.queryKey]}
        >
          {t(
            'Until enough visitors have passed again, distances and positions follow from the measured power alone. Do this after the beacon was moved or something was built around it.',
          )}
        </AskedAction>
      )}
    </Fact>
  );
}

interface Radio {
  readonly seconds: number;
  /** dB at one metre, and how much the path-loss exponent is over 2; null: no correction helps. */
  readonly learned: { readonly loss: number; readonly exponent: number } | null;
}

const usualExponent = 2;

function wordsOf({ seconds, learned }: Radio): string {
  const time = showDuration(seconds);
  if (learned === null) return t('as expected, as far as {time} of visitors near it show', { time });
  const { loss, exponent } = learned;
  return t(
    '{decibels} dB {isQuiet, select, true {weaker} other {stronger}} at one metre than expected, path-loss exponent {exponent}, learned from {time} of visitors near it',
    { decibels: tenths(Math.abs(loss)), isQuiet: loss > 0, exponent: tenths(usualExponent + exponent), time },
  );
}
