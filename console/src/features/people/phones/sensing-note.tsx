import { Alert } from '@mantine/core';
import { sensingFindings } from '@pharos/sdk/sensing';
import { Icon } from '../../../components/page/blocks.tsx';
import { Fact } from '../../../components/page/facts.tsx';
import type { Installation } from '../../../lib/text/installation-words.ts';
import type { Times } from '../../../lib/time/times.ts';
import { t, translated } from '../../../lib/words/words.ts';
import classes from '../people.module.css';

interface Props {
  readonly installation: Installation;
  readonly times: Times;
}

const findingsOf = ({ deviceType, sensing }: Installation) => (sensing ? sensingFindings(deviceType, sensing) : []);

/** Why the phone hears nothing, and what helps. */
export function SensingNote({ installation, times }: Props) {
  const findings = findingsOf(installation);
  if (findings.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" mb="md" icon={<Icon name="warning" />}>
      {findings.map(({ cause, text, remedy }) => (
        <div key={cause}>
          {translated(text)} {translated(remedy)}
        </div>
      ))}
      <div className={classes.soft}>
        {t('As the phone reported it on {dateTime}.', { dateTime: times.dateTime(installation.sensingAt ?? '') })}
      </div>
    </Alert>
  );
}

const motionWords = {
  still: (since: string) => t('still since {since}', { since }),
  walking: (since: string) => t('walking since {since}', { since }),
  vehicle: (since: string) => t('in a vehicle since {since}', { since }),
};

/** A phone that lies still hears less, and one that hears nothing says nothing of how it moves. */
export function MotionFact({ installation: { motion, motionAt = '' }, times }: Props) {
  if (motion === undefined) return null;
  return <Fact label={t('Movement')}>{motionWords[motion](times.dateTime(motionAt))}</Fact>;
}

/** Whether anything is known, for a phone that hears nothing all the same. */
export function SensingFact({ installation }: Pick<Props, 'installation'>) {
  const { sensing, deviceType } = installation;
  if (deviceType === 'web' || deviceType === 'embedded') return null;
  const stops = findingsOf(installation).some((one) => one.stops !== 'messages');
  return (
    <Fact label={t('Can hear beacons')}>
      {sensing === undefined
        ? t('unknown: the app does not report it')
        : stops
          ? t('no, or not always')
          : t('yes; if nothing comes, no beacon was near, or the app was force-quit')}
    </Fact>
  );
}
