import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { secretKeyPrefix } from '../../../access/keys/secret-key.ts';
import { ConfigError } from '../../../config/config.ts';
import type { Poller } from '../../../db/nodes/poller.ts';
import type { WorkShares } from '../../../db/nodes/work-shares.ts';
import type { DeviceLogin } from '../../../delivery/mqtt/mqtt-connection.ts';
import type { DeviceBroker, LetIn, TlsIdentity } from '../../../delivery/mqtt/mqtt-device-broker.ts';
import type { Context } from '../../context.ts';
import { createDeviceCredentials, type DeviceCredentials } from './credentials.ts';
import { DeviceRouter, type DeviceRouterOptions } from './device-router.ts';

export interface DevicePortDeps extends Omit<DeviceRouterOptions, 'node'>, Pick<Context, 'config' | 'cacheVersion'> {
  readonly poller: Pick<Poller, 'add'>;
  readonly shares: Pick<WorkShares, 'node'>;
}

export interface DevicePort {
  readonly credentials: DeviceCredentials;
  /** The port for MQTT devices, if one is configured; open from its `listen` on. */
  readonly broker: DeviceBroker | undefined;
  /** What takes messages to devices at other nodes; undefined where this is the only node. */
  readonly router: DeviceRouter | undefined;
  /** Lets in gateways, by the secret keys of apps: logins with a `publisher`. */
  acceptGateways(login: LetIn): void;
  /** Reads certificate and key again, for those who connect from now on. Throws if they are not usable; then the former ones stay. */
  renewCertificate(): Promise<void>;
  close(): Promise<void>;
}

export async function createDevicePort(deps: DevicePortDeps): Promise<DevicePort> {
  const { config, cacheVersion, db, poller, shares, now, onError } = deps;
  const { mqttPort, mqttCert, mqttKey } = config;
  const credentials = createDeviceCredentials(deps);
  if (mqttPort === undefined)
    return {
      ...{ credentials, broker: undefined, router: undefined },
      acceptGateways: () => undefined,
      renewCertificate: async () => undefined,
      close: async () => undefined,
    };
  let gatewayLogin: LetIn = async () => undefined;
  const router = db.readsAreLocal ? undefined : new DeviceRouter({ db, node: shares.node, now, onError });
  const readCertificate = () => (mqttCert && mqttKey ? readIdentity(mqttCert, mqttKey) : undefined);
  const tls = readCertificate();
  // Loaded only when used: the protocol's parser takes 4 MB.
  const { DeviceBroker } = await import('../../../delivery/mqtt/mqtt-device-broker.ts');
  const broker = new DeviceBroker({
    login: (who) => (who.password.startsWith(secretKeyPrefix) ? gatewayLogin(who) : credentials.login(who)),
    stillValid: async (logins) => {
      const [gateways, others] = partition(logins, ({ publisher }) => publisher !== undefined);
      const valid = new Set(await credentials.stillValid(others));
      for (const login of gateways) if (await login.publisher?.isValid()) valid.add(login);
      return valid;
    },
    now,
    onError,
    ...(router ? { routes: router } : {}),
    ...(tls ? { tls } : {}),
  });
  router?.attach(broker);
  if (router) poller.add(router.source);
  // Credentials that were revoked on any node are noticed here as soon as a new cache version is.
  cacheVersion.onChange((appId) => void broker.check(appId));
  return {
    credentials,
    broker,
    router,
    acceptGateways(login) {
      gatewayLogin = login;
    },
    async renewCertificate() {
      const renewed = readCertificate();
      if (renewed) broker.useCertificate(renewed);
    },
    async close() {
      await broker.close();
      await router?.close();
    },
  };
}

function partition(logins: readonly DeviceLogin[], holds: (login: DeviceLogin) => boolean) {
  return [logins.filter(holds), logins.filter((login) => !holds(login))] as const;
}

function readIdentity(certPath: string, keyPath: string): TlsIdentity {
  const identity = {
    cert: readPem('PHAROS_MQTT_CERT', certPath),
    key: readPem('PHAROS_MQTT_KEY', keyPath),
  };
  try {
    createSecureContext(identity);
  } catch (error) {
    throw new ConfigError([
      `PHAROS_MQTT_CERT (${certPath}) and PHAROS_MQTT_KEY (${keyPath}) must be a certificate and its key in PEM (${(error as Error).message})`,
    ]);
  }
  return identity;
}

function readPem(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${variable}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
}
