import { type Static, Type } from 'typebox';
import { bucketName } from '../../../access/keys/scopes.ts';
import { objectIdSchema, timestampSchema } from '../../../http/answers.ts';
import { defineShape } from '../../../http/shape.ts';
import { alertEventTypes, type DomainEventType, domainEventTypes, type liveEventTypes } from '../../domain-event.ts';
import { type RecordEventType, recordEventTypes } from '../../record-hooks.ts';

type Described = Exclude<DomainEventType, (typeof liveEventTypes)[number]> | RecordEventType;

export const webhookDescriptions: Readonly<Record<Described, string>> = {
  'presence.enter': 'a confirmed ENTER',
  'presence.exit': 'a confirmed EXIT',
  'presence.zone': 'a change of zone (IMMEDIATE, NEAR, FAR)',
  'place.enter': 'a phone has entered the region of a whole venue',
  'place.exit': 'it has left that region',
  'visit.opened': 'a visit has begun',
  'visit.closed': 'a visit is over',
  'visit.updated': 'late reports have corrected a visit: `change` is corrected, reopened, merged or removed',
  'message.fired': 'a notification or scenario was shown',
  'message.verdict': 'for each event and message: shown, or the rule that stopped it',
  'push.progress': 'a push has reached more recipients',
  'push.finished': 'every recipient of a push has a state',
  'occupancy.exceeded': 'there are more visitors in a zone or a venue than its `capacity`',
  'occupancy.cleared': 'there are few enough again',
  'record.creating': 'a record of a bucket is to be made: the answer allows, refuses or amends it',
  'record.updating': 'the same of one that is to be changed',
  'record.deleting': 'the same of one that is to be deleted, which cannot be amended',
  'alert.begun': 'something in this app needs a person',
  'alert.ended': 'it is over',
  'service.alert.begun': 'something of the whole service needs a person: disk, database, backups, certificates',
  'service.alert.ended': 'it is over',
};

/** The events that a webhook can have: all but the progress of a push. */
export const webhookEvents = [
  ...domainEventTypes.filter((type) => type !== 'push.progress'),
  ...recordEventTypes,
  ...alertEventTypes,
];

const members = {
  url: Type.String({ minLength: 1, maxLength: 2000, description: 'https, or http within your own network' }),
  events: Type.Array(Type.Enum(webhookEvents), {
    minItems: 1,
    maxItems: webhookEvents.length,
    uniqueItems: true,
    description: webhookEvents.map((type) => `${type}: ${webhookDescriptions[type]}`).join('; '),
  }),
  description: Type.String({ maxLength: 200 }),
  enabled: Type.Boolean(),
  buckets: Type.Array(Type.String({ pattern: bucketName.source }), {
    maxItems: 100,
    uniqueItems: true,
    description: 'About which it is asked before records change; empty: about all',
  }),
  withoutAnswer: Type.Enum(['refuse', 'allow'], {
    description: 'What becomes of the change of a record if no valid answer comes within 5 seconds',
  }),
};

const writable = Type.Object({
  url: members.url,
  events: members.events,
  description: Type.Optional(members.description),
  enabled: Type.Optional(members.enabled),
  buckets: Type.Optional(members.buckets),
  withoutAnswer: Type.Optional(members.withoutAnswer),
});
export type WebhookFields = Static<typeof writable>;
export const webhookShape = defineShape(writable);

export const webhookFieldsExample = {
  url: 'https://example.org/pharos',
  events: ['presence.enter', 'presence.exit'],
  description: 'Visitor counter',
};

export const webhookRecord = Type.Object({
  objectId: objectIdSchema,
  ...members,
  health: Type.Enum(['ok', 'retrying', 'behind', 'failing'], {
    description:
      'retrying: the last calls failed; behind: too many are waiting, and the oldest are given up; failing: all have failed for a day or longer',
  }),
  failingSince: Type.Union([timestampSchema, Type.Null()]),
  lastError: Type.Union([Type.String(), Type.Null()]),
  disabledReason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the service has switched it off, as a sentence',
  }),
  disabledBy: Type.Union([Type.Enum(['receiver', 'rights']), Type.Null()], {
    description:
      'receiver: it answered 410 Gone; rights: it was told of the whole service only, and whoever chose that is limited to some apps now',
  }),
  waiting: Type.Integer({ description: 'Calls waiting for their first or next try' }),
  givenUp: Type.Integer({
    description: 'Calls that were given up because too many were waiting; forgotten a week after the last of them',
  }),
  givenUpSince: Type.Union([timestampSchema, Type.Null()], { description: 'When the first of them was given up' }),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

const secret = Type.String({ description: 'Verifies the signatures. Shown only here' });
export const createdWebhook = Type.Object({ objectId: objectIdSchema, createdAt: timestampSchema, secret });
export const rotatedSecret = Type.Object({ secret, oldSecretUntil: timestampSchema });

const nullable = <T>(schema: T) => Type.Union([schema as ReturnType<typeof Type.String>, Type.Null()]);
const answer = nullable(Type.String({ description: 'The beginning of the answer' }));
const status = Type.Union([Type.Integer(), Type.Null()], { description: 'The HTTP status of the last answer' });

export const testResult = Type.Object({
  ok: Type.Boolean(),
  text: Type.String({ description: 'The answer of the receiver, or why it could not be called' }),
  status,
  answer,
  duration: Type.Number({ description: 'Seconds' }),
});

export const webhookDeliveryStates = ['queued', 'sent', 'failed', 'expired'] as const;

export const webhookDeliveryRecord = Type.Object({
  objectId: Type.String({ description: 'The header webhook-id' }),
  event: Type.String(),
  payload: Type.Object({}, { description: 'The body that is sent; before a record changes, without its document' }),
  state: Type.Enum(webhookDeliveryStates, {
    description: 'expired: 24 hours of tries were not enough; failed: the receiver refused it',
  }),
  attempts: Type.Integer(),
  status,
  answer,
  reason: nullable(Type.String({ description: 'The result of the last try' })),
  duration: Type.Union([Type.Number(), Type.Null()], { description: 'Seconds of the last try' }),
  nextTryAt: nullable(timestampSchema),
  expiresAt: timestampSchema,
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});
