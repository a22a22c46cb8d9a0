import { isObject } from '@pharos/query';
import { Type } from 'typebox';
import { policySchema } from '../../../access/policy.ts';
import { standingIn } from '../../../access/reach.ts';
import { presets } from '../../../access/rules/rule-types.ts';
import { fail } from '../../../base/errors.ts';
import {
  createdRecordAnswer,
  deletedAnswer,
  isoTime,
  listAnswer,
  objectIdSchema,
  recordAnswer,
  timestampSchema,
} from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import { type AppService, type AppView, appTag } from './service.ts';

const name = Type.String({ minLength: 1, maxLength: 100 });
const newAppShape = defineShape(
  Type.Object({
    name,
    preset: Type.Optional(
      Type.Enum([...presets], {
        description:
          'Who may read and write what, to begin with: as the specification describes (without it), or as an app for ' +
          'visitors wants it, whose content is for everyone and whose other records are for their owners',
      }),
    ),
  }),
);
const changeShape = defineShape(
  Type.Object({ name, disabled: Type.Boolean(), policy: Type.Object({}, { additionalProperties: true }) }),
);

function readInsteadOf(body: unknown): { readonly insteadOf?: string } {
  const insteadOf = isObject(body) ? body['insteadOf'] : undefined;
  if (insteadOf === undefined) return {};
  if (typeof insteadOf === 'string') return { insteadOf };
  const details = [{ field: 'insteadOf', problem: 'must be the id of a key' }];
  throw fail('ValidationError', { message: 'insteadOf must be the id of a key.', details });
}

const appSchema = Type.Object({
  appId: objectIdSchema,
  name,
  disabled: Type.Boolean(),
  policy: policySchema,
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});
const keySchema = Type.Object({
  keyId: objectIdSchema,
  hint: Type.String({ description: 'The last characters of the key' }),
  createdAt: timestampSchema,
  lastUsedAt: Type.Union([timestampSchema, Type.Null()]),
});
const credentials = {
  appId: objectIdSchema,
  keyId: objectIdSchema,
  appKey: Type.String({ description: 'Shown only here' }),
};
/** Somebody who may see an app need not see its keys. */
function withoutKeys({ keys: _, ...app }: AppView) {
  return app;
}

export function appConsoleEndpoints(apps: AppService): readonly ConsoleEndpoint[] {
  return [...collectionEndpoints(apps), ...appEndpoints(apps), ...keyEndpoints(apps)];
}

type Params = Readonly<Record<string, string>>;
const idOf = ({ params }: { readonly params: Params }) => params['appId'] ?? '';

function collectionEndpoints(apps: AppService): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps',
      operationId: 'listApps',
      summary: 'List apps',
      description: 'An administrator who is limited to some apps sees those.',
      permission: 'apps.read',
      narrows: 'apps',
      answer: listAnswer(appSchema),
      async handle({ admin }) {
        const own = signedIn(admin);
        const shown = (await apps.list()).filter(({ appId }) => standingIn(own, appId) !== undefined);
        return { results: shown.map(withoutKeys) };
      },
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/apps',
      operationId: 'createApp',
      summary: 'Create an app; its key is shown once',
      permission: 'apps.create',
      body: newAppShape.body({ name: 'Museum guide' }),
      answer: createdRecordAnswer(Type.Object(credentials)),
      handle: async ({ body, by }) => ({ result: await apps.create(body.name, by, body.preset) }),
    }),
  ];
}

function appEndpoints(apps: AppService): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId',
      operationId: 'getApp',
      summary: 'Read an app',
      permission: 'apps.read',
      narrows: 'venues',
      answer: recordAnswer(appSchema),
      handle: async (call) => ({ result: withoutKeys(await apps.get(idOf(call))) }),
      tagOf: ({ result }) => appTag(result),
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/apps/:appId',
      operationId: 'changeApp',
      summary: 'Rename an app, switch it off or on, or change its policy, limits and time zone',
      description: 'Members of `policy` that are not sent stay as they are.',
      permission: 'apps.change',
      body: {
        schema: Type.Partial(Type.Object({ name, disabled: Type.Boolean(), policy: Type.Partial(policySchema) })),
        example: { policy: { push: 'manager', timeZone: 'Europe/Vienna' } },
        read: (body) => changeShape.readUpdate(body).set,
      },
      answer: recordAnswer(appSchema),
      takesIfMatch: true,
      handle: async (call) => ({
        result: withoutKeys(await apps.change(idOf(call), call.body, call.by, call.assertUnchanged)),
      }),
      tagOf: ({ result }) => appTag(result),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/apps/:appId',
      operationId: 'deleteApp',
      summary: 'Delete an app with everything in it',
      permission: 'apps.delete',
      needsConfirmation: true,
      answer: deletedAnswer,
      handle: (call) => apps.remove(idOf(call), call.by),
    }),
  ];
}

function keyEndpoints(apps: AppService): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/keys',
      operationId: 'listKeys',
      summary: 'List the live keys of an app',
      permission: 'keys.read',
      answer: listAnswer(keySchema),
      handle: async (call) => ({ results: (await apps.get(idOf(call))).keys }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/apps/:appId/keys',
      operationId: 'rotateKey',
      summary: 'Add a key; with two live ones the older is switched off',
      permission: 'keys.write',
      needsConfirmation: true,
      answer: createdRecordAnswer(Type.Object({ ...credentials, disabledKeyIds: Type.Array(objectIdSchema) })),
      handle: async (call) => ({ result: await apps.keys.rotate(idOf(call), call.by) }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/apps/:appId/trial-keys',
      operationId: 'createTrialKey',
      summary: 'Make a key for a pretend phone, which is good for an hour',
      description: 'It opens what every app key does, and is in no list. At most 20 are good at a time.',
      permission: 'phones.pair',
      narrows: 'venues',
      answer: createdRecordAnswer(Type.Object({ appKey: Type.String(), expiresAt: timestampSchema })),
      async handle(call) {
        const { appKey, expiresAt } = await apps.keys.makeTrial(idOf(call), call.by);
        return { result: { appKey, expiresAt: isoTime(expiresAt) } };
      },
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/apps/:appId/keys/:keyId',
      operationId: 'disableKey',
      summary: 'Switch a key off at once',
      permission: 'keys.write',
      needsConfirmation: true,
      answer: deletedAnswer,
      handle: (call) => apps.keys.disable(idOf(call), call.params['keyId'] ?? '', call.by),
    }),
    consoleEndpoint<{ readonly insteadOf?: string }>({
      method: 'POST',
      path: '/apps/:appId/keys/:keyId/restore',
      operationId: 'restoreKey',
      summary: 'Switch a key on again that was switched off within the last hour',
      permission: 'keys.write',
      needsConfirmation: true,
      body: {
        schema: Type.Object({
          insteadOf: Type.Optional(Type.String({ description: 'A live key that is switched off for it' })),
        }),
        example: {},
        read: readInsteadOf,
      },
      answer: deletedAnswer,
      handle: (call) => apps.keys.restore(idOf(call), call.params['keyId'] ?? '', { ...call.body, by: call.by }),
    }),
  ];
}
