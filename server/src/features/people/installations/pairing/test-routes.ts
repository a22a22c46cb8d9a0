import { Type } from 'typebox';
import { recordChange } from '../../../../access/audit.ts';
import type { AppContext } from '../../../../access/context.ts';
import { fail } from '../../../../base/errors.ts';
import { newObjectId } from '../../../../base/id.ts';
import {
  createdRecordAnswer,
  exampleId,
  objectIdSchema,
  recordAnswer,
  timestampSchema,
} from '../../../../http/answers.ts';
import { auditedHandle } from '../../../../http/audited-handle.ts';
import {
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleEndpoint,
  signedIn,
} from '../../../../http/console/console-endpoint.ts';
import { carryOut, dataCall } from '../../../../http/console/data-call.ts';
import { defineShape } from '../../../../http/shape.ts';
import type { Context } from '../../../context.ts';
import type { PairingService } from './service.ts';

/** What is tried. Where it will be shown says whether somebody who is limited to venues may send it. */
interface TestMessage {
  readonly data: object;
  /** The stored notification of which it is a draft. */
  readonly notificationId?: string;
  readonly beaconId?: string;
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
export function ownPhoneTestEndpoints(context: Context, service: PairingService): readonly ConsoleEndpoint[] {
  const common = {
    permission: 'push.send',
    narrows: 'venues',
  } as const;
  const phoneOf = async ({ params, admin }: ConsoleCall<unknown>) => {
    const { appId = '', installationId = '' } = params;
    await service.assertOwn({ appId, adminId: signedIn(admin).adminId }, installationId);
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
      answer: createdRecordAnswer(sent),
      async handle(call) {
        const { appId, installationId } = await phoneOf(call);
        const app = await context.findConsoleApp(appId);
        const { data, ...about } = call.body;
        if (signedIn(call.admin).venues !== undefined) {
          assertPlaced(about);
          const caller = dataCall(call, app, { params: {} });
          await assertReadable(context, caller, 'getNotification', about.notificationId);
          await assertReadable(context, caller, 'getBeacon', about.beaconId);
        }
        return { result: { pushId: await send(context, { call, app, installationId, data }) } };
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'GET',
      path: `${path}/:pushId`,
      operationId: 'getOwnPhoneTest',
      summary: 'What became of a test on a phone of one’s own',
      description: '`delivery` is null until it is on its way.',
      answer: recordAnswer(outcome),
      async handle(call) {
        const { appId, installationId } = await phoneOf(call);
        const { pushId = '' } = call.params;
        return { result: { delivery: (await findDelivery(context, appId, { pushId, installationId })) ?? null } };
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

/** As a request of the same administrator, so that a record of another venue is not there. @throws Failure ObjectNotFound */
async function assertReadable(
  { endpointNamed }: Context,
  caller: ReturnType<typeof dataCall>,
  operationId: string,
  objectId: string | undefined,
): Promise<void> {
  if (objectId === undefined) return;
  await carryOut(endpointNamed(operationId), { ...caller, params: { objectId } }, undefined);
}

interface Sending {
  readonly call: ConsoleCall<unknown>;
  readonly app: AppContext;
  readonly installationId: string;
  readonly data: object;
}

/** Sends to this installation alone. Answers the objectId of the push. @throws Failure ValidationError, APICallLimit */
async function send(
  { db, endpoints, endpointNamed }: Context,
  { call, app, installationId, data }: Sending,
): Promise<string> {
  const objectId = newObjectId(call.now);
  const early = { ...dataCall(call, app, { params: {} }), objectId };
  await carryOut(endpointNamed('sendPush'), early, { data, where: { objectId: installationId } }, (endpoint, data) =>
    auditedHandle(endpoint, data, {
      endpoints: endpoints(),
      record: (entry) => recordChange(db, { ...entry, subject: installationId }),
      by: call.by,
      action: 'ownPhone.test',
    }),
  );
  return objectId;
}

async function findDelivery(
  { db, deliveries, pushDeliveryId }: Context,
  appId: string,
  { pushId, installationId }: { readonly pushId: string; readonly installationId: string },
) {
  const row = await deliveries.records.find(db, {
    app_id: appId,
    object_id: pushDeliveryId(pushId, installationId),
  });
  if (!row) return undefined;
  const { state, reason, sender, receivedAt } = deliveries.records.decode(row) as Readonly<Record<string, unknown>>;
  return { state, ...(reason ? { reason } : {}), ...(sender ? { sender } : {}), ...(receivedAt ? { receivedAt } : {}) };
}
