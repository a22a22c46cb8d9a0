import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { pushConsoleEndpoints } from './console-routes.ts';
import { createPushDelivery, type PushDelivery } from './delivery.ts';
import { deliveryEndpoints } from './delivery-routes.ts';
import { liveActivityEndpoints } from './live/routes.ts';
import { pushEndpoints } from './routes.ts';
import { wakeTarget } from './wake.ts';

declare module '../../context.ts' {
  interface Context {
    readonly pushDelivery: PushDelivery;
  }
}

export const makers: Makers<Context, 'pushDelivery'> = {
  pushDelivery: createPushDelivery,
};

export function pushFeature(context: Context): Feature {
  const { addressHashes, findUser, findConsoleApp, hiddenOfInstallations: hidden, pushDelivery, rollups } = context;
  // Messages for a device that was away are sent when it comes back.
  context.devicePort.broker?.onListening((appId, topic) =>
    context.inBackground('sending what waited for a device', () => wakeTarget(context.db, appId, topic, context.now())),
  );
  return {
    endpoints: [
      ...pushEndpoints({
        ...context,
        addressesOf: async (db, appId, userId) => {
          const user = await findUser(db, { appId, userId });
          return user ? addressHashes(user) : [];
        },
        hidden,
      }),
      ...liveActivityEndpoints(context),
      ...deliveryEndpoints({
        ...context,
        noteReceipt: async (db, appId, receipt) => {
          await context.noteReceiptOfShowing(db, appId, receipt);
          db.afterCommit(() => rollups.note(appId));
        },
      }),
    ],
    consoleEndpoints: pushConsoleEndpoints({ ...context, hidden, findApp: findConsoleApp }),
    jobs: pushDelivery.handlers,
  };
}
