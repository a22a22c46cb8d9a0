import type { AccessGuard, Admission } from '../../../access/access.ts';
import { Failure } from '../../../base/errors.ts';
import { randomText } from '../../../base/id.ts';
import type { LetIn } from '../../../delivery/mqtt/mqtt-device-broker.ts';
import type { Context } from '../../context.ts';
import { type GatewayIntake, mayName } from './intake.ts';
import { reporting } from './report-route.ts';

export interface MqttLoginDeps extends Pick<Context, 'assertRoom' | 'cacheVersion' | 'onError'> {
  readonly guard: Pick<AccessGuard, 'app'>;
  readonly intake: Pick<GatewayIntake, 'receive'>;
}

/** `<AppId>`, or `<AppId>/<gateway>` of one that is always this gateway. */
const usernameForm = /^(\w{1,64})(?:\/([^/]{1,200}))?$/;

/** Lets gateways publish at the port for devices: with the AppId as user name, and a secret key as password. */
export function createMqttLogin({ guard, cacheVersion, intake, assertRoom, onError }: MqttLoginDeps): LetIn {
  return async ({ username, password, clientId, address }) => {
    const [, appId, gateway] = usernameForm.exec(username) ?? [];
    const admit = async (): Promise<Admission | undefined> => {
      await cacheVersion.fresh();
      try {
        const admission = await guard.app(appId, password, address);
        return maySpeak(admission, gateway) ? admission : undefined;
      } catch (error) {
        if (error instanceof Failure && refusals.has(error.name)) return undefined;
        throw error;
      }
    };
    const admitted = await admit();
    if (!appId || !admitted) return undefined;
    const { keyId } = admitted;
    return {
      appId,
      // Several gateways may have the same key, and some the same client id.
      deviceId: `${keyId} ${gateway ?? ''} ${clientId === '' ? randomText(20) : clientId}`,
      topic: '',
      version: keyId,
      publisher: {
        isValid: async () => (await admit()) !== undefined,
        async receive({ topic, payload }) {
          const now = await admit();
          if (!now) return false;
          const { policy } = now.app;
          const gateways = now.secretKey?.scopes.gateways(reporting);
          try {
            assertRoom('create');
            const sender = { appId, policy, keyId, gateway, gateways };
            const { problems } = await intake.receive(sender, { payload, topic, isHeldBack: true });
            return !problems.some(({ code }) => code === 'forbidden_gateway');
          } catch (error) {
            onError('storing what a gateway has published', error);
            throw error;
          }
        },
      },
    };
  };
}

const refusals: ReadonlySet<string> = new Set(['CredentialsMissing', 'InvalidCredentials']);

function maySpeak({ secretKey }: Admission, gateway: string | undefined): boolean {
  if (!secretKey?.scopes.include(reporting)) return false;
  const gateways = secretKey.scopes.gateways(reporting);
  return gateway === undefined || mayName({ gateways }, gateway);
}
