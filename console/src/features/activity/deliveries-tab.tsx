import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { TriggerName, VisitorId } from '../../components/page/names.tsx';
import { deliveryColors, deliveryWords, senderName } from '../../lib/text/delivery-words.ts';
import type { Times } from '../../lib/time/times.ts';
import { type ActivityTab, optionsOf, timeText, visitorFilter } from './activity-tab.ts';
import { deliveryWord, type ListedDelivery } from './words.ts';

const stateOptions = optionsOf(deliveryWords);
const senderOptions = ['fcm', 'apns', 'webpush', 'webhook', 'mqtt'].map((value) => ({
  value,
  label: senderName(value),
}));

export const deliveriesTab = (appId: string, times: Times): ActivityTab<'listDeliveries'> => ({
  narrowing: { time: 'createdAt', kind: 'state', hasBeacon: false },
  kinds: { label: 'All states', options: stateOptions },
  list: {
    operation: 'listDeliveries',
    plural: 'deliveries',
    defaultOrder: '-objectId',
    csv: {
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
      rows: (deliveries) =>
        deliveries.map((one) => [
          one.createdAt,
          one.state,
          one.reason ?? '',
          one.sender ?? '',
          String(one.attempts),
          one.sentAt ?? '',
          one.receivedAt ?? '',
          one.openedAt ?? '',
          one.installationId.objectId,
          one.pushId ?? '',
          one.triggerId ?? '',
          one.eventId ?? '',
          one.objectId,
        ]),
    },
    columns: [
      {
        name: 'state',
        label: 'Outcome',
        render: (delivery: ListedDelivery) => (
          <Link to="/apps/$appId/activity/deliveries/$deliveryId" params={{ appId, deliveryId: delivery.objectId }}>
            <Badge variant="light" color={deliveryColors[delivery.state]} tt="none">
              {deliveryWord(delivery)}
            </Badge>
          </Link>
        ),
      },
      {
        name: 'createdAt',
        label: 'When',
        sortBy: 'objectId',
        isTime: true,
        render: (one) => timeText(times, one.createdAt),
      },
      {
        name: 'origin',
        label: 'Message',
        render: ({ pushId, triggerId }) =>
          pushId || !triggerId ? 'a push' : <TriggerName appId={appId} triggerId={triggerId} />,
      },
      { name: 'reason', label: 'Reason', isDeskOnly: true, render: ({ reason }) => reason ?? '' },
      { name: 'visitor', label: 'Visitor', render: (one) => <VisitorId objectId={one.installationId.objectId} /> },
    ],
    filters: [
      { name: 'state', label: 'State', kind: 'choice', choices: stateOptions },
      { name: 'reason', label: 'Reason', kind: 'text' },
      { name: 'sender', label: 'Push service', kind: 'choice', choices: senderOptions },
      visitorFilter,
      { name: 'triggerId', label: 'Notification or scenario', kind: 'text' },
      { name: 'eventId', label: 'Event', kind: 'text' },
      { name: 'pushId', label: 'Push', kind: 'text' },
      { name: 'createdAt', label: 'When', kind: 'date' },
      { name: 'openedAt', label: 'Opened', kind: 'date' },
    ],
  },
});
