import type { Body, Notification, PharosProblem } from '@pharos/sdk';
import {
  type EffectFields,
  effectFields,
  effectLabels,
  effectMembers,
  effectNames,
  effectProblems,
} from '../../components/message/effects.ts';
import { type Rules, rulesOrNull } from '../../components/rules/rules.ts';
import {
  cleanTranslations,
  type TranslatedField,
  type Translations,
  translationProblems,
} from '../../lib/text/languages.ts';
import { t } from '../../lib/words/words.ts';

/** The values of the form. */
export interface NotificationFields extends EffectFields {
  readonly description: string;
  readonly beaconId: string;
  readonly event: Notification['event'];
  readonly type: Notification['type'];
  readonly 'message.alertTitle': string;
  readonly 'message.alertMessage': string;
  readonly 'message.url': string;
  readonly isEnabled: boolean;
  readonly delivery: Rules;
  readonly language: string;
  readonly translations: Translations;
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
  ...effectNames,
  'language',
  'translations',
  'translations.',
] as const;

/** The fields in words. */
export const notificationLabels: Readonly<Record<keyof NotificationFields, string>> = {
  description: t('Name'),
  beaconId: t('Beacon'),
  event: 'A visitor',
  type: t('Type'),
  'message.alertTitle': t('Title'),
  'message.alertMessage': t('Text'),
  'message.url': t('Picture or video'),
  isEnabled: t('On'),
  delivery: t('How often it is shown'),
  ...effectLabels,
  language: t('Language'),
  translations: t('Other languages'),
};

/** What a translation may replace. */
export const translatedFields = (type: Notification['type']): readonly TranslatedField[] => [
  { name: 'alertTitle', label: t('Title'), kind: 'line' },
  { name: 'alertMessage', label: t('Text'), kind: 'text' },
  ...(type === 'TEXT'
    ? []
    : [{ name: 'url', label: type === 'IMAGE' ? t('Picture') : t('Video'), kind: 'address' } as const]),
];

const translatedNames = translatedFields('IMAGE').map(({ name }) => name);

export const typeTexts = {
  TEXT: { label: t('Text'), kind: undefined },
  IMAGE: { label: t('Picture'), kind: 'picture' },
  VIDEO: { label: t('Video'), kind: 'video' },
} as const satisfies Record<
  Notification['type'],
  { readonly label: string; readonly kind: 'picture' | 'video' | undefined }
>;

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
    ...effectFields(notification),
    language: notification?.language ?? '',
    translations: notification?.translations ?? {},
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
    ...(fields.description.trim() === '' ? [{ field: 'description', problem: t('fill this in') }] : []),
    ...(fields.beaconId === '' ? [{ field: 'beaconId', problem: t('choose a beacon') }] : []),
    ...(fields.type === 'TEXT' && fields.isEnabled && isWordless
      ? [{ field: 'message.alertTitle', problem: t('write a title or a text; to keep a draft, switch it off') }]
      : []),
    ...effectProblems(fields),
    ...translationProblems(fields.translations, translatedNames),
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
    ...effectMembers(fields, known === undefined),
    language: fields.language || (known ? null : undefined),
    translations: cleanTranslations(fields.translations, translatedNames) ?? (known ? null : undefined),
  };
  return body as unknown as Body<'createNotification'>;
}
