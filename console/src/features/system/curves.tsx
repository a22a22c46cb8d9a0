import { CurveRow, type Figures } from '../../components/curve/curve-row.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { showBytes } from '../../lib/text/bytes.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import type { ConsoleAnswer } from './answers.ts';

type Step = ConsoleAnswer<'getSystem'>['result']['load'][number];

const whole = (value: number) => Math.round(value).toLocaleString(pageLanguage());

const curves: readonly Figures<Step>[] = [
  { label: t('Requests a minute'), of: ({ requests }) => requests / 5, show: whole },
  {
    label: t('Time to answer'),
    of: ({ answerMs }) => answerMs,
    show: (value) => `${value.toLocaleString(pageLanguage())} ms`,
  },
  { label: t('Jobs waiting'), of: ({ queued }) => queued, show: whole },
  { label: t('Free disk space'), of: ({ freeBytes }) => freeBytes, show: showBytes },
];

interface Props {
  readonly load: readonly Step[];
  readonly startedAt: string;
}

/** What the service was busy with in the last day, or since its start. */
export function Curves({ load, startedAt }: Props) {
  const times = useServiceTimes();
  const [first] = load;
  return (
    <Block
      title={t('The last day')}
      about={
        first
          ? t('In steps of five minutes, since {time}. It begins anew with each start ({started}).', {
              time: times.minute(first.at),
              started: times.minute(startedAt),
            })
          : t('Curves are here five minutes after the start.')
      }
    >
      {first && <CurveRow curves={curves} steps={load} />}
    </Block>
  );
}
