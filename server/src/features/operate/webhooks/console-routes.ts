import { Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import { createdRecordAnswer, deletedAnswer, listAnswer, recordAnswer } from '../../../http/answers.ts';
import {
  type AdminContext,
  type ConsoleEndpoint,
  consoleEndpoint,
  signedIn,
} from '../../../http/console/console-endpoint.ts';
import { pageLimitParameter, readPageLimit } from '../../../http/console/console-page.ts';
import * as schemas from './schemas.ts';
import { type Choosing, type WebhookService, webhookTag } from './service.ts';

type Params = Readonly<Record<string, string>>;
const all = '/apps/:appId/webhooks';
const one = `${all}/:webhookId`;

/** An app's webhooks and the results of their deliveries, in the management console. */
export function webhookConsoleEndpoints(service: WebhookService): readonly ConsoleEndpoint[] {
  return [
    ...collectionEndpoints(service),
    ...webhookEndpoints(service),
    ...secretAndTestEndpoints(service),
    ...deliveryEndpoints(service),
  ];
}

const locating =
  (service: WebhookService) =>
  ({ appId = '', webhookId = '' }: Params) =>
    service.get(appId, webhookId);

const schema = schemas.webhookRecord;

function whoIs(admin: AdminContext | undefined): Choosing {
  const { email, apps } = signedIn(admin);
  return { email, reach: apps };
}

function collectionEndpoints(service: WebhookService): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: all,
      operationId: 'listWebhooks',
      summary: 'List the webhooks of an app',
      permission: 'webhooks.read',
      answer: listAnswer(schema),
      handle: async ({ params: { appId = '' } }) => ({ results: await service.list(appId) }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: all,
      operationId: 'createWebhook',
      summary: 'Create a webhook; its signing secret is shown once',
      permission: 'webhooks.write',
      body: schemas.webhookShape.body(schemas.webhookFieldsExample),
      answer: createdRecordAnswer(schemas.createdWebhook),
      handle: async ({ params: { appId = '' }, body, by, admin }) => ({
        result: await service.create(appId, body, { by, who: whoIs(admin) }),
      }),
    }),
  ];
}

function webhookEndpoints(service: WebhookService): readonly ConsoleEndpoint[] {
  const locate = locating(service);
  return [
    consoleEndpoint({
      method: 'GET',
      path: one,
      operationId: 'getWebhook',
      summary: 'Get a webhook and the results of its latest calls',
      permission: 'webhooks.read',
      locate,
      answer: recordAnswer(schema),
      handle: async ({ params: { appId = '', webhookId = '' } }) => ({ result: await service.get(appId, webhookId) }),
      tagOf: ({ result }) => webhookTag(result),
    }),
    consoleEndpoint({
      method: 'PUT',
      path: one,
      operationId: 'changeWebhook',
      summary: 'Change a webhook, or switch it off or on; deliveries waiting while it is off fail',
      permission: 'webhooks.write',
      locate,
      body: {
        schema: Type.Partial(schemas.webhookShape.schema),
        example: { enabled: false },
        read: (body) => schemas.webhookShape.readUpdate(body).set,
      },
      answer: recordAnswer(schema),
      takesIfMatch: true,
      handle: async ({ params: { appId = '', webhookId = '' }, body, by, admin, assertUnchanged }) => ({
        result: await service.change(appId, webhookId, body, { by, who: whoIs(admin), assertUnchanged }),
      }),
      tagOf: ({ result }) => webhookTag(result),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: one,
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook with its deliveries',
      permission: 'webhooks.write',
      locate,
      answer: deletedAnswer,
      takesIfMatch: true,
      handle: ({ params: { appId = '', webhookId = '' }, by, assertUnchanged }) =>
        service.remove(appId, webhookId, { by, assertUnchanged }),
    }),
  ];
}

function secretAndTestEndpoints(service: WebhookService): readonly ConsoleEndpoint[] {
  const locate = locating(service);
  return [
    consoleEndpoint({
      method: 'POST',
      path: `${one}/secret`,
      operationId: 'rotateWebhookSecret',
      summary: 'Create a new signing secret; for a day calls carry the signatures of both',
      permission: 'webhooks.write',
      locate,
      answer: createdRecordAnswer(schemas.rotatedSecret),
      handle: async ({ params: { appId = '', webhookId = '' }, by, admin }) => ({
        result: await service.rotateSecret(appId, webhookId, { by, who: whoIs(admin) }),
      }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: `${one}/test`,
      operationId: 'testWebhook',
      summary: 'Call the receiver now with a webhook.test, and return the answer',
      permission: 'webhooks.write',
      locate,
      answer: {
        status: 200,
        schema: Type.Object({ result: schemas.testResult }),
      },
      handle: async ({ params: { appId = '', webhookId = '' } }) => ({ result: await service.test(appId, webhookId) }),
    }),
  ];
}

function deliveryEndpoints(service: WebhookService): readonly ConsoleEndpoint[] {
  const locate = locating(service);
  return [
    consoleEndpoint({
      method: 'GET',
      path: `${one}/deliveries`,
      operationId: 'listWebhookDeliveries',
      summary: 'List the deliveries, newest first, with the answers of the receiver',
      permission: 'webhooks.read',
      query: [
        {
          name: 'state',
          description: 'Only deliveries in this state',
          schema: Type.Enum(schemas.webhookDeliveryStates),
        },
        { name: 'before', description: 'Only deliveries older than the one with this objectId', schema: Type.String() },
        pageLimitParameter,
      ],
      locate,
      answer: listAnswer(schemas.webhookDeliveryRecord),
      async handle({ params: { appId = '', webhookId = '' }, query: { state, before, limit }, admin }) {
        if (state !== undefined && !(schemas.webhookDeliveryStates as readonly string[]).includes(state))
          throw fail('InvalidQuery', `state must be one of ${schemas.webhookDeliveryStates.join(', ')}.`);
        const isLimited = signedIn(admin).apps !== null;
        const page = { appId, webhookId, state, before, limit: readPageLimit(limit), isLimited };
        return { results: await service.listDeliveries(page) };
      },
    }),
    consoleEndpoint({
      method: 'POST',
      path: `${one}/deliveries/:deliveryId/redeliver`,
      operationId: 'redeliverWebhook',
      summary: 'Send a finished delivery again, under the same webhook-id',
      permission: 'webhooks.write',
      locate,
      answer: deletedAnswer,
      handle: ({ params: { appId = '', webhookId = '', deliveryId = '' }, by }) =>
        service.redeliver({ appId, webhookId, deliveryId }, by),
    }),
  ];
}
