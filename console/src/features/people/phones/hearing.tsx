import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { AskedAction } from '../../../components/dialogs/confirm-dialog.tsx';
import { Fact } from '../../../components/page/facts.tsx';
import { useMay } from '../../../lib/data/access.ts';
import { call } from '../../../lib/data/api.ts';
import { t } from '../../../lib/words/words.ts';
import { hearingQuery } from '../queries.ts';

interface Props {
  readonly appId: string;
  readonly installationId: string;
}

/** How loud the phone hears beacons, as its visits have shown; the engine begins each visit with it. */
export function HearingFact({ appId, installationId }: Props) {
  const may = useMay();
  const query = hearingQuery(appId, installationId);
  const { data: hearing } = useQuery({ ...query, enabled: may('installations.read') });
  if (!hearing) return null;
  return (
    <Fact label={t('Hears beacons')} isWide>
      {wordsOf(hearing)}
      {may('apps.change') && (
        <AskedAction
          button={(ask) => (
            <Button variant="subtle" size="compact-sm" onClick={ask}>
              {t('Forget')}
            </Button>
          )}
          title={t('Forget how loud the phone hears')}
          confirm={t('Forget')}
          run={() => call('resetHearing', { params: { appId, installationId } })}
          done={t('It is learned again from the next visits on.')}
          refresh={[query.queryKey]}
        >
          {t('Visits in which the phone is now go on with what was learned; later ones begin without it.')}
        </AskedAction>
      )}
    </Fact>
  );
}

interface Hearing {
  readonly passes: number;
  /** dB; null: no correction helps. */
  readonly loss: number | null;
}

function wordsOf({ passes, loss }: Hearing): string {
  if (loss === null)
    return t(
      'as expected, as far as {passes, plural, one {one passed beacon shows} other {{passes} passed beacons show}}',
      {
        passes,
      },
    );
  return t(
    '{decibels} dB {isQuiet, select, true {less} other {more}} than expected, learned from {passes, plural, one {one passed beacon} other {{passes} passed beacons}}',
    { decibels: Math.abs(loss), isQuiet: loss > 0, passes },
  );
}
