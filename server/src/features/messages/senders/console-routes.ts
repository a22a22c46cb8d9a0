import { isObject } from '@pharos/query';
import { Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import { pushSenderKinds } from '../../../delivery/push/push-sender.ts';
import { deletedAnswer, listAnswer, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleCall, type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import { type SenderService, type SenderView, senderTag } from './service.ts';

const senderSchema = Type.Object({
  kind: Type.Enum([...pushSenderKinds]),
  name: Type.String({ description: 'The usual name of the provider' }),
  isSetUp: Type.Boolean(),
  summary: Type.Object(
    {},
    { additionalProperties: Type.String(), description: 'Names and ids of the credentials; no secrets' },
  ),
  updatedAt: Type.Union([timestampSchema, Type.Null()]),
  lastTest: Type.Union([Type.Object({ at: timestampSchema, ok: Type.Boolean(), text: Type.String() }), Type.Null()]),
});
const settingsSchema = Type.Object(
  {},
  {
    additionalProperties: true,
    description:
      'What the provider requires; stored encrypted and never returned. With `generate: true` the service makes the keys, if that is possible',
  },
);
const settingsExample = { serviceAccount: '{"type":"service_account","project_id":"museum-guide"}' };
const testSchema = Type.Object({
  ok: Type.Boolean(),
  text: Type.String({ description: 'What was tried, and what the provider said' }),
  status: Type.Optional(Type.Integer({ description: "The provider's HTTP status" })),
});

function readSettings(body: unknown): object {
  const settings = isObject(body) ? body['settings'] : undefined;
  if (isObject(settings)) return settings;
  const details = [{ field: 'settings', problem: 'must be a JSON object' }];
  throw fail('ValidationError', { message: 'settings must be a JSON object.', details });
}

function readUpdatedAt(body: unknown): string | null {
  const updatedAt = isObject(body) ? body['updatedAt'] : undefined;
  if (updatedAt === null || typeof updatedAt === 'string') return updatedAt;
  const details = [{ field: 'updatedAt', problem: 'must be a time, or null' }];
  throw fail('ValidationError', { message: 'updatedAt must be a time, or null.', details });
}

const target = ({ params }: Pick<ConsoleCall<unknown>, 'params'>) => ({
  appId: params['appId'] ?? '',
  kind: params['kind'] ?? '',
});

/** What the paths name. @throws Failure ObjectNotFound */
const locating =
  (service: SenderService) =>
  async ({ kind = '' }: Readonly<Record<string, string>>) =>
    service.find(kind);

/** The credentials of push providers, in the management console. */
export const senderConsoleEndpoints = (service: SenderService): readonly ConsoleEndpoint[] => [
  ...readingEndpoints(service),
  ...changingEndpoints(service),
  testEndpoint(service),
];

function readingEndpoints(service: SenderService): readonly ConsoleEndpoint[] {
  const locate = locating(service);
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/senders',
      operationId: 'listSenders',
      summary: 'List the push providers and their settings',
      permission: 'senders.read',
      answer: listAnswer(senderSchema),
      handle: async (call) => ({ results: await service.list(target(call).appId) }),
    }),
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/senders/:kind',
      operationId: 'getSender',
      summary: 'Get a push provider and its settings',
      permission: 'senders.read',
      locate,
      answer: recordAnswer(senderSchema),
      handle: async (call) => ({ result: await service.get(target(call)) }),
      tagOf: ({ result }) => senderTag(result),
    }),
  ];
}

function changingEndpoints(service: SenderService): readonly ConsoleEndpoint[] {
  const locate = locating(service);
  return [
    consoleEndpoint<object, { readonly result: SenderView }>({
      method: 'PUT',
      path: '/apps/:appId/senders/:kind',
      operationId: 'saveSender',
      summary: "Enter a provider's credentials",
      description: 'They replace existing ones, are stored encrypted and cannot be read again.',
      permission: 'senders.write',
      locate,
      body: {
        schema: Type.Object({ settings: settingsSchema }),
        example: { settings: settingsExample },
        read: readSettings,
      },
      answer: recordAnswer(senderSchema),
      takesIfMatch: true,
      handle: async (call) => ({ result: await service.save(target(call), call.body, call.by, call.assertUnchanged) }),
      tagOf: ({ result }) => senderTag(result),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/apps/:appId/senders/:kind',
      operationId: 'deleteSender',
      summary: "Remove a provider's credentials; they can be brought back within an hour",
      permission: 'senders.write',
      locate,
      answer: deletedAnswer,
      takesIfMatch: true,
      handle: (call) => service.remove(target(call), call.by, call.assertUnchanged),
    }),
    consoleEndpoint<string | null>({
      method: 'POST',
      path: '/apps/:appId/senders/:kind/restore',
      operationId: 'restoreSender',
      summary: "Bring a provider's credentials back that were removed or replaced within the last hour",
      permission: 'senders.write',
      locate,
      body: {
        schema: Type.Object({
          updatedAt: Type.Union([timestampSchema, Type.Null()], {
            description: 'Of the credentials that are there now; null when there are none',
          }),
        }),
        example: { updatedAt: null },
        read: readUpdatedAt,
      },
      answer: recordAnswer(senderSchema),
      handle: async (call) => ({ result: await service.restore(target(call), call.body, call.by) }),
    }),
  ];
}

function testEndpoint(service: SenderService): ConsoleEndpoint {
  return consoleEndpoint<object | undefined>({
    method: 'POST',
    path: '/apps/:appId/senders/:kind/test',
    operationId: 'testSender',
    summary: 'Ask the provider whether it accepts the credentials',
    description: 'Sends nothing to anybody. With `settings`, these are tried before they are saved.',
    permission: 'senders.write',
    locate: locating(service),
    body: {
      schema: Type.Object({ settings: Type.Optional(settingsSchema) }),
      example: {},
      read: (body) => (isObject(body) && body['settings'] === undefined ? undefined : readSettings(body)),
    },
    answer: recordAnswer(testSchema),
    handle: async (call) => ({ result: await service.test(target(call), call.body) }),
  });
}
