import type { Body, Notification, PharosProblem } from '@pharos/sdk';
import { type Rules, rulesOrNull } from '../../components/rules/rules.ts';

/** The values of the form. */
export interface NotificationFields {
  readonly description: string;
  readonly beaconId: string;
  readonly event: Notification['event'];
  readonly type: Notification['type'];
  readonly 'message.alertTitle': string;
  readonly 'message.alertMessage': string;
  readonly 'message.url': string;
  readonly isEnabled: boolean;
  readonly delivery: Rules;
}

export const notificationFieldNames = [
  'description',
  'beaconId',
  'event',
  'type',
  'message.alertTitle',
  'message.alertMessage',
  'message.url',
  'delivery.',
] as const;

/** The fields in words. */
export const notificationLabels: Readonly<Record<keyof NotificationFields, string>> = {
  description: 'Name',
  beaconId: 'Beacon',
  event: 'A visitor',
  type: 'Type',
  'message.alertTitle': 'Title',
  'message.alertMessage': 'Text',
  'message.url': 'Picture or video',
  isEnabled: 'On',
  delivery: 'How often it is shown',
};

export const typeTexts = {
  TEXT: { label: 'Text', kind: '' },
  IMAGE: { label: 'Picture', kind: 'the picture' },
  VIDEO: { label: 'Video', kind: 'the video' },
} as const satisfies Record<Notification['type'], { readonly label: string; readonly kind: string }>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export function notificationFields(notification?: Notification): NotificationFields {
  const message = notification?.message ?? {};
  return {
    description: notification?.description ?? '',
    beaconId: notification?.beaconId.objectId ?? '',
    event: notification?.event ?? 'ENTER',
    type: notification?.type ?? 'TEXT',
    'message.alertTitle': text(message['alertTitle']),
    'message.alertMessage': text(message['alertMessage']),
    'message.url': text(message['url']),
    isEnabled: notification?.isEnabled ?? true,
    delivery: notification?.delivery ?? {},
  };
}

/** What visitors read first; empty for a message without words. */
export function notificationTitle({ message }: Pick<Notification, 'message'>): string {
  return text(message['alertTitle']) || text(message['alertMessage']);
}

/** What is missing, found before the service is asked. A text without words can only be kept as a draft, switched off. */
export function notificationProblems(fields: NotificationFields): readonly PharosProblem[] {
  const isWordless = fields['message.alertTitle'].trim() === '' && fields['message.alertMessage'].trim() === '';
  return [
    ...(fields.description.trim() === '' ? [{ field: 'description', problem: 'fill this in' }] : []),
    ...(fields.beaconId === '' ? [{ field: 'beaconId', problem: 'choose a beacon' }] : []),
    ...(fields.type === 'TEXT' && fields.isEnabled && isWordless
      ? [{ field: 'message.alertTitle', problem: 'write a title or a text; to keep a draft, switch it off' }]
      : []),
  ];
}

/** Members of the message that the form does not have are kept. */
export function notificationBody(fields: NotificationFields, known?: Notification): Body<'createNotification'> {
  const url = fields['message.url'].trim();
  const message = {
    ...known?.message,
    alertTitle: fields['message.alertTitle'],
    alertMessage: fields['message.alertMessage'],
    url: fields.type === 'TEXT' ? undefined : url,
  };
  const body = {
    description: fields.description.trim(),
    beaconId: { __type: 'Pointer', className: 'Beacon', objectId: fields.beaconId },
    event: fields.event,
    type: fields.type,
    message,
    isEnabled: fields.isEnabled,
    // In a new notification there is nothing to clear with null.
    delivery: known ? rulesOrNull(fields.delivery) : (rulesOrNull(fields.delivery) ?? undefined),
  };
  return body as unknown as Body<'createNotification'>;
}
