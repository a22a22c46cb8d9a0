import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { createGatewayIntake, type GatewayIntake } from './intake.ts';
import { createMqttLogin } from './mqtt-login.ts';
import { reportEndpoint } from './report-route.ts';
import { createSubscription } from './subscription.ts';

declare module '../../context.ts' {
  interface Context {
    readonly gatewayIntake: GatewayIntake;
  }
}

export const makers: Makers<Context, 'gatewayIntake'> = {
  gatewayIntake: ({ now, log, sightings }) => createGatewayIntake({ now, log, takeHeard: sightings.takeHeard }),
};

/** Bluetooth receivers that can be bought, and speak as they are. */
export function gatewayFeature(context: Context): Feature {
  const { gatewayIntake, devicePort } = context;
  devicePort.acceptGateways(createMqttLogin({ ...context, intake: gatewayIntake }));
  const subscription = createSubscription({ ...context, intake: gatewayIntake });
  return {
    endpoints: [reportEndpoint(gatewayIntake)],
    ...(subscription ? { start: subscription.start, close: subscription.close } : {}),
  };
}
