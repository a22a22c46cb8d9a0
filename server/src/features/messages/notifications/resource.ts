import type { Translations } from '@pharos/engine/decide';
import { Type } from 'typebox';
import { deliveryRuleProblems, deliveryRulesSchema } from '../../../access/delivery-rules.ts';
import { experimentMembers, experimentProblems, type Variants } from '../../../access/experiment.ts';
import type { Problem } from '../../../base/errors.ts';
import { isWebAddress } from '../../../base/web-address.ts';
import { translatedMembers, translationProblems } from '../../../delivery/push/translations.ts';
import { madeRecord, otherExampleId, pointerExample, pointerSchema } from '../../../http/answers.ts';
import { defineShape } from '../../../http/shape.ts';
import { defineResource } from '../../../resources/define.ts';
import { boolean, json, madeMembers, number, pointer, text } from '../../../resources/members/members.ts';

const members = {
  description: Type.String({ minLength: 1, maxLength: 50, description: "The notification's name" }),
  beaconId: pointerSchema('Beacon'),
  event: Type.Enum(['ENTER', 'EXIT', 'IMMEDIATE', 'NEAR', 'FAR']),
  type: Type.Enum(['IMAGE', 'VIDEO', 'TEXT']),
  message: Type.Object({}, { description: 'TEXT: alertTitle and alertMessage; IMAGE and VIDEO: url (http or https)' }),
  isEnabled: Type.Boolean(),
  delivery: Type.Optional(deliveryRulesSchema),
  ...experimentMembers,
  ...translatedMembers(
    {
      alertTitle: Type.Optional(Type.String()),
      alertMessage: Type.Optional(Type.String()),
      url: Type.Optional(Type.String()),
    },
    'the message',
  ),
};

/** What `message` lacks for a notification of this type. */
export function messageProblems(type: string, message: Readonly<Record<string, unknown>>): Problem[] {
  if (type !== 'TEXT') {
    return isWebAddress(message['url'])
      ? []
      : [{ field: 'message.url', problem: `must be an http or https address for type ${type}` }];
  }
  return ['alertTitle', 'alertMessage']
    .filter((name) => typeof message[name] !== 'string')
    .map((name) => ({
      field: `message.${name}`,
      problem: message[name] === undefined ? 'is required for type TEXT' : 'must be a string',
    }));
}

/** A separate picture or video for a language. */
function urlProblems(translations: Translations = {}): Problem[] {
  return Object.entries(translations)
    .filter(([, { url }]) => url !== undefined && !isWebAddress(url))
    .map(([tag]) => ({ field: `translations.${tag}.url`, problem: 'must be an http or https address' }));
}

/** What variants lack for a notification of this type. */
export function variantProblems(
  type: string,
  message: Readonly<Record<string, unknown>>,
  variants: Variants | null | undefined,
): Problem[] {
  return (variants ?? []).flatMap((variant, index) =>
    messageProblems(type, { ...message, ...variant.message }).map(({ field, problem }) => ({
      field: `variants.${index}.${field}`,
      problem,
    })),
  );
}

const hasWords = ({ alertTitle, alertMessage }: Readonly<Record<string, unknown>>) =>
  [alertTitle, alertMessage].some((words) => typeof words === 'string' && words.trim() !== '');

/** A text without words is a draft: it cannot be switched on. */
export function draftProblems(type: string, message: Readonly<Record<string, unknown>>, isEnabled: boolean): Problem[] {
  if (type !== 'TEXT' || !isEnabled || hasWords(message)) return [];
  const problem = 'needs a title or a text, or the notification has to be off (isEnabled: false)';
  return [{ field: 'message.alertTitle', problem }];
}

const notificationShape = defineShape(Type.Object(members), {
  // With only one of the two given, the other is in the database: the store's check looks at both together.
  rules: ({ type, message, delivery, language, translations, ...experiment }) => [
    ...(type && message ? messageProblems(type, message as Record<string, unknown>) : []),
    ...deliveryRuleProblems('delivery', delivery),
    ...translationProblems({ language, translations }, ['alertTitle', 'alertMessage', 'url']),
    ...urlProblems(translations),
    ...experimentProblems(experiment),
  ],
});

export const notificationExample = {
  description: 'Welcome to the main hall',
  beaconId: pointerExample('Beacon', otherExampleId),
  event: 'ENTER',
  type: 'TEXT',
  message: { alertTitle: 'Welcome', alertMessage: 'The tour starts on your left.' },
  isEnabled: true,
};

const notificationRecord = madeRecord(members, notificationExample);

export const notifications = defineResource({
  owner: 'notifications',
  table: 'notifications',
  noun: ['notification', 'notifications'],
  tag: {
    name: 'Notifications',
    description: 'Text, image or video messages bound to a beacon and an event.',
    place: 20,
    console: { read: 'content.read', write: 'content.write', byVenue: true },
  },
  path: '/notifications',
  record: notificationRecord,
  body: { shape: notificationShape, example: notificationExample },
  members: {
    objectId: text('object_id'),
    description: text('description'),
    beaconId: pointer('beacon_id', 'Beacon'),
    event: text('event'),
    type: text('type'),
    message: json('message'),
    isEnabled: boolean('is_enabled'),
    delivery: json('delivery', { optional: true }),
    goal: json('goal', { optional: true }),
    holdout: number('holdout', { optional: true }),
    variants: json('variants', { optional: true }),
    language: text('language', { optional: true }),
    translations: json('translations', { optional: true }),
    ...madeMembers,
  },
  users: ['created_by'],
  indexes: {
    notifications_beacon: { on: ['app_id', 'beacon_id'], hasFew: true },
    notifications_created_by: { on: ['app_id', 'created_by', 'object_id'] },
  },
  rules: 'notifications',
  venue: { beacon: 'beacon_id' },
  defaultLimit: 1000,
});
