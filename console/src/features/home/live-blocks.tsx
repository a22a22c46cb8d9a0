import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import names from '../../components/names/names.module.css';
import { BeaconName, TextLink, VisitorId } from '../../components/names/names.tsx';
import { Block, Loading } from '../../components/page/blocks.tsx';
import type { Live, LiveEvent, LiveState } from '../../lib/data/live.ts';
import { eventWords } from '../../lib/text/event-words.ts';
import { showAge, timeOfDay, useTimes } from '../../lib/time/times.ts';
import { pageLanguage, rich, t } from '../../lib/words/words.ts';
import { Bar } from './bar.tsx';
import classes from './home.module.css';
import { liveQuery } from './queries.ts';
import { eventDots } from './words.ts';

/** Visitors by beacon. */
export function LiveNow({ appId }: { readonly appId: string }) {
  const { data: live, error } = useQuery(liveQuery(appId));
  const most = Math.max(1, ...(live?.beacons.map(({ visitors }) => visitors) ?? []));
  const more = live ? live.occupied - live.beacons.length : 0;
  return (
    <Block title={t('Live now')}>
      <Loading data={live} error={error} height={180} />
      {live && (
        <>
          <p className={classes.big} role="status">
            {rich(
              '<b>{visitors, number}</b> {visitors, plural, one {visitor} other {visitors}} {hasOccupied, select, true {at {occupied, number} {occupied, plural, one {beacon} other {beacons}}} other {}}',
              {
                visitors: live.visitors,
                occupied: live.occupied,
                hasOccupied: live.occupied > 0,
              },
            )}
          </p>
          {live.beacons.length === 0 && <Text c="dimmed">{t('No visitor is near a beacon at the moment.')}</Text>}
          <ul className={classes.bars} aria-label={t('Visitors by beacon')}>
            {live.beacons.map(({ beaconId, name, visitors, since }) => (
              <li key={beaconId}>
                <TextLink
                  to="/apps/$appId/activity"
                  params={{ appId }}
                  search={{ list: 'visits', beacon: beaconId, where: { isOpen: true } }}
                >
                  {name ?? t('a deleted beacon')}
                </TextLink>
                <span className={classes.count} title={t('The first arrived {age}.', { age: showAge(since) })}>
                  {visitors.toLocaleString(pageLanguage())}
                </span>
                <Bar part={visitors / most} />
              </li>
            ))}
          </ul>
          {more > 0 && (
            <Text c="dimmed" mt="xs">
              {t('and {more, number} more', { more })}
            </Text>
          )}
        </>
      )}
    </Block>
  );
}

const stateWords: Readonly<Record<LiveState, { readonly text: string; readonly color: string }>> = {
  connecting: { text: t('connecting …'), color: 'gray' },
  live: { text: t('live'), color: 'teal' },
  paused: { text: t('paused'), color: 'gray' },
  broken: { text: t('no connection, trying again'), color: 'yellow' },
};

const pausedWords = { text: t('paused by you'), color: 'yellow' } as const;

const shown = 9;

/** The newest of those that matter; visitors who moved away from a beacon come after all others. */
function weightiest(events: readonly LiveEvent[]): readonly LiveEvent[] {
  const far = events.filter(({ event }) => event === 'FAR');
  const others = events.filter(({ event }) => event !== 'FAR').slice(0, shown);
  return [...others, ...far].slice(0, shown);
}

/** The value as it was when it began to be held. */
function useStill<T>(value: T, isHeld: boolean): T {
  const [still, setStill] = useState(value);
  const [wasHeld, setWasHeld] = useState(isHeld);
  if (wasHeld !== isHeld) {
    setWasHeld(isHeld);
    if (isHeld) setStill(value);
  }
  return isHeld && wasHeld ? still : value;
}

/** The events of the last hour, updated live. They stand still while they are paused, pointed at or in focus. */
export function LastHour({ appId, live }: { readonly appId: string; readonly live: Live }) {
  const times = useTimes(appId);
  const [isPaused, setPaused] = useState(false);
  const [isHeld, setHeld] = useState(false);
  const { state } = live;
  const events = useStill(weightiest(live.events), isPaused || isHeld);
  const { text, color } = isPaused ? pausedWords : stateWords[state];
  return (
    <Block
      title={t('The last hour')}
      about={
        <Group gap="xs">
          <Badge color={color}>{text}</Badge>
          <Button size="compact-xs" onClick={() => setPaused(!isPaused)}>
            {isPaused ? t('Go on') : t('Pause')}
          </Button>
        </Group>
      }
    >
      {events.length === 0 && (
        <Text c="dimmed">
          {state === 'connecting' ? t('Loading …') : t('No events. New events appear here automatically.')}
        </Text>
      )}
      <ul
        className={classes.events}
        aria-label={t('Events of the last hour')}
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        {events.map((event) => (
          <li key={event.objectId}>
            <span className={classes[eventDots[event.event]]} aria-hidden />
            <Link
              to="/apps/$appId/activity/events/$eventId"
              params={{ appId, eventId: event.objectId }}
              className={classes.happened}
            >
              {eventWords[event.event]} <BeaconName appId={appId} beaconId={event.beaconId.objectId} />
            </Link>
            <span className={`${classes.soft} ${classes.who}`}>
              <VisitorId objectId={event.installationId.objectId} />
            </span>
            <time className={classes.soft} dateTime={event.occurredAt}>
              {timeOfDay(times.zone, event.occurredAt)}
            </time>
          </li>
        ))}
      </ul>
      {events.length > 0 && (
        <Link
          to="/apps/$appId/activity"
          params={{ appId }}
          search={{ list: 'events', range: 'hour' }}
          className={`${names.link} ${classes.all}`}
        >
          {t('All events of the last hour')}
        </Link>
      )}
    </Block>
  );
}
