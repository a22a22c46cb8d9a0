import type { Restorable } from '../../../resources/restore.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { deviceConsoleEndpoints } from './console-routes.ts';
import type { DevicePort } from './port.ts';
import { deviceParts } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    readonly deviceParts: Restorable;
    readonly devicePort: DevicePort;
  }
}

export const makers: Makers<Context, 'deviceParts'> = { deviceParts };

/** Devices, which are reached through MQTT. */
export function deviceFeature({ appsWith, deviceParts, devicePort }: Context): Feature {
  const { credentials, router } = devicePort;
  return {
    endpoints: deviceParts.endpoints,
    consoleEndpoints: deviceConsoleEndpoints(credentials),
    sweeps: {
      'forgetting former credentials of devices': () => credentials.sweep(appsWith),
      ...(router ? { 'forgetting where devices listened': () => router.sweep() } : {}),
    },
  };
}
