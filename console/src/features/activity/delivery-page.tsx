import { Alert } from '@mantine/core';
import { operations } from '@pharos/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { TextLink, TriggerLink, VisitorLink } from '../../components/names/names.tsx';
import { Block, TechnicalDetails } from '../../components/page/blocks.tsx';
import { Fact, Facts, IdFact } from '../../components/page/facts.tsx';
import { RecordPage } from '../../components/page/page-header.tsx';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { deliveryColors, senderName } from '../../lib/text/event-words.ts';
import { languageName } from '../../lib/text/languages.ts';
import { useTimes } from '../../lib/time/times.ts';
import { inSentence, t, translated } from '../../lib/words/words.ts';
import classes from './activity.module.css';
import { deliverySentence, deliveryWord, type ListedDelivery } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity/deliveries/$deliveryId');

const deliveryQuery = (appId: string, deliveryId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getDelivery', deliveryId),
    queryFn: async ({ signal }) =>
      (await dataOf(appId).call(operations.getDelivery, { params: { objectId: deliveryId }, signal })).result,
  });

/** The outcome of one message for one visitor. */
export function DeliveryPage() {
  const { appId, deliveryId } = route.useParams();
  const query = useQuery(deliveryQuery(appId, deliveryId));
  return (
    <RecordPage
      query={query}
      title={(delivery) =>
        delivery ? t('Delivery: {outcome}', { outcome: inSentence(deliveryWord(delivery)) }) : t('Delivery')
      }
      all={{ label: t('Log'), to: '/apps/$appId/activity', params: { appId } }}
    >
      {(delivery) => <Found appId={appId} delivery={delivery} />}
    </RecordPage>
  );
}

function Found({ appId, delivery }: { readonly appId: string; readonly delivery: ListedDelivery }) {
  const times = useTimes(appId);
  const { state, reason, sender, attempts, eventId, pushId, triggerId } = delivery;
  const sent = [
    { label: t('Sent'), at: delivery.sentAt },
    { label: t('Received'), at: delivery.receivedAt },
    { label: t('Opened'), at: delivery.openedAt },
  ];
  const steps = [
    { label: t('Requested'), at: delivery.createdAt },
    // A delivery that was not sent cannot have been received or opened.
    ...sent.filter(({ at }) => at || state === 'sent'),
    { label: state === 'sent' ? t('Valid until') : t('To be sent by'), at: delivery.expiresAt },
  ];
  return (
    <>
      <Alert color={deliveryColors[state]} mb="lg">
        {deliverySentence(delivery)}
        {reason && ` ${translated(reason)}`}
      </Alert>
      <Block title={t('Progress')} about={t('Times are in {zone}.', { zone: times.zone })}>
        <ul className={`bare ${classes.way}`}>
          {steps.map(({ label, at }) => (
            <li key={label}>
              <span>{label}</span>
              <span>{at ? times.dateTime(at) : t('unknown')}</span>
            </li>
          ))}
        </ul>
      </Block>
      <Block title={t('Facts')}>
        <Facts>
          <Fact label={t('Visitor')}>
            {delivery.installationId ? (
              <VisitorLink appId={appId} installationId={delivery.installationId.objectId} />
            ) : (
              t('not told')
            )}
          </Fact>
          {delivery.language && <Fact label={t('Language')}>{languageName(delivery.language)}</Fact>}
          {eventId && (
            <Fact label={t('Caused by')}>
              <TextLink to="/apps/$appId/activity/events/$eventId" params={{ appId, eventId }}>
                {t('an event at a beacon')}
              </TextLink>
            </Fact>
          )}
          {triggerId && (
            <Fact label={t('Message')}>
              <TriggerLink appId={appId} triggerId={triggerId} />
            </Fact>
          )}
          {pushId && (
            <Fact label={t('Part of')}>
              <TextLink
                to="/apps/$appId/activity"
                params={{ appId }}
                search={{ list: 'deliveries', where: { pushId } }}
              >
                {t('a push to many')}
              </TextLink>
            </Fact>
          )}
          <Fact label={t('Push service')}>{sender ? senderName(sender) : t('none')}</Fact>
        </Facts>
        <TechnicalDetails>
          <Facts>
            <Fact label={t('Attempts')}>{attempts}</Fact>
            <IdFact>{delivery.objectId}</IdFact>
          </Facts>
          <div>
            <ShowRequest
              appId={appId}
              request={{ operation: 'getDelivery', params: { objectId: delivery.objectId } }}
            />
          </div>
        </TechnicalDetails>
      </Block>
    </>
  );
}
