import { recordChange } from '../../../../access/audit.ts';
import type { AppContext } from '../../../../access/context.ts';
import { newObjectId } from '../../../../base/id.ts';
import { auditedHandle } from '../../../../http/audited-handle.ts';
import type { ConsoleCall } from '../../../../http/console/console-endpoint.ts';
import { carryOut, dataCall } from '../../../../http/console/data-call.ts';
import type { Context } from '../../../context.ts';
import type { OwnPhoneTestDeps, TestDelivery } from './test-routes.ts';

/** What testing a message on an administrator's own phone needs from beacons, notifications and pushes. */
export function ownPhoneTests(context: Context): Omit<OwnPhoneTestDeps, 'service'> {
  const { db, endpoints, endpointNamed, findConsoleApp: findApp, deliveries, pushDeliveryId } = context;
  /** As a request of the same administrator, so that a record of another venue is not there. */
  const assertReadable = async (
    { call, app }: { readonly call: ConsoleCall<unknown>; readonly app: AppContext },
    operationId: string,
    objectId: string | undefined,
  ) => {
    if (objectId === undefined) return;
    await carryOut(endpointNamed(operationId), dataCall(call, app, { params: { objectId } }), undefined);
  };
  return {
    findApp,
    async assertSeen(call, app, { notificationId, beaconId }) {
      await assertReadable({ call, app }, 'getNotification', notificationId);
      await assertReadable({ call, app }, 'getBeacon', beaconId);
    },
    async send(call, app, { installationId, data }) {
      const objectId = newObjectId(call.now);
      const early = { ...dataCall(call, app, { params: {} }), objectId };
      await carryOut(
        endpointNamed('sendPush'),
        early,
        { data, where: { objectId: installationId } },
        (endpoint, data) =>
          auditedHandle(endpoint, data, {
            endpoints: endpoints(),
            record: (entry) => recordChange(db, { ...entry, subject: installationId }),
            by: call.by,
            action: 'ownPhone.test',
          }),
      );
      return objectId;
    },
    async findDelivery(appId, { pushId, installationId }) {
      const key = { app_id: appId, object_id: pushDeliveryId(pushId, installationId) };
      const row = await deliveries.records.find(db, key);
      const { state, reason, sender, receivedAt } = row
        ? (deliveries.records.decode(row) as Partial<TestDelivery>)
        : {};
      if (state === undefined) return undefined;
      return {
        state,
        ...(reason ? { reason } : {}),
        ...(sender ? { sender } : {}),
        ...(receivedAt ? { receivedAt } : {}),
      };
    },
  };
}
