import { Alert, Group } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { Block } from '../../components/page/block.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import names from '../../components/page/names.module.css';
import { TriggerLink, VisitorLink } from '../../components/page/names.tsx';
import { RecordPage } from '../../components/page/record-page.tsx';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { deliveryColors, senderName } from '../../lib/text/delivery-words.ts';
import { useTimes } from '../../lib/time/times.ts';
import classes from './activity.module.css';
import { deliverySentence, deliveryWord, type ListedDelivery } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity/deliveries/$deliveryId');

const deliveryQuery = (appId: string, deliveryId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getDelivery', deliveryId),
    queryFn: async ({ signal }) =>
      (await dataOf(appId).call('getDelivery', { params: { objectId: deliveryId }, signal })).result,
  });

/** The outcome of one message for one visitor. */
export function DeliveryPage() {
  const { appId, deliveryId } = route.useParams();
  const query = useQuery(deliveryQuery(appId, deliveryId));
  return (
    <RecordPage
      query={query}
      title={(delivery) => (delivery ? `Delivery: ${deliveryWord(delivery).toLowerCase()}` : 'Delivery')}
      all={{ label: 'All deliveries', to: '/apps/$appId/activity/deliveries', params: { appId } }}
    >
      {(delivery) => (
        <>
          <Found appId={appId} delivery={delivery} />
          <Group justify="flex-end" mt="xs">
            <ShowRequest appId={appId} request={{ operation: 'getDelivery', params: { objectId: deliveryId } }} />
          </Group>
        </>
      )}
    </RecordPage>
  );
}

function Found({ appId, delivery }: { readonly appId: string; readonly delivery: ListedDelivery }) {
  const times = useTimes(appId);
  const { state, reason, sender, attempts, eventId, pushId, triggerId } = delivery;
  const steps = [
    { label: 'Requested', at: delivery.createdAt },
    { label: 'Sent', at: delivery.sentAt },
    { label: 'Received', at: delivery.receivedAt },
    { label: 'Opened', at: delivery.openedAt },
    { label: state === 'sent' ? 'Valid until' : 'To be sent by', at: delivery.expiresAt },
  ];
  return (
    <>
      <Alert color={deliveryColors[state]} variant="light" mb="lg">
        {deliverySentence(delivery)}
        {reason && ` ${reason}`}
      </Alert>
      <Block title="Progress" about={`Times are in ${times.zone}.`}>
        <ul className={classes.way}>
          {steps.map(({ label, at }) => (
            <li key={label}>
              <span>{label}</span>
              <span>{at ? times.dateTime(at) : 'unknown'}</span>
            </li>
          ))}
        </ul>
      </Block>
      <Block title="Facts">
        <Facts>
          <Fact label="Visitor">
            <VisitorLink appId={appId} installationId={delivery.installationId.objectId} />
          </Fact>
          {eventId && (
            <Fact label="Caused by">
              <Link to="/apps/$appId/activity/events/$eventId" params={{ appId, eventId }} className={names.link}>
                an event at a beacon
              </Link>
            </Fact>
          )}
          {triggerId && (
            <Fact label="Message">
              <TriggerLink appId={appId} triggerId={triggerId} />
            </Fact>
          )}
          {pushId && (
            <Fact label="Part of">
              <Link
                to="/apps/$appId/activity/deliveries"
                params={{ appId }}
                search={{ where: { pushId } }}
                className={names.link}
              >
                a push to many
              </Link>
            </Fact>
          )}
          <Fact label="Push service">{sender ? senderName(sender) : 'none'}</Fact>
          <Fact label="Attempts">{attempts}</Fact>
          <Fact label="objectId" isWide>
            <span className="mono">{delivery.objectId}</span>
            <CopyButton text={delivery.objectId} label="objectId" />
          </Fact>
        </Facts>
      </Block>
    </>
  );
}
