import { Text } from '@mantine/core';
import { Block } from '../../components/page/block.tsx';
import { showBytes } from '../../lib/text/bytes.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import type { ConsoleAnswer } from './answers.ts';
import { linesOf } from './curve.ts';
import classes from './system.module.css';

type Step = ConsoleAnswer<'getSystem'>['result']['load'][number];

interface Curve {
  readonly label: string;
  readonly of: (step: Step) => number | null;
  readonly show: (value: number) => string;
}

const whole = (value: number) => Math.round(value).toLocaleString(pageLanguage());

const curves: readonly Curve[] = [
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
      {first && (
        <div className={classes.curves}>
          {curves.map(({ label, of, show }) => {
            const values = load.map(of);
            const known = values.filter((value) => value !== null);
            const last = known.at(-1);
            const range = known.length > 0 ? `${show(Math.min(...known))} – ${show(Math.max(...known))}` : '';
            return (
              <figure key={label} className={classes.curve}>
                <figcaption>
                  {label} <b>{last === undefined ? '' : show(last)}</b>
                </figcaption>
                <svg viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label={`${label}: ${range}`}>
                  {linesOf(values).map((line) => (
                    <polyline key={line} points={line} />
                  ))}
                </svg>
                <Text size="xs" c="dimmed">
                  {range}
                </Text>
              </figure>
            );
          })}
        </div>
      )}
    </Block>
  );
}
