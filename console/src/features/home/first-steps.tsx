import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { TextLink } from '../../components/names/names.tsx';
import { Icon, Loading } from '../../components/page/blocks.tsx';
import { useMay, useMayCall } from '../../lib/data/access.ts';
import { rich, t } from '../../lib/words/words.ts';
import classes from './first-steps.module.css';
import { stepsQuery } from './queries.ts';

/** Three steps to the first message of a new app. */
export function FirstSteps({ appId }: { readonly appId: string }) {
  const { data, error } = useQuery(stepsQuery(appId));
  const mayCall = useMayCall();
  const may = useMay();
  if (!data) return <Loading data={data} error={error} height={320} />;
  const current = data.beacons === 0 ? 1 : data.messages === 0 ? 2 : 3;
  return (
    <ol className={`bare ${classes.steps}`}>
      <StepLine number={1} current={current} title={t('Add a beacon')}>
        <Text size="md" c="dimmed">
          {t('It marks a place: the entrance, a hall, a shelf.')}
        </Text>
        {mayCall('createBeacon') ? (
          <Button
            mt="sm"
            variant={current === 1 ? 'filled' : 'default'}
            leftSection={<Icon name="plus" size={16} />}
            renderRoot={(props) => (
              <Link {...props} to="/apps/$appId/beacons/new" params={{ appId }} search={{ next: 'home' }} />
            )}
          >
            {t('Add a beacon')}
          </Button>
        ) : (
          <Text size="md" c="dimmed">
            {t('Owners, managers and installers add beacons.')}
          </Text>
        )}
      </StepLine>
      <StepLine number={2} current={current} title={t('Write what visitors see there')}>
        <Text size="md" c="dimmed">
          {t('A message says what is shown when a visitor comes to a beacon or leaves it.')}
        </Text>
        {mayCall('createNotification') ? (
          <Button
            mt="sm"
            variant={current === 2 ? 'filled' : 'default'}
            leftSection={<Icon name="edit" size={16} />}
            renderRoot={(props) => (
              <Link
                {...props}
                to="/apps/$appId/messages/new"
                params={{ appId }}
                search={data.beacon ? { beacon: data.beacon } : {}}
              />
            )}
          >
            {t('Write a message')}
          </Button>
        ) : (
          <Text size="md" c="dimmed">
            {t('Owners, managers, editors and authors write messages.')}
          </Text>
        )}
      </StepLine>
      <StepLine number={3} current={current} title={t('See it arrive')}>
        <Text size="md" c="dimmed">
          {t(
            'A pretend phone walks past the beacon and shows the message, through the interface that your app will use.',
          )}
        </Text>
        {may('phones.pair') && current === 3 && (
          <Button
            variant="filled"
            mt="sm"
            leftSection={<Icon name="phone" size={16} />}
            renderRoot={(props) => <Link {...props} to="/apps/$appId/phone" params={{ appId }} />}
          >
            {t('Try it with a pretend phone')}
          </Button>
        )}
        <Text c="dimmed" mt="sm">
          {rich('Then let your app report visitors: <link>the interface</link>.', {
            link: (inner) => (
              <TextLink to="/apps/$appId/api" params={{ appId }}>
                {inner}
              </TextLink>
            ),
          })}
        </Text>
      </StepLine>
    </ol>
  );
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
