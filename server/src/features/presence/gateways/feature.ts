import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { createSubscription } from './broker/subscription.ts';
import { createGatewayFormats, type GatewayFormats } from './formats.ts';
import { createAnnouncer } from './home-assistant/announcer.ts';
import { readEntities } from './home-assistant/read-entities.ts';
import { createGatewayIntake, type GatewayIntake } from './intake.ts';
import { createMqttLogin } from './mqtt-login.ts';
import { reportEndpoint } from './report-route.ts';
import { AddressResolver } from './resolver.ts';
import { formatEndpoint, stateEndpoint } from './state-route.ts';
import { createGatewayStates, type GatewayStates } from './states.ts';

declare module '../../context.ts' {
  interface Context {
    readonly gatewayIntake: GatewayIntake;
    readonly gatewayFormats: GatewayFormats;
    readonly gatewayStates: GatewayStates;
  }
}

export const makers: Makers<Context, 'gatewayIntake' | 'gatewayFormats' | 'gatewayStates'> = {
  gatewayIntake: ({ db, now, sightings, gatewayFormats, gatewayStates, hearingLog, heardNearby, findIrks }) => {
    const resolver = new AddressResolver((appId) => findIrks(db, appId), now);
    return createGatewayIntake({
      ...{ now, takeHeard: sightings.takeHeard, states: gatewayStates, formatOf: gatewayFormats.of },
      noteHeard: (appId, gateway, report, at) => hearingLog.noteGateway(appId, gateway, report, at),
      noteNearby: (appId, gateway, one, isStranger) => heardNearby.note(appId, gateway, one, isStranger),
      resolve: (appId, heard) => resolver.resolve(appId, heard),
    });
  },
  gatewayFormats: createGatewayFormats,
  gatewayStates: createGatewayStates,
};

/** Bluetooth receivers that can be bought, and speak as they are. */
export function gatewayFeature(context: Context): Feature {
  const { db, gatewayIntake, gatewayStates, devicePort } = context;
  devicePort.acceptGateways(createMqttLogin({ ...context, intake: gatewayIntake }));
  const subscription = createSubscription({ ...context, intake: gatewayIntake });
  const announcer = createAnnouncer({
    ...context,
    isOurs: () => context.owns('telling Home Assistant'),
    read: (appId) => readEntities(context, appId),
  });
  return {
    endpoints: [
      stateEndpoint({
        states: gatewayStates,
        countHeard: context.countHeardNear,
        findPlaces: async (appId, names) => {
          const found = await context.findBeaconsByGateway(db, appId, names);
          // Of several the oldest counts, as for what it hears.
          return new Map(found.toReversed().map(({ gatewayKey, objectId }) => [gatewayKey ?? '', objectId]));
        },
      }),
      formatEndpoint(context.gatewayFormats),
      reportEndpoint(gatewayIntake),
    ],
    start() {
      subscription?.start();
      announcer?.start();
    },
    stop: () => announcer?.stop(),
    async close() {
      await Promise.all([subscription?.close(), announcer?.close()]);
    },
  };
}
