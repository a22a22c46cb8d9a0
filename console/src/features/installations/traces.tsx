import { Badge, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import names from '../../components/names/names.module.css';
import { BeaconName } from '../../components/names/names.tsx';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { appQuery } from '../../lib/data/queries.ts';
import { deliveryColors, deliveryWords } from '../../lib/text/delivery-words.ts';
import { eventWords } from '../../lib/text/event-words.ts';
import { showDuration, useTimes } from '../../lib/time/times.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import classes from './installations.module.css';
import { tracesQuery } from './queries.ts';

interface Props {
  readonly appId: string;
  readonly installationId: string;
}

/**
 * Where an installation was, and what was sent to it. Not shown under pseudonyms, where an empty list would wrongly say that there is
 * nothing.
 */
export function Traces(props: Props) {
  const { data: app } = useQuery(appQuery(props.appId));
  if (app?.policy.pseudonyms !== 'daily') return <KnownTraces {...props} />;
  return (
    <Block title={t('Recent activity')}>
      <Text c="dimmed" size="sm">
        {t(
          'In this app phones have pseudonyms that change every day, so that nothing tells where this one was and what it was sent. The export has it.',
        )}
      </Text>
    </Block>
  );
}

function KnownTraces({ appId, installationId }: Props) {
  const { data, error } = useQuery(tracesQuery(appId, installationId));
  const times = useTimes(appId);
  const isQuiet = data && (data.events.count ?? 0) + (data.visits.count ?? 0) + (data.deliveries.count ?? 0) === 0;
  return (
    <Block
      title={t('Recent activity')}
      about={t('The latest visits, events and messages. Times are in {zone}.', { zone: times.zone })}
    >
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={120} />}
      {isQuiet && (
        <Text c="dimmed" size="sm">
          {t('It has not been near a beacon yet, and no message was sent to it.')}
        </Text>
      )}
      {data && !isQuiet && (
        <div className={classes.traces}>
          <Part title={t('Visits')} count={data.visits.count} to="visits" appId={appId} installationId={installationId}>
            {data.visits.results.map((visit) => (
              <li key={visit.objectId}>
                <span className={classes.what}>
                  <BeaconName appId={appId} beaconId={visit.beaconId.objectId} />
                  <span className={classes.soft}>
                    {visit.dwell === null ? t(' still here') : ` ${showDuration(visit.dwell)}`}
                  </span>
                </span>
                <span className={classes.soft}>{times.dateTime(visit.enteredAt)}</span>
              </li>
            ))}
          </Part>
          <Part title={t('Events')} count={data.events.count} to="events" appId={appId} installationId={installationId}>
            {data.events.results.map((event) => (
              <li key={event.objectId}>
                <Link
                  to="/apps/$appId/activity/events/$eventId"
                  params={{ appId, eventId: event.objectId }}
                  className={classes.what}
                >
                  {eventWords[event.event]} <BeaconName appId={appId} beaconId={event.beaconId.objectId} />
                </Link>
                <span className={classes.soft}>{times.dateTime(event.occurredAt)}</span>
              </li>
            ))}
          </Part>
          <Part
            title={t('Deliveries')}
            count={data.deliveries.count}
            to="deliveries"
            appId={appId}
            installationId={installationId}
          >
            {data.deliveries.results.map((delivery) => (
              <li key={delivery.objectId}>
                <Link
                  to="/apps/$appId/activity/deliveries/$deliveryId"
                  params={{ appId, deliveryId: delivery.objectId }}
                  className={classes.what}
                >
                  <Badge variant="light" color={deliveryColors[delivery.state]} tt="none">
                    {deliveryWords[delivery.state]}
                  </Badge>
                </Link>
                <span className={classes.soft}>{times.dateTime(delivery.createdAt)}</span>
              </li>
            ))}
          </Part>
        </div>
      )}
    </Block>
  );
}

interface PartProps extends Props {
  readonly title: string;
  readonly count: number | undefined;
  readonly to: 'visits' | 'events' | 'deliveries';
  readonly children: ReactNode;
}

function Part({ title, count = 0, to, appId, installationId, children }: PartProps) {
  return (
    <section aria-label={title}>
      <h3 className={classes.small}>
        <Link
          to={`/apps/$appId/activity/${to}`}
          params={{ appId }}
          search={{ visitor: installationId }}
          className={names.link}
        >
          {title} · {count.toLocaleString(pageLanguage())}
        </Link>
      </h3>
      <ul className={classes.lines}>{children}</ul>
    </section>
  );
}
