import { isTimeZone } from '@pharos/engine';
import { type Static, type TSchema, Type } from 'typebox';
import { purposes } from '../../../access/consent.ts';
import { type Problem, problemUnless } from '../../../base/errors.ts';
import { bigint, nullable, text as textColumn, withDefault } from '../../../db/table.ts';
import {
  type AnswerSpec,
  exampleCreated,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  recordStamps,
  timestampSchema,
} from '../../../http/answers.ts';
import { defineShape } from '../../../http/shape.ts';
import { defineResource } from '../../../resources/define.ts';
import { json, pointer, text, time } from '../../../resources/members/members.ts';
import { motionSchema } from '../../motion.ts';
import { metadataProblems } from '../../own-metadata.ts';
import { sensingExample, sensingProblems, sensingSchema } from './sensing/report.ts';

const decision = {
  granted: Type.Boolean(),
  textVersion: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Which text the visitor was shown; required with a grant',
    }),
  ),
};
const consentMeaning =
  'What the visitor has agreed to: messages (at places), analytics (visits, events and positions of this installation), ' +
  'identity (its link to an account)';
const consentsOf = <T extends TSchema>(each: T) =>
  Type.Optional(
    Type.Object(
      { messages: Type.Optional(each), analytics: Type.Optional(each), identity: Type.Optional(each) },
      { description: consentMeaning },
    ),
  );

const sentDecision = Type.Object({
  ...decision,
  erase: Type.Optional(
    Type.Boolean({ description: 'With a refusal of analytics: what was recorded of the installation goes too' }),
  ),
});
export type SentConsents = Static<ReturnType<typeof consentsOf<typeof sentDecision>>>;

const visible = {
  installationId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: "The client's own id of the installation" }),
  ),
  deviceType: Type.Enum(['ios', 'android', 'web', 'embedded']),
  deviceModel: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Such as Pixel 8: phones of one model hear beacons alike, which the engine learns',
    }),
  ),
  pushType: Type.Optional(Type.String({ maxLength: 64, description: 'How it is reached, such as fcm, apns, web' })),
  channels: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 200,
      description: 'What it has subscribed to',
    }),
  ),
  timeZone: Type.Optional(Type.String({ maxLength: 64, description: 'IANA time zone, such as Europe/Vienna' })),
  localeIdentifier: Type.Optional(Type.String({ maxLength: 64, description: 'Such as de-AT' })),
  appIdentifier: Type.Optional(Type.String({ maxLength: 255, description: 'Bundle or package name' })),
  appName: Type.Optional(Type.String({ maxLength: 255 })),
  appVersion: Type.Optional(Type.String({ maxLength: 64 })),
  userId: Type.Optional(pointerSchema('_User')),
  metadata: Type.Optional(Type.Object({}, { description: 'Any JSON object, at most 64 kB' })),
  sensing: Type.Optional(sensingSchema),
};

const installationSchema = Type.Object({
  ...visible,
  consents: consentsOf(sentDecision),
  // Longer values do not fit an index entry of PostgreSQL.
  deviceToken: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2000, description: 'The token of the push service; never returned' }),
  ),
});
export type Installation = Static<typeof installationSchema>;

const registrationSchema = Type.Object({
  ...installationSchema.properties,
  previousDeviceToken: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'The token that the phone sent before this one, as proof that it is the same phone',
    }),
  ),
});
export type Registration = Static<typeof registrationSchema>;

/** Some phones know only how far they are from UTC. */
const isZoneOfPhone = (zone: string) => isTimeZone(zone) || /^[+-]([01]\d|2[0-3]):[0-5]\d$/.test(zone);

const rules = {
  rules: ({ timeZone, deviceToken, metadata, consents, sensing }: Partial<Installation>) => [
    ...consentProblems(consents),
    ...problemUnless('timeZone', timeZone, isZoneOfPhone, 'must be an IANA time zone such as Europe/Vienna'),
    ...problemUnless('deviceToken', deviceToken, (text) => /^[\x20-\x7e]+$/.test(text), 'must be printable ASCII'),
    ...metadataProblems(metadata),
    ...sensingProblems(sensing),
  ],
};
export const installationShape = defineShape(installationSchema, rules);
export const registrationShape = defineShape(registrationSchema, rules);

function consentProblems(consents: SentConsents | undefined): Problem[] {
  return purposes.flatMap((purpose): Problem[] => {
    const { granted, textVersion, erase } = consents?.[purpose] ?? {};
    const field = (name: string) => `consents.${purpose}.${name}`;
    if (granted && textVersion === undefined)
      return [{ field: field('textVersion'), problem: 'is required where granted is true' }];
    if (erase && (granted || purpose !== 'analytics'))
      return [{ field: field('erase'), problem: 'goes only with a refusal of analytics' }];
    return [];
  });
}

export const installationExample = {
  installationId: 'c6f1a7e2-7d0b-4c55-9c37-0d6d6a1f2b90',
  deviceType: 'android',
  deviceModel: 'Pixel 8',
  deviceToken: 'fGx0c2VjcmV0LXRva2Vu',
  pushType: 'fcm',
  channels: ['news', 'hall-2'],
  timeZone: 'Europe/Vienna',
  localeIdentifier: 'de-AT',
  appIdentifier: 'org.example.museum',
  appName: 'Museum',
  appVersion: '2.4.1',
  userId: pointerExample('_User', otherExampleId),
  metadata: { favourite: 'kestrel' },
  sensing: sensingExample,
  consents: {
    messages: { granted: true, textVersion: '2026-10' },
    analytics: { granted: true, textVersion: '2026-10' },
  },
};

const { deviceToken: _hidden, consents: decided, ...exampleShown } = installationExample;
const exampleConsents = {
  messages: { ...decided.messages, at: exampleUpdated },
  analytics: { ...decided.analytics, at: exampleUpdated },
};

const installationRecord = {
  schema: Type.Object({
    objectId: objectIdSchema,
    ...visible,
    tokenAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Since when it has had its push token; absent without one' }),
    ),
    tokenDeadAt: Type.Optional(timestampSchema),
    consents: consentsOf(Type.Object({ ...decision, at: timestampSchema })),
    sensingAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'When it last reported how it can sense' }),
    ),
    motion: Type.Optional(motionSchema),
    motionAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Since when it has reported no other motion' }),
    ),
    tokenDeadReason: Type.Optional(
      Type.String({ description: 'Why the push service no longer accepts the token; registering again revives it' }),
    ),
    ...recordStamps,
  }),
  example: {
    objectId: exampleId,
    ...exampleShown,
    consents: exampleConsents,
    sensingAt: exampleUpdated,
    motion: 'walking',
    motionAt: exampleUpdated,
    tokenAt: exampleCreated,
    createdAt: exampleCreated,
    updatedAt: exampleUpdated,
  },
};

/** Registering a known installation changes it. */
export const knownAnswer: AnswerSpec = {
  status: 200,
  description: 'It was already registered and is updated.',
  schema: Type.Object({
    result: Type.Object({ createdAt: timestampSchema, objectId: objectIdSchema, updatedAt: timestampSchema }),
  }),
  example: { result: { createdAt: exampleCreated, objectId: exampleId, updatedAt: exampleUpdated } },
};

const optional = { optional: true } as const;

/** Members are what answers, lists and audiences may see: all but the token. */
export const installations = defineResource({
  owner: 'installations',
  table: 'installations',
  noun: ['installation', 'installations'],
  className: '_Installation',
  tag: {
    name: 'Installations',
    description: 'The app on one phone, tablet or computer, which messages can reach.',
    place: 150,
    console: { read: 'installations.read', write: 'installations.write' },
    isPersonal: true,
    hides: {
      permission: 'installations.personal',
      members: ['installationId', 'userId', 'metadata', 'deviceToken', 'sensing', 'sensingAt', 'motion', 'motionAt'],
      // Times at which an app was started are those at which somebody was there.
      underPseudonyms: ['objectId', 'consents', 'tokenAt', 'tokenDeadAt', 'createdAt', 'updatedAt'],
    },
  },
  path: '/installations',
  record: installationRecord,
  members: {
    objectId: text('object_id'),
    installationId: text('installation_id', optional),
    deviceType: text('device_type'),
    deviceModel: text('device_model', optional),
    pushType: text('push_type', optional),
    channels: json('channels', { empty: '[]' }),
    timeZone: text('time_zone', optional),
    localeIdentifier: text('locale_identifier', optional),
    appIdentifier: text('app_identifier', optional),
    appName: text('app_name', optional),
    appVersion: text('app_version', optional),
    userId: pointer('user_id', '_User', optional),
    metadata: json('metadata', { empty: '{}' }),
    consents: json('consents', optional),
    sensing: json('sensing', optional),
    sensingAt: time('sensing_at', optional),
    motion: text('motion', optional),
    motionAt: time('motion_at', optional),
    tokenAt: time('token_at', optional),
    tokenDeadAt: time('token_dead_at', optional),
    tokenDeadReason: text('token_dead_reason', optional),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  },
  internal: {
    device_token: nullable(textColumn),
    advertised_key: nullable(textColumn),
    held_since: nullable(bigint),
    handed_over_at: nullable(bigint),
    unproven: withDefault(bigint),
    claim_user_id: nullable(textColumn),
    claim_token: nullable(textColumn),
    claim_since: nullable(bigint),
    secret_hash: nullable(textColumn),
    sensing_cause: nullable(textColumn),
  },
  indexes: {
    installations_client: { on: ['app_id', 'installation_id'], isUnique: true },
    installations_token: { on: ['app_id', 'device_token'], isUnique: true },
    installations_user: { on: ['app_id', 'user_id', 'object_id'] },
    installations_advertised: { on: ['app_id', 'advertised_key'] },
    installations_dead: { on: ['app_id', 'token_dead_reason', 'object_id'], isPartial: true },
    installations_sensing: { on: ['app_id', 'sensing_at', 'sensing_cause', 'app_version'] },
    installations_claim: { on: ['app_id', 'claim_user_id'], isPartial: true },
  },
  users: ['user_id', 'claim_user_id'],
  erased: 'unname',
  secrets: ['device_token', 'claim_token', 'secret_hash'],
  rules: 'installations',
});
