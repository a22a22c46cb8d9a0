import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { PhonePreview } from '../../components/message/phone-preview.tsx';
import { FailureNote } from '../../components/page/blocks.tsx';
import { eventWordsHere } from '../../lib/text/event-words.ts';
import { timesIn } from '../../lib/time/times.ts';
import { t, tenths } from '../../lib/words/words.ts';
import classes from './pretend.module.css';
import type { PhoneAccess } from './pretend-phone.ts';
import { useWalk, type Walk } from './use-walk.ts';

interface Props {
  readonly access: PhoneAccess;
  /** What follows, once the phone is registered. */
  readonly children?: (walk: Walk) => ReactNode;
}

export function PhoneView({ access, children }: Props) {
  const walk = useWalk(access);
  const { step, metres, arrived, events, failure } = walk;
  const { name } = access.beacon;
  const [newest] = arrived;
  const times = timesIn(Intl.DateTimeFormat().resolvedOptions().timeZone);
  return (
    <Group gap="1.5rem 2.5rem" align="flex-start">
      <PhonePreview
        appName={access.appName}
        title={newest?.title ?? ''}
        body={newest?.body ?? t('No message yet.')}
        times={times}
      />
      <Stack flex="1 1 16rem" align="flex-start" gap="1rem" miw={0}>
        <FailureNote message={failure} />
        <div role="status">
          <Text size="md" fw={600}>
            {stepText(step, name, newest !== undefined)}
          </Text>
          {metres !== undefined && step !== 'gone' && (
            <Text size="md" c="dimmed">
              {t('{metres} m away', { metres: tenths(metres) })}
            </Text>
          )}
        </div>
        {events.length > 0 && (
          <ol className={classes.events} aria-label={t('What the service noticed')}>
            {events.map(({ objectId, event }) => (
              <li key={objectId}>{eventWordsHere[event]}</li>
            ))}
          </ol>
        )}
        {step === 'beside' && <Button onClick={walk.leave}>{t('Walk away')}</Button>}
        {children?.(walk)}
      </Stack>
    </Group>
  );
}

function stepText(step: Walk['step'], name: string, hasMessage: boolean): string {
  if (step === 'coming') return t('The phone is coming to {name}.', { name });
  if (step === 'leaving') return t('The phone is leaving {name}.', { name });
  if (step === 'gone') return t('The phone is gone.');
  return hasMessage ? t('The message has arrived.') : t('The phone is beside {name}.', { name });
}
