import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { MessageName, VisitorId } from '../../components/names/names.tsx';
import { deliveryColors, deliveryWords, senderName } from '../../lib/text/event-words.ts';
import type { Times } from '../../lib/time/times.ts';
import { t, translated } from '../../lib/words/words.ts';
import { type ActivityTab, optionsOf, visitorFilter, whenColumn } from './activity-tab.tsx';
import { deliveryWord, type ListedDelivery } from './words.ts';

const stateOptions = optionsOf(deliveryWords);
const senderOptions = ['fcm', 'apns', 'webpush', 'webhook', 'mqtt'].map((value) => ({
  value,
  label: senderName(value),
}));

const csv: ActivityTab<'listDeliveries'>['list']['csv'] = {
  header: [
    'createdAt',
    'state',
    'reason',
    'sender',
    'attempts',
    'sentAt',
    'receivedAt',
    'openedAt',
    'installationId',
    'pushId',
    'triggerId',
    'eventId',
    'objectId',
  ],
};

export const deliveriesTab = (appId: string, times: Times): ActivityTab<'listDeliveries'> => ({
  narrowing: { time: 'createdAt', kind: 'state', hasBeacon: false },
  kinds: { label: t('All states'), options: stateOptions },
  list: {
    operation: 'listDeliveries',
    plural: t('deliveries'),
    defaultOrder: '-objectId',
    csv,
    columns: [
      {
        name: 'state',
        label: t('Outcome'),
        render: (delivery: ListedDelivery) => (
          <Link to="/apps/$appId/activity/deliveries/$deliveryId" params={{ appId, deliveryId: delivery.objectId }}>
            <Badge color={deliveryColors[delivery.state]}>{deliveryWord(delivery)}</Badge>
          </Link>
        ),
      },
      whenColumn(times, 'createdAt', t('When')),
      {
        name: 'origin',
        label: t('Message'),
        render: (delivery) => <MessageName appId={appId} delivery={delivery} />,
      },
      { name: 'reason', label: t('Reason'), isDeskOnly: true, render: ({ reason }) => translated(reason ?? '') },
      {
        name: 'visitor',
        label: t('Visitor'),
        render: ({ installationId }) =>
          installationId ? <VisitorId objectId={installationId.objectId} /> : t('not told'),
      },
    ],
    filters: [
      { name: 'state', label: t('State'), kind: 'choice', choices: stateOptions },
      { name: 'reason', label: t('Reason'), kind: 'text' },
      { name: 'sender', label: t('Push service'), kind: 'choice', choices: senderOptions },
      visitorFilter,
      { name: 'triggerId', label: t('Message'), kind: 'text' },
      { name: 'eventId', label: t('Event'), kind: 'text' },
      { name: 'pushId', label: t('Push'), kind: 'text' },
      { name: 'createdAt', label: t('When'), kind: 'date' },
      { name: 'openedAt', label: t('Opened'), kind: 'date' },
    ],
  },
});
