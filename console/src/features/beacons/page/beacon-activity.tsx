import { Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Block, Loading } from '../../../components/page/blocks.tsx';
import { eventWordsHere } from '../../../lib/text/event-words.ts';
import { showStay, useTimes } from '../../../lib/time/times.ts';
import { t, tenths } from '../../../lib/words/words.ts';
import classes from '../beacons.module.css';
import { activityQuery } from '../queries.ts';

function stayOf(visit: Parameters<typeof showStay>[0]): string {
  const duration = showStay(visit);
  return duration === null ? t('still here') : t('Stayed {duration}', { duration });
}

export function BeaconActivity({ appId, beaconId }: { readonly appId: string; readonly beaconId: string }) {
  const { data, error } = useQuery(activityQuery(appId, beaconId));
  const times = useTimes(appId);
  const isQuiet = data?.events.results.length === 0 && data.visits.results.length === 0;
  return (
    <Block
      title={t('Recent activity')}
      about={t('The latest events and visits. Times are in {zone}.', { zone: times.zone })}
    >
      <Loading data={data} error={error} height={220} />
      {isQuiet && (
        <Text c="dimmed">
          {t('No visitor has come near yet. Events appear here as soon as an app reports this beacon.')}
        </Text>
      )}
      {data && !isQuiet && (
        <div className={classes.activity}>
          <section aria-label={t('Events')}>
            <Box component="h3" mt={0} mb="0.4rem" fz="0.9rem">
              {t('Events · {count, number}', { count: data.events.count ?? 0 })}
            </Box>
            <ul className={`bare ${classes.lines}`}>
              {data.events.results.map((event) => (
                <li key={event.objectId}>
                  <Link
                    to="/apps/$appId/activity/events/$eventId"
                    params={{ appId, eventId: event.objectId }}
                    className={classes.what}
                  >
                    {eventWordsHere[event.event]}
                    {event.distance !== undefined && <span className="soft"> {tenths(event.distance)} m</span>}
                  </Link>
                  <span className="soft">{times.dateTime(event.occurredAt)}</span>
                </li>
              ))}
            </ul>
          </section>
          <section aria-label={t('Visits')}>
            <Box component="h3" mt={0} mb="0.4rem" fz="0.9rem">
              {t('Visits · {count, number}', { count: data.visits.count ?? 0 })}
            </Box>
            <ul className={`bare ${classes.lines}`}>
              {data.visits.results.map((visit) => (
                <li key={visit.objectId}>
                  <span className={classes.what}>{stayOf(visit)}</span>
                  <span className="soft">{times.dateTime(visit.enteredAt)}</span>
                </li>
              ))}
            </ul>
          </section>
        </div>
      )}
    </Block>
  );
}
