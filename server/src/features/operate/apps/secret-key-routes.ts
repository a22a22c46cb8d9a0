import { Type } from 'typebox';
import { scopeVerbs } from '../../../access/keys/scopes.ts';
import { verbs } from '../../../access/rules/rule-types.ts';
import {
  createdRecordAnswer,
  deletedAnswer,
  listAnswer,
  objectIdSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import type { NewSecretKey, SecretKeyService } from './secret-keys.ts';

const scopeSchema = Type.Object({
  resource: Type.Enum(Object.keys(scopeVerbs).sort(), { description: 'What the key deals with' }),
  verbs: Type.Array(Type.Enum([...verbs]), { minItems: 1, description: 'What it may do there' }),
  buckets: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, description: 'Of records: in these buckets alone; in all without it' }),
  ),
  venues: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: 'Of what belongs to venues: these alone, by objectId; all without it. Not for listen',
    }),
  ),
  gateways: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: 'Of sightings: what these gateways have heard alone; everything, phones included, without it',
    }),
  ),
});
const members = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Who uses it; it is in the log and the audit' }),
  scopes: Type.Array(scopeSchema, { minItems: 1, maxItems: 100 }),
  networks: Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: 50,
    description: 'From where it may be used, such as 192.0.2.0/24 or 2001:db8::/32; from everywhere if there are none',
  }),
};
const example = {
  name: 'Gateway in the hall',
  scopes: [{ resource: 'sightings', verbs: ['create'] }],
  networks: ['192.0.2.0/24'],
};
const newKeyShape = defineShape(
  Type.Object({
    name: members.name,
    // Checked by the service, which says what is wrong with each.
    scopes: Type.Array(Type.Object({}, { additionalProperties: true })),
    networks: Type.Optional(members.networks),
    expiresAt: Type.Optional(Type.String({ maxLength: 64 })),
  }),
);
const documentedBody = Type.Object({
  name: members.name,
  scopes: members.scopes,
  networks: Type.Optional(members.networks),
  expiresAt: Type.Optional(timestampSchema),
});

const orNull = <S extends ReturnType<typeof Type.String>>(schema: S) => Type.Union([schema, Type.Null()]);
const keySchema = Type.Object({
  keyId: objectIdSchema,
  ...members,
  hint: Type.String({ description: 'The last characters of the key' }),
  expiresAt: orNull(timestampSchema),
  lastUsedAt: orNull(timestampSchema),
  lastUsedFrom: orNull(Type.String({ description: 'The address; like the time noted once an hour' })),
  createdBy: Type.String(),
  createdAt: timestampSchema,
});
export function secretKeyConsoleEndpoints(service: SecretKeyService): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/secret-keys',
      operationId: 'listSecretKeys',
      summary: 'List the secret keys of an app',
      description: 'Those that are not revoked, newest first; expired ones too.',
      permission: 'keys.read',
      answer: listAnswer(keySchema),
      handle: async ({ params: { appId = '' } }) => ({ results: await service.list(appId) }),
    }),
    consoleEndpoint<NewSecretKey>({
      method: 'POST',
      path: '/apps/:appId/secret-keys',
      operationId: 'createSecretKey',
      summary: 'Make a secret key; it is shown once',
      permission: 'keys.write',
      needsConfirmation: true,
      body: { schema: documentedBody, example, read: (body) => newKeyShape.readCreate(body) },
      answer: createdRecordAnswer(
        Type.Object({
          appId: objectIdSchema,
          secretKey: Type.String({ description: 'Shown only here; sent as X-Service-AppKey' }),
          key: keySchema,
        }),
      ),
      handle: async ({ params: { appId = '' }, body, by }) => ({ result: await service.create(appId, body, by) }),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/apps/:appId/secret-keys/:keyId',
      operationId: 'revokeSecretKey',
      summary: 'Refuse a secret key from now on',
      permission: 'keys.write',
      needsConfirmation: true,
      answer: deletedAnswer,
      handle: ({ params: { appId = '', keyId = '' }, by }) => service.revoke(appId, keyId, by),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/apps/:appId/secret-keys/:keyId/restore',
      operationId: 'restoreSecretKey',
      summary: 'Make a secret key valid again that was revoked within the last hour',
      permission: 'keys.write',
      needsConfirmation: true,
      answer: deletedAnswer,
      handle: ({ params: { appId = '', keyId = '' }, by }) => service.restore(appId, keyId, by),
    }),
  ];
}
