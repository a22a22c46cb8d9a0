import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { createGatewayIntake, type GatewayIntake } from './intake.ts';
import { reportEndpoint } from './report-route.ts';

declare module '../../context.ts' {
  interface Context {
    readonly gatewayIntake: GatewayIntake;
  }
}

export const makers: Makers<Context, 'gatewayIntake'> = {
  gatewayIntake: ({ now, log, sightings }) => createGatewayIntake({ now, log, takeHeard: sightings.takeHeard }),
};

/** Bluetooth receivers that can be bought, and speak as they are. */
export function gatewayFeature({ gatewayIntake }: Context): Feature {
  return { endpoints: [reportEndpoint(gatewayIntake)] };
}
