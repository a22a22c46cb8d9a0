import { Badge, Box, Text } from '@mantine/core';
import { operations } from '@pharos/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { BeaconLink, BeaconName, TextLink, TriggerLink, VisitorLink } from '../../components/names/names.tsx';
import { Block, Folded, TechnicalDetails } from '../../components/page/blocks.tsx';
import { Fact, Facts, IdFact, TimeFact } from '../../components/page/facts.tsx';
import { RecordPage } from '../../components/page/page-header.tsx';
import { type Operation, useMayCall } from '../../lib/data/access.ts';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { eventWords, verdictReason } from '../../lib/text/event-words.ts';
import { useTimes } from '../../lib/time/times.ts';
import { inSentence, rich, t, tenths, translated } from '../../lib/words/words.ts';
import classes from './activity.module.css';
import {
  causeWords,
  deliverySentence,
  deliveryWord,
  type JudgedEvent,
  type ListedDelivery,
  messageKinds,
  outcomeColors,
  outcomeWords,
  type Verdict,
} from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity/events/$eventId');

const eventQuery = (appId: string, eventId: string, mayCall: (operation: Operation) => boolean) =>
  queryOptions({
    queryKey: dataKey(appId, 'getEvent', eventId),
    queryFn: async ({ signal }) => {
      const { call } = dataOf(appId);
      const event = (await call(operations.getEvent, { params: { objectId: eventId }, signal })).result;
      // Deliveries belong to no venue: whoever is limited to some sees the event without them.
      const ids = mayCall('listDeliveries') ? event.verdicts.flatMap(({ deliveryId }) => deliveryId ?? []) : [];
      const found =
        ids.length === 0
          ? []
          : (
              await call(operations.listDeliveries, {
                query: { where: { objectId: { $in: ids } }, limit: ids.length },
                signal,
              })
            ).results;
      return { event, deliveries: new Map(found.map((delivery) => [delivery.objectId, delivery])) };
    },
  });

/** One event, with the messages that it caused and the ones it did not. */
export function EventPage() {
  const { appId, eventId } = route.useParams();
  const query = useQuery(eventQuery(appId, eventId, useMayCall()));
  return (
    <RecordPage
      query={query}
      title={(data) =>
        data ? (
          <>
            {eventWords[data.event.event]} <BeaconName appId={appId} beaconId={data.event.beaconId.objectId} />
          </>
        ) : (
          t('Event')
        )
      }
      all={{ label: t('Log'), to: '/apps/$appId/activity', params: { appId } }}
    >
      {({ event, deliveries }) => (
        <>
          <Why appId={appId} event={event} deliveries={deliveries} />
          <EventFacts appId={appId} event={event} />
          <Rivals appId={appId} event={event} />
        </>
      )}
    </RecordPage>
  );
}

interface WhyProps {
  readonly appId: string;
  readonly event: JudgedEvent;
  readonly deliveries: ReadonlyMap<string, ListedDelivery>;
}

/** Which beacons competed for the visitor, where a site is decided as a whole. */
function Rivals({ appId, event }: Pick<WhyProps, 'appId' | 'event'>) {
  const { rivals = [], beaconId: own } = event;
  if (rivals.length === 0) return null;
  return (
    <Folded title={t('Beacons that competed')}>
      <Text c="dimmed">
        {t(
          'The beacons that could have had the visitor at this moment, the nearest first. Metres are to the estimated position; how near somebody is to one beacon is decided by its own signal.',
        )}
      </Text>
      <ul className={`bare ${classes.verdicts}`} aria-label={t('Beacons that competed')}>
        {rivals.map(({ beaconId, distance, confidence }) => (
          <li key={beaconId.objectId}>
            <Badge color={beaconId.objectId === own.objectId ? 'blue' : 'gray'}>
              {confidence === undefined
                ? t('signal only')
                : t('{confidence} % sure', { confidence: Math.round(100 * confidence) })}
            </Badge>
            <Text>
              <BeaconLink appId={appId} beaconId={beaconId.objectId} />
              {t(', {distance} m from the estimated position', { distance: tenths(distance) })}
            </Text>
          </li>
        ))}
      </ul>
    </Folded>
  );
}

const rank: Readonly<Record<Verdict['outcome'], number>> = { fired: 0, pending: 1, stopped: 2 };

function Why({ appId, event, deliveries }: WhyProps) {
  const verdicts = event.verdicts.toSorted((a, b) => rank[a.outcome] - rank[b.outcome]);
  const fired = verdicts.filter(({ outcome }) => outcome === 'fired').length;
  const about = verdicts.length === 0 ? undefined : countText(fired, verdicts.length);
  return (
    <Block title={t('Why')} about={about}>
      {verdicts.length === 0 ? (
        <Text c="dimmed">
          {t('This beacon has no message, or an app recorded the event without asking for messages.')}
        </Text>
      ) : (
        <ul className={`bare ${classes.verdicts}`} aria-label={t('Messages that could have been shown')}>
          {verdicts.map((verdict) => (
            <VerdictLine
              key={verdict.objectId}
              appId={appId}
              verdict={verdict}
              delivery={deliveries.get(verdict.deliveryId ?? '')}
            />
          ))}
        </ul>
      )}
    </Block>
  );
}

function countText(fired: number, all: number): string {
  if (all === 1)
    return fired === 1 ? t('The message of this beacon was shown.') : t('The message of this beacon was not shown.');
  return t('{fired} of {all} messages of this beacon {fired, plural, one {was} other {were}} shown.', { fired, all });
}

interface LineProps {
  readonly appId: string;
  readonly verdict: Verdict;
  readonly delivery: ListedDelivery | undefined;
}

function VerdictLine({ appId, verdict, delivery }: LineProps) {
  const times = useTimes(appId);
  const { outcome, kind, triggerId, text, dueAt } = verdict;
  return (
    <li>
      <Badge color={outcomeColors[outcome]}>{outcomeWords[outcome]}</Badge>
      <div>
        <div className={classes.verdictHead}>
          <TriggerLink appId={appId} triggerId={triggerId} />
          <Box component="span" c="dimmed" fw={400} fz="0.88rem">
            {messageKinds[kind]}
          </Box>
        </div>
        {outcome !== 'fired' && (
          <Box component="p" mt="0.15rem" mb={0}>
            {verdictReason(text)}
          </Box>
        )}
        {outcome === 'pending' && dueAt && (
          <Box mt="0.35rem" mb={0} fz="0.9rem" c="dimmed">
            {t('To be decided at {dateTime}.', { dateTime: times.dateTime(dueAt) })}
          </Box>
        )}
        {delivery && (
          <Box component="p" mt="0.35rem" mb={0} fz="0.9rem" c="dimmed">
            {rich('Push: <link>{outcome}</link>. {reason}', {
              outcome: inSentence(deliveryWord(delivery)),
              link: (inner) => (
                <TextLink
                  to="/apps/$appId/activity/deliveries/$deliveryId"
                  params={{ appId, deliveryId: delivery.objectId }}
                >
                  {inner}
                </TextLink>
              ),
              reason: delivery.reason === undefined ? deliverySentence(delivery) : translated(delivery.reason),
            })}
          </Box>
        )}
      </div>
    </li>
  );
}

function EventFacts({ appId, event }: { readonly appId: string; readonly event: JudgedEvent }) {
  const times = useTimes(appId);
  return (
    <Block title={t('What happened')} about={t('Times are in {zone}.', { zone: times.zone })}>
      <Facts>
        <TimeFact label={t('When')}>{times.dateTime(event.occurredAt)}</TimeFact>
        <Fact label={t('Beacon')}>
          <BeaconLink appId={appId} beaconId={event.beaconId.objectId} />
        </Fact>
        <Fact label={t('Visitor')}>
          <VisitorLink appId={appId} installationId={event.installationId.objectId} />
        </Fact>
        <Fact label={t('Detected by')}>
          {causeWords[event.cause]}
          {event.inferred && <Badge color="yellow">{t('inferred')}</Badge>}
        </Fact>
        {event.distance !== undefined && (
          <Fact label={t('Distance')}>{t('{distance} m, estimated', { distance: tenths(event.distance) })}</Fact>
        )}
        <Fact label={t('Visit')}>
          <TextLink
            to="/apps/$appId/activity"
            params={{ appId }}
            search={{ list: 'events', where: { visitId: event.visitId } }}
          >
            {t('all events of the visit')}
          </TextLink>
        </Fact>
      </Facts>
      <TechnicalDetails>
        <Facts>
          <TimeFact label={t('Recorded')}>{times.dateTime(event.createdAt)}</TimeFact>
          <IdFact>{event.objectId}</IdFact>
        </Facts>
        <div>
          <ShowRequest appId={appId} request={{ operation: 'getEvent', params: { objectId: event.objectId } }} />
        </div>
      </TechnicalDetails>
    </Block>
  );
}
