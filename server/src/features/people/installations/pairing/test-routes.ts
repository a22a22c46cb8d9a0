import { Type } from 'typebox';
import type { AppContext } from '../../../../access/context.ts';
import { fail } from '../../../../base/errors.ts';
import {
  createdAnswer,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  otherExampleId,
  recordAnswer,
  timestampSchema,
} from '../../../../http/answers.ts';
import {
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleEndpoint,
  signedIn,
} from '../../../../http/console/console-endpoint.ts';
import { defineShape } from '../../../../http/shape.ts';
import { installations } from '../resource.ts';
import type { PairingService } from './service.ts';

/** What is tried. Where it will be shown says whether somebody who is limited to venues may send it. */
export interface TestMessage {
  readonly data: object;
  /** The stored notification of which it is a draft. */
  readonly notificationId?: string;
  /** The beacon at which it will be shown. */
  readonly beaconId?: string;
}

export interface TestDelivery {
  readonly state: string;
  readonly reason?: string;
  readonly sender?: string;
  /** ISO 8601. */
  readonly receivedAt?: string;
}

export interface OwnPhoneTestDeps {
  readonly service: Pick<PairingService, 'assertOwn'>;
  /** Also an app that is switched off. @throws Failure ObjectNotFound */
  readonly findApp: (appId: string) => Promise<AppContext>;
  /** That the caller may see both. @throws Failure ObjectNotFound */
  readonly assertSeen: (
    call: ConsoleCall<unknown>,
    app: AppContext,
    message: Omit<TestMessage, 'data'>,
  ) => Promise<void>;
  /** Sends to this installation alone. Answers the objectId of the push. @throws Failure ValidationError, APICallLimit */
  readonly send: (
    call: ConsoleCall<unknown>,
    app: AppContext,
    test: { readonly installationId: string; readonly data: object },
  ) => Promise<string>;
  readonly findDelivery: (
    appId: string,
    test: { readonly pushId: string; readonly installationId: string },
  ) => Promise<TestDelivery | undefined>;
}

const shape = defineShape(
  Type.Object({
    data: Type.Object({}, { additionalProperties: true, description: 'As in a push' }),
    notificationId: Type.Optional(objectIdSchema),
    beaconId: Type.Optional(objectIdSchema),
  }),
);
const sent = Type.Object({ pushId: objectIdSchema });
const outcome = Type.Object({
  delivery: Type.Union([
    Type.Object({
      state: Type.String(),
      reason: Type.Optional(Type.String()),
      sender: Type.Optional(Type.String()),
      receivedAt: Type.Optional(timestampSchema),
    }),
    Type.Null(),
  ]),
});

const path = '/apps/:appId/own-phones/phones/:installationId/tests';

/** Testing a message on an administrator's own phone: also for those limited to venues, who may send nobody else anything. */
export function ownPhoneTestEndpoints(deps: OwnPhoneTestDeps): readonly ConsoleEndpoint[] {
  const common = {
    tag: installations.tag.name,
    permission: 'push.send',
    narrows: 'venues',
    async locate({ appId = '' }: Readonly<Record<string, string>>) {
      await deps.findApp(appId);
    },
  } as const;
  const phoneOf = async ({ params, admin }: ConsoleCall<unknown>) => {
    const { appId = '', installationId = '' } = params;
    await deps.service.assertOwn({ appId, adminId: signedIn(admin).adminId }, installationId);
    return { appId, installationId };
  };
  return [
    consoleEndpoint({
      ...common,
      method: 'POST',
      path,
      operationId: 'testOnOwnPhone',
      summary: 'Send a draft to a phone of one’s own, and to nobody else',
      description:
        'Whoever is limited to venues says to which notification or beacon of theirs it belongs. It is a push to that one ' +
        'installation: the same rules, consent and senders.',
      body: {
        schema: shape.schema,
        example: { data: { title: 'Tonight', alert: 'Open until 22:00.' }, beaconId: exampleId },
        read: (body): TestMessage => shape.readCreate(body) as TestMessage,
      },
      answer: { ...createdAnswer, ...recordAnswer(sent, { pushId: otherExampleId }), status: 201 },
      errors: ['ObjectNotFound', 'ValidationError', 'OperationForbidden', 'APICallLimit'],
      async handle(call) {
        const { appId, installationId } = await phoneOf(call);
        const app = await deps.findApp(appId);
        const { data, ...about } = call.body;
        if (signedIn(call.admin).venues !== undefined) {
          assertPlaced(about);
          await deps.assertSeen(call, app, about);
        }
        return { result: { pushId: await deps.send(call, app, { installationId, data }) } };
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'GET',
      path: `${path}/:pushId`,
      operationId: 'getOwnPhoneTest',
      summary: 'What became of a test on a phone of one’s own',
      description: '`delivery` is null until it is on its way.',
      answer: recordAnswer(outcome, { delivery: { state: 'sent', sender: 'fcm', receivedAt: exampleUpdated } }),
      async handle(call) {
        const { appId, installationId } = await phoneOf(call);
        const { pushId = '' } = call.params;
        return { result: { delivery: (await deps.findDelivery(appId, { pushId, installationId })) ?? null } };
      },
    }),
  ];
}

/** @throws Failure OperationForbidden */
function assertPlaced({ notificationId, beaconId }: Omit<TestMessage, 'data'>): void {
  if (notificationId !== undefined || beaconId !== undefined) return;
  throw fail(
    'OperationForbidden',
    'You are limited to some venues of this app. Choose a beacon in one of them first, and then test the message.',
  );
}
