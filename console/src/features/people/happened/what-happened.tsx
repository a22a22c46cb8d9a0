import { Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BeaconName, MessageName, TriggerName } from '../../../components/names/names.tsx';
import { Block, FailureNote } from '../../../components/page/blocks.tsx';
import { appQuery } from '../../../lib/data/queries.ts';
import { deliveryColors, deliveryWords, eventWords, verdictReason } from '../../../lib/text/event-words.ts';
import { showStay, useTimes } from '../../../lib/time/times.ts';
import { t } from '../../../lib/words/words.ts';
import classes from '../people.module.css';
import { happenedQuery } from '../queries.ts';
import { type Happening, happeningsOf } from './happened.ts';

interface Props {
  readonly appId: string;
  /** The objectIds of a person's installations. */
  readonly phones: readonly string[];
}

/** What happened to a person. Not asked under pseudonyms, where an empty list would wrongly say that there is nothing. */
export function useHappened({ appId, phones }: Props) {
  const { data: app } = useQuery(appQuery(appId));
  const isKnown = app?.policy.pseudonyms !== 'daily';
  return { ...useQuery({ ...happenedQuery(appId, phones), enabled: isKnown && phones.length > 0 }), isKnown };
}

/** Where a person was, which messages came of it, and why not the others. Its page waits for it, since it would push away the rest. */
export function WhatHappened(props: Props) {
  if (useHappened(props).isKnown) return <Known {...props} />;
  return (
    <Block title={t('What happened')}>
      <Text c="dimmed">
        {t(
          'In this app phones have pseudonyms that change every day, so that nothing tells where this one was and what it was sent. The export has it.',
        )}
      </Text>
    </Block>
  );
}

function Known({ appId, phones }: Props) {
  const { data, error } = useHappened({ appId, phones });
  const times = useTimes(appId);
  const happenings =
    data &&
    happeningsOf({
      events: data.events.results,
      verdicts: data.verdicts,
      deliveries: data.deliveries.results,
    });
  return (
    <Block
      title={t('What happened')}
      about={t('The latest visits and messages, and why others were not shown. Times are in {zone}.', {
        zone: times.zone,
      })}
    >
      <FailureNote message={error?.message} />
      {(phones.length === 0 || happenings?.length === 0) && (
        <Text c="dimmed">{t('Has not been near a beacon yet, and was sent no message.')}</Text>
      )}
      <ul className={classes.happened} aria-label={t('What happened')}>
        {happenings?.map((one) => (
          <li key={'event' in one ? one.event.objectId : one.delivery.objectId}>
            <time className={classes.soft} dateTime={one.at}>
              {times.dateTime(one.at)}
            </time>
            <Line appId={appId} happening={one} visits={data?.visits.results ?? []} />
          </li>
        ))}
      </ul>
    </Block>
  );
}

interface LineProps {
  readonly appId: string;
  readonly happening: Happening;
  readonly visits: readonly {
    readonly objectId: string;
    readonly dwell: number | null;
    readonly smoothedDwell: number | null;
  }[];
}

function Line({ appId, happening, visits }: LineProps) {
  if ('delivery' in happening) {
    const { objectId, state } = happening.delivery;
    return (
      <div>
        <Link
          to="/apps/$appId/activity/deliveries/$deliveryId"
          params={{ appId, deliveryId: objectId }}
          className={classes.what}
        >
          <MessageName appId={appId} delivery={happening.delivery} />
        </Link>{' '}
        <Badge color={deliveryColors[state]}>{deliveryWords[state]}</Badge>
      </div>
    );
  }
  const { event, verdicts } = happening;
  const visit = event.event === 'EXIT' ? visits.find(({ objectId }) => objectId === event.visitId) : undefined;
  const stayed = visit && showStay(visit);
  return (
    <div>
      <Link
        to="/apps/$appId/activity/events/$eventId"
        params={{ appId, eventId: event.objectId }}
        className={classes.what}
      >
        {eventWords[event.event]} <BeaconName appId={appId} beaconId={event.beaconId.objectId} />
      </Link>
      {stayed && <span className={classes.soft}> {t('after {duration}', { duration: stayed })}</span>}
      {verdicts.length > 0 && (
        <ul className={classes.verdicts}>
          {verdicts.map(({ objectId, outcome, triggerId, text }) => (
            <li key={objectId}>
              <Badge color={outcomes[outcome].color}>{outcomes[outcome].text}</Badge>{' '}
              <TriggerName appId={appId} triggerId={triggerId} />
              {outcome !== 'fired' && <div className={classes.soft}>{verdictReason(text)}</div>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const outcomes = {
  fired: { text: t('Shown'), color: 'teal' },
  stopped: { text: t('Not shown'), color: 'gray' },
  pending: { text: t('Waiting'), color: 'blue' },
} as const;
