import { Button, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { CopyField } from '../../components/code/copy-field.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { appQuery } from '../../lib/data/queries.ts';
import type { App } from '../../lib/wire.ts';
import { rich, t } from '../../lib/words/words.ts';
import classes from './first-steps.module.css';
import { stepsQuery } from './queries.ts';

/** Three steps to the first message of a new app. */
export function FirstSteps({ appId }: { readonly appId: string }) {
  const { data, error } = useQuery(stepsQuery(appId));
  const { data: app } = useQuery(appQuery(appId));
  const [secret] = useState(newSecret);
  const mayCall = useMayCall();
  if (error) return <FailureNote message={error.message} />;
  if (!data || !app) return <Skeleton h={320} />;
  const current = data.beacons === 0 ? 1 : data.messages === 0 ? 2 : 3;
  return (
    <ol className={classes.steps}>
      <StepLine number={1} current={current} title={t('Add a beacon')}>
        <Text c="dimmed">{t('It marks a place: the entrance, a hall, a shelf.')}</Text>
        {mayCall('createBeacon') ? (
          <Button
            mt="sm"
            variant={current === 1 ? 'filled' : 'default'}
            leftSection={<Icon name="plus" size={16} />}
            renderRoot={(props) => <Link {...props} to="/apps/$appId/beacons/new" params={{ appId }} />}
          >
            {t('Add a beacon')}
          </Button>
        ) : (
          <Text c="dimmed">{t('Owners, managers and installers add beacons.')}</Text>
        )}
      </StepLine>
      <StepLine number={2} current={current} title={t('Write what visitors see there')}>
        <Text c="dimmed">{t('A notification says what is shown when a visitor comes to a beacon or leaves it.')}</Text>
        {mayCall('createNotification') ? (
          <Button
            mt="sm"
            variant={current === 2 ? 'filled' : 'default'}
            leftSection={<Icon name="edit" size={16} />}
            renderRoot={(props) => <Link {...props} to="/apps/$appId/messages/new" params={{ appId }} />}
          >
            {t('Write a notification')}
          </Button>
        ) : (
          <Text c="dimmed">{t('Owners, managers and editors write notifications.')}</Text>
        )}
      </StepLine>
      <StepLine number={3} current={current} title={t('Let the app report visitors')}>
        <Text c="dimmed">
          {current === 3
            ? t(
                "The app registers its installation and reports the beacons that it detects. To try it without an app, run these commands with one of the app's keys. This page shows the event as soon as it arrives.",
              )
            : t(
                'The app registers its installation and reports the beacons that it detects. After the first two steps, commands to try it without an app are here.',
              )}
        </Text>
        {current === 3 && (
          <div className={classes.try}>
            <CopyField
              label={t('In a terminal')}
              text={tryIt(app, { beaconId: data.beaconId ?? '', secret })}
              isBlock
            />
            <p className={classes.waitingFor} role="status">
              {rich('{part} Waiting for the first event …', { part: <span className={classes.pulse} aria-hidden /> })}
            </p>
          </div>
        )}
      </StepLine>
    </ol>
  );
}

/** 32 random digits, as an app makes them. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface Tried {
  readonly beaconId: string;
  readonly secret: string;
}

/** What a phone sends, with everything that the app's policy asks of it. */
function tryIt({ appId, policy }: App, { beaconId, secret }: Tried): string {
  const send = (path: string, body: object) =>
    [
      `curl '${window.location.origin}/api/v2${path}'`,
      `-H 'X-Service-AppId: ${appId}'`,
      "-H 'X-Service-AppKey: YOUR-APP-KEY'",
      ...(policy.installationProof === 'required' ? [`-H 'Installation-Secret: ${secret}'`] : []),
      "-H 'Content-Type: application/json'",
      `-d '${JSON.stringify(body)}'`,
    ].join(' \\\n  ');
  const granted = { granted: true, textVersion: 'a try' };
  const asked = policy.consent === 'required' ? { consents: { messages: granted, analytics: granted } } : {};
  return [
    send('/installations', { installationId: 'my-phone', deviceType: 'android', ...asked }),
    send('/sightings', { installationId: 'my-phone', sightings: [{ beacon: beaconId, event: 'ENTER' }] }),
  ].join('\n');
}

interface StepProps {
  readonly number: number;
  readonly current: number;
  readonly title: string;
  readonly children: ReactNode;
}

function StepLine({ number, current, title, children }: StepProps) {
  const isDone = number < current;
  return (
    <li
      className={number === current ? classes.current : undefined}
      aria-current={number === current ? 'step' : undefined}
    >
      <span className={isDone ? classes.done : classes.number}>
        {isDone ? <Icon name="check" size={20} /> : number}
        {isDone && <span className="off-screen">{t('Done:')}</span>}
      </span>
      <div>
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  );
}
