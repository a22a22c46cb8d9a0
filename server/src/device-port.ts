import { readFileSync } from 'node:fs';
import type { Clock } from './clock.ts';
import { type Config, ConfigError } from './config.ts';
import type { Revision } from './db/revision.ts';
import type { DeviceBroker } from './delivery/mqtt-device-broker.ts';
import type { DeviceCredentials } from './features/devices/credentials.ts';

export interface DevicePortDeps {
  readonly config: Config;
  readonly credentials: Pick<DeviceCredentials, 'login' | 'stillValid'>;
  readonly revision: Pick<Revision, 'onChange'>;
  readonly now: Clock;
  readonly onError: (what: string, error: unknown) => void;
}

/** The port for devices, as it is configured; undefined when there is none. It listens from `listen` on. */
export async function createDevicePort(deps: DevicePortDeps): Promise<DeviceBroker | undefined> {
  const { config, credentials, revision, now, onError } = deps;
  const { mqttPort, mqttCert, mqttKey } = config;
  if (mqttPort === undefined) return undefined;
  const tls = mqttCert && mqttKey ? { tls: { cert: readPem(mqttCert), key: readPem(mqttKey) } } : {};
  // Loaded where it is used: the protocol's parser takes 4 MB.
  const { DeviceBroker } = await import('./delivery/mqtt-device-broker.ts');
  const broker = new DeviceBroker({
    login: credentials.login,
    stillValid: credentials.stillValid,
    now,
    onError,
    ...tls,
  });
  // Credentials that were revoked on any node are noticed here as soon as the revision is.
  revision.onChange(() => void broker.check());
  return broker;
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
}
