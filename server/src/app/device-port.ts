import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../base/clock.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { CacheVersion } from '../db/cache-version.ts';
import type { DeviceBroker } from '../delivery/mqtt/mqtt-device-broker.ts';
import type { DeviceCredentials } from '../features/devices/credentials.ts';

export interface DevicePortDeps {
  readonly config: Config;
  readonly credentials: Pick<DeviceCredentials, 'login' | 'stillValid'>;
  readonly cacheVersion: Pick<CacheVersion, 'onChange'>;
  readonly now: Clock;
  readonly onError: (what: string, error: unknown) => void;
}

/** The configured port for devices; undefined if there is none. It is open from `listen` on. */
export async function createDevicePort(deps: DevicePortDeps): Promise<DeviceBroker | undefined> {
  const { config, credentials, cacheVersion, now, onError } = deps;
  const { mqttPort, mqttCert, mqttKey } = config;
  if (mqttPort === undefined) return undefined;
  const tls = mqttCert && mqttKey ? { tls: readIdentity(mqttCert, mqttKey) } : {};
  // Loaded only when used: the protocol's parser takes 4 MB.
  const { DeviceBroker } = await import('../delivery/mqtt/mqtt-device-broker.ts');
  const broker = new DeviceBroker({
    login: credentials.login,
    stillValid: credentials.stillValid,
    now,
    onError,
    ...tls,
  });
  // Credentials that were revoked on any node are noticed here as soon as a new cache version is.
  cacheVersion.onChange(() => void broker.check());
  return broker;
}

function readIdentity(certPath: string, keyPath: string): { readonly cert: string; readonly key: string } {
  const identity = { cert: readPem(certPath), key: readPem(keyPath) };
  try {
    createSecureContext(identity);
  } catch (error) {
    throw new ConfigError([
      `PHAROS_MQTT_CERT (${certPath}) and PHAROS_MQTT_KEY (${keyPath}) must be a certificate and its key in PEM (${(error as Error).message})`,
    ]);
  }
  return identity;
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
}
