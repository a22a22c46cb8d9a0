import { Badge, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import list from '../../components/list/list.module.css';
import { Row, RowList } from '../../components/list/row-list.tsx';
import { BeaconName, MessageName, TextLink, VisitorId } from '../../components/names/names.tsx';
import { EmptyState } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { PretendPhoneLink } from '../../components/page/pretend-phone-link.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { deliveryColors, eventWords } from '../../lib/text/event-words.ts';
import { showDuration, type Times, timeOfDay, useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import classes from './activity.module.css';
import { type LogEntry, logQuery } from './log.ts';
import { LogFilters, LogLists } from './log-filters.tsx';
import { deliveryWord } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity');

/** What visitors did at beacons and which messages were sent, as one list. */
export function Timeline() {
  const { appId } = route.useParams();
  const { range, beacon, visitor } = route.useSearch();
  const times = useTimes(appId);
  const hasDeliveries = useMayCall()('listDeliveries');
  const scope = { ...(range && { range }), ...(beacon && { beacon }), ...(visitor && { visitor }) };
  const log = useInfiniteQuery(logQuery(appId, scope, times.zone, hasDeliveries));
  return (
    <>
      <PageHeader title={t('Log')}>
        {t('Who came and left, and which messages were sent. Times are in {zone}.', { zone: times.zone })}
      </PageHeader>
      <div className={list.toolbar}>
        <LogLists />
        <LogFilters hasBeacon />
      </div>
      <RowList
        rows={log.data?.pages.flat().toSorted((a, b) => atOf(b).localeCompare(atOf(a)))}
        error={log.error}
        label={t('Log')}
        headingOf={(entry) => times.date(atOf(entry))}
        height={420}
        empty={
          Object.keys(scope).length > 0 ? (
            <Text size="md">{t('Nothing matches.')}</Text>
          ) : (
            <EmptyState
              icon="activity"
              title={t('Nothing has happened yet')}
              text={t('Events appear here as soon as an app reports that a visitor came near a beacon.')}
              action={<PretendPhoneLink appId={appId} />}
            />
          )
        }
        older={{ label: t('Show older'), ...log }}
      >
        {(entry) => <Entry key={entry.objectId} {...{ appId, entry, times }} />}
      </RowList>
    </>
  );
}

/** When it happened: what a phone has told late stands where it belongs. */
const atOf = ({ event, delivery }: LogEntry) => (event ? event.occurredAt : delivery.createdAt);

interface EntryProps {
  readonly appId: string;
  readonly entry: LogEntry;
  readonly times: Times;
}

const At = ({ zone, time }: { readonly zone: string; readonly time: string }) => (
  <time className={classes.at} dateTime={time}>
    {timeOfDay(zone, time)}
  </time>
);

function Entry({ appId, entry: { event, delivery }, times }: EntryProps) {
  if (event) {
    const { objectId, beaconId, installationId, occurredAt, enteredAt } = event;
    const stay =
      event.event === 'EXIT' && enteredAt ? (Date.parse(occurredAt) - Date.parse(enteredAt)) / 1000 : undefined;
    return (
      <Row
        title={
          <TextLink to="/apps/$appId/activity/events/$eventId" params={{ appId, eventId: objectId }}>
            {eventWords[event.event]} <BeaconName appId={appId} beaconId={beaconId.objectId} />
          </TextLink>
        }
        before={<At zone={times.zone} time={occurredAt} />}
        facts={[
          <VisitorId key="visitor" objectId={installationId.objectId} />,
          stay !== undefined && t('after {duration}', { duration: showDuration(stay) }),
        ]}
      />
    );
  }
  const { objectId, installationId, createdAt, state } = delivery;
  return (
    <Row
      title={
        <TextLink to="/apps/$appId/activity/deliveries/$deliveryId" params={{ appId, deliveryId: objectId }}>
          <MessageName appId={appId} delivery={delivery} />
        </TextLink>
      }
      before={<At zone={times.zone} time={createdAt} />}
      facts={[installationId && <VisitorId objectId={installationId.objectId} />]}
      tools={<Badge color={deliveryColors[state]}>{deliveryWord(delivery)}</Badge>}
    />
  );
}
