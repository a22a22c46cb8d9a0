import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { CsvColumns } from '../../components/export/csv-export.tsx';
import type { FilterField } from '../../components/list/filter-rows.ts';
import type { ListDefinition, Listed, ListOperation } from '../../components/list/record-list.tsx';
import { BeaconName, TriggerName, VisitorId } from '../../components/page/names.tsx';
import { beaconNames } from '../../lib/data/names.ts';
import { senderName } from '../../lib/text/delivery-words.ts';
import { eventWords } from '../../lib/text/event-words.ts';
import { showDuration, type Times } from '../../lib/time/times.ts';
import type { Narrowing } from './search.ts';
import {
  type ActivityEvent,
  causeWords,
  type Delivery,
  deliveryWord,
  endWords,
  eventLabels,
  type Log,
  stateColors,
  stateWords,
  type Visit,
} from './words.ts';

/** One tab of activity, as data. */
export interface ActivityTab<Id extends ListOperation> {
  readonly list: ListDefinition<Id>;
  readonly csv: CsvColumns<Listed<Id>>;
  readonly narrowing: Narrowing;
  readonly kinds: { readonly label: string; readonly options: readonly Option[] };
}

interface Option {
  readonly value: string;
  readonly label: string;
}

const optionsOf = (labels: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

const eventOptions = optionsOf(eventLabels);
const stateOptions = optionsOf(stateWords);
const senderOptions = ['fcm', 'apns', 'webpush', 'webhook', 'mqtt'].map((value) => ({
  value,
  label: senderName(value),
}));
const logEvents = [
  { value: 'ENTER', label: 'Enters' },
  { value: 'EXIT', label: 'Leaves' },
];
const moduleOptions = [
  { value: 'PRESENCE', label: 'Presence' },
  { value: 'STORYLINE', label: 'Storylines' },
];

const idFilter = { name: 'objectId', label: 'objectId', kind: 'text' } as const;
const beaconFilter = { name: 'beaconId', label: 'Beacon (objectId)', kind: 'pointer', className: 'Beacon' } as const;
const visitorFilter = {
  name: 'installationId',
  label: 'Installation (objectId)',
  kind: 'pointer',
  className: '_Installation',
} as const;

/** The names of the beacons of a page, for a file. */
async function named<T extends { readonly beaconId: { readonly objectId: string } }>(
  appId: string,
  records: readonly T[],
  cells: (record: T, beacon: string) => readonly string[],
) {
  const names = await beaconNames(
    appId,
    records.map(({ beaconId }) => beaconId.objectId),
  );
  return records.map((record) => cells(record, names.get(record.beaconId.objectId) ?? ''));
}

const when = (times: Times, iso: string | null | undefined) => (iso ? times.dateTime(iso) : '');

export const eventsTab = (appId: string, times: Times): ActivityTab<'listEvents'> => ({
  narrowing: { time: 'occurredAt', kind: 'event', hasBeacon: true },
  kinds: { label: 'All kinds', options: eventOptions },
  csv: {
    header: ['occurredAt', 'event', 'beacon', 'beaconId', 'installationId', 'visitId', 'cause', 'distance', 'objectId'],
    rows: (events) =>
      named(appId, events, (event, beacon) => [
        event.occurredAt,
        event.event,
        beacon,
        event.beaconId.objectId,
        event.installationId.objectId,
        event.visitId,
        event.cause,
        event.distance === undefined ? '' : String(event.distance),
        event.objectId,
      ]),
  },
  list: {
    operation: 'listEvents',
    plural: 'events',
    searchFields: [],
    searchHint: '',
    defaultOrder: '-objectId',
    columns: [
      {
        name: 'event',
        label: 'What happened',
        render: ({ objectId, event, beaconId }: ActivityEvent) => (
          <Link to="/apps/$appId/activity/events/$eventId" params={{ appId, eventId: objectId }}>
            {eventWords[event]} <BeaconName appId={appId} beaconId={beaconId.objectId} />
          </Link>
        ),
      },
      {
        name: 'occurredAt',
        label: 'When',
        sortBy: 'objectId',
        isTime: true,
        render: (event) => when(times, event.occurredAt),
      },
      { name: 'visitor', label: 'Visitor', render: (event) => <VisitorId objectId={event.installationId.objectId} /> },
      { name: 'cause', label: 'Noticed by', isDeskOnly: true, render: (event) => causeWords[event.cause] },
      {
        name: 'distance',
        label: 'Distance',
        sortBy: 'distance',
        isNumber: true,
        render: ({ distance }) => (distance === undefined ? '' : `${distance.toFixed(1)} m`),
      },
    ],
    filters: [
      { name: 'event', label: 'Event', kind: 'choice', choices: eventOptions },
      beaconFilter,
      visitorFilter,
      { name: 'occurredAt', label: 'When', kind: 'date' },
      { name: 'cause', label: 'Noticed by', kind: 'choice', choices: optionsOf(causeWords) },
      { name: 'inferred', label: 'Inferred', kind: 'boolean' },
      { name: 'distance', label: 'Distance in metres', kind: 'number' },
      { name: 'visitId', label: 'Visit', kind: 'text' },
      idFilter,
    ] satisfies readonly FilterField[],
  },
});

export const visitsTab = (appId: string, times: Times): ActivityTab<'listVisits'> => ({
  narrowing: { time: 'enteredAt', kind: 'source', hasBeacon: true },
  kinds: {
    label: 'However noticed',
    options: [
      { value: 'samples', label: 'By signals' },
      { value: 'device', label: 'By the phone' },
    ],
  },
  csv: {
    header: [
      'enteredAt',
      'leftAt',
      'dwellSeconds',
      'beacon',
      'beaconId',
      'installationId',
      'source',
      'endedBy',
      'inferred',
      'objectId',
    ],
    rows: (visits) =>
      named(appId, visits, (visit, beacon) => [
        visit.enteredAt,
        visit.leftAt ?? '',
        visit.dwell === null ? '' : String(visit.dwell),
        beacon,
        visit.beaconId.objectId,
        visit.installationId.objectId,
        visit.source,
        visit.endedBy ?? '',
        String(visit.inferred),
        visit.objectId,
      ]),
  },
  list: {
    operation: 'listVisits',
    plural: 'visits',
    searchFields: [],
    searchHint: '',
    defaultOrder: '-enteredAt',
    columns: [
      {
        name: 'beacon',
        label: 'Beacon',
        render: ({ objectId, beaconId }: Visit) => (
          <Link to="/apps/$appId/activity/events" params={{ appId }} search={{ where: { visitId: objectId } }}>
            <BeaconName appId={appId} beaconId={beaconId.objectId} />
          </Link>
        ),
      },
      {
        name: 'enteredAt',
        label: 'Entered',
        sortBy: 'enteredAt',
        isTime: true,
        render: (visit) => when(times, visit.enteredAt),
      },
      {
        name: 'dwell',
        label: 'Stayed',
        sortBy: 'dwell',
        render: ({ dwell }) =>
          dwell === null ? (
            <Badge variant="light" color="teal" tt="none">
              still here
            </Badge>
          ) : (
            showDuration(dwell)
          ),
      },
      { name: 'end', label: 'End', render: (visit) => (visit.isOpen ? '' : endWords(visit)) },
      { name: 'visitor', label: 'Visitor', render: (visit) => <VisitorId objectId={visit.installationId.objectId} /> },
    ],
    filters: [
      { name: 'isOpen', label: 'Still here', kind: 'boolean' },
      beaconFilter,
      visitorFilter,
      { name: 'enteredAt', label: 'Entered', kind: 'date' },
      { name: 'leftAt', label: 'Left', kind: 'date' },
      { name: 'dwell', label: 'Stayed (seconds)', kind: 'number' },
      { name: 'inferred', label: 'Inferred', kind: 'boolean' },
      { name: 'endedBy', label: 'Ended by', kind: 'choice', choices: optionsOf(causeWords) },
      idFilter,
    ] satisfies readonly FilterField[],
  },
});

export const deliveriesTab = (appId: string, times: Times): ActivityTab<'listDeliveries'> => ({
  narrowing: { time: 'createdAt', kind: 'state', hasBeacon: false },
  kinds: { label: 'All states', options: stateOptions },
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
    rows: async (deliveries) =>
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
  list: {
    operation: 'listDeliveries',
    plural: 'deliveries',
    searchFields: [],
    searchHint: '',
    defaultOrder: '-objectId',
    columns: [
      {
        name: 'state',
        label: 'What became of it',
        render: (delivery: Delivery) => (
          <Link to="/apps/$appId/activity/deliveries/$deliveryId" params={{ appId, deliveryId: delivery.objectId }}>
            <Badge variant="light" color={stateColors[delivery.state]} tt="none">
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
        render: (one) => when(times, one.createdAt),
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
    ] satisfies readonly FilterField[],
  },
});

export const logsTab = (appId: string, times: Times): ActivityTab<'listLogs'> => ({
  narrowing: { time: 'createdAt', kind: 'moduleType', hasBeacon: true },
  kinds: { label: 'Presence and storylines', options: moduleOptions },
  csv: {
    header: ['createdAt', 'event', 'beacon', 'beaconId', 'installationId', 'objectId'],
    rows: (logs) =>
      named(appId, logs, (log, beacon) => [
        log.createdAt,
        log.event,
        beacon,
        log.beaconId.objectId,
        log.installationId?.objectId ?? '',
        log.objectId,
      ]),
  },
  list: {
    operation: 'listLogs',
    plural: 'log records',
    searchFields: [],
    searchHint: '',
    defaultOrder: '-objectId',
    columns: [
      {
        name: 'event',
        label: 'What happened',
        render: ({ event, beaconId }: Log) => (
          <>
            {eventWords[event]} <BeaconName appId={appId} beaconId={beaconId.objectId} />
          </>
        ),
      },
      {
        name: 'createdAt',
        label: 'Recorded',
        sortBy: 'objectId',
        isTime: true,
        render: (log) => when(times, log.createdAt),
      },
      {
        name: 'visitor',
        label: 'Visitor',
        render: ({ installationId }) =>
          installationId ? <VisitorId objectId={installationId.objectId} /> : 'not told',
      },
    ],
    filters: [
      { name: 'event', label: 'Event', kind: 'choice', choices: logEvents },
      { name: 'moduleType', label: 'Kind', kind: 'choice', choices: moduleOptions },
      beaconFilter,
      visitorFilter,
      { name: 'createdAt', label: 'Recorded', kind: 'date' },
      idFilter,
    ] satisfies readonly FilterField[],
  },
});
