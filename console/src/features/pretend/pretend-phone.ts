import { PharosClient } from '@pharos/sdk';
import { pageLanguage, t } from '../../lib/words/words.ts';

/** A phone that does not exist, and does what the app on a real one does: it registers, reports signals, and shows what it is told. */

export interface PhoneAccess {
  readonly appId: string;
  readonly appKey: string;
  readonly appName: string;
  readonly beacon: {
    readonly name: string;
    readonly uuid: string;
    readonly major: number;
    readonly minor: number;
    /** RSSI at one metre, dBm. */
    readonly power: number;
  };
}

/** What the service takes for the signal strength at one metre where nothing is set, dBm. */
export const usualPower = -59;

/** Metres from the beacon, one each second: to it, then beside it, and away until the visit is over. */
export const approach = [14, 11, 8.5, 6.5, 5, 3.8, 2.6, 1.8, 1.2, 0.8];
export const beside = 0.7;
export const away = [1.2, 2, 3.5, 5.5, 8, 10, 12, 14, 16, 18, 20];

/** RSSI in dBm at a distance in metres, in the open: the log-distance path-loss model with the exponent 2. */
export const rssiAt = (metres: number, power: number): number => Math.round(power - 20 * Math.log10(metres));

export interface Arrived {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

export interface Answered {
  readonly messages: readonly Arrived[];
  /** ENTER and so on, at the beacon. */
  readonly events: readonly { readonly objectId: string; readonly event: EventKind }[];
}

type EventKind = Awaited<ReturnType<PharosClient['sightings']['send']>>['events'][number]['event'];

export interface PretendPhone {
  /** Of its installation. */
  readonly objectId: string;
  /** Reports that the beacon is so far away. @throws PharosError */
  readonly hear: (metres: number) => Promise<Answered>;
}

/** Installs the app, as it were, with everything agreed to. @throws PharosError */
export async function installPhone({ appId, appKey, beacon }: PhoneAccess, baseUrl: string): Promise<PretendPhone> {
  let secret: string | null = null;
  const client = new PharosClient({
    baseUrl,
    appId,
    appKey,
    secretStorage: {
      load: () => secret,
      save: (made) => {
        secret = made;
      },
    },
  });
  const installationId = `pretend-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
  const granted = { granted: true, textVersion: t('Pretend phone') };
  const { objectId } = await client.installations.register({
    installationId,
    deviceType: 'web',
    deviceModel: t('Pretend phone'),
    appName: t('Pretend phone'),
    localeIdentifier: pageLanguage(),
    consents: { messages: granted, analytics: granted },
  });
  return {
    objectId,
    async hear(metres) {
      const { uuid, major, minor, power } = beacon;
      const now = new Date().toISOString();
      const sighting = { uuid, major, minor, rssi: rssiAt(metres, power), occurredAt: now };
      const { events, messages } = await client.sightings.send({
        installationId,
        sender: 'phone',
        sentAt: now,
        sightings: [sighting],
      });
      return { events, messages: messages.map(arrivedOf) };
    },
  };
}

interface Message {
  readonly deliveryId: string;
  readonly notification?: object;
  readonly scenario?: object;
}

interface Words {
  readonly alertTitle?: string;
  readonly alertMessage?: string;
  readonly url?: string;
}

/** The text of a message; the address of a picture or a film where it has none. */
export function arrivedOf({ deliveryId, notification, scenario }: Message): Arrived {
  const { message } = (notification ?? {}) as { readonly message?: Words };
  const { alertTitle = '', alertMessage = '', url = '' } = message ?? (scenario as Words | undefined) ?? {};
  return { id: deliveryId, title: alertTitle, body: alertMessage || (alertTitle ? '' : url) };
}

/** What a QR code gives to one's own phone, after the `#` of an address, which reaches no log. */
export function textOfAccess({ appId, appKey, appName, beacon }: PhoneAccess): string {
  const { name, uuid, major, minor, power } = beacon;
  const parts = { appId, appKey, appName, name, uuid };
  return new URLSearchParams({ ...parts, major: `${major}`, minor: `${minor}`, power: `${power}` }).toString();
}

export function accessIn(text: string): PhoneAccess | undefined {
  const parts = new URLSearchParams(text);
  const [appId, appKey, uuid] = ['appId', 'appKey', 'uuid'].map((name) => parts.get(name) ?? '');
  const [major, minor, power] = ['major', 'minor', 'power'].map((name) => Number(parts.get(name) ?? Number.NaN));
  if (!appId || !appKey || !uuid || ![major, minor, power].every(Number.isFinite)) return undefined;
  const beacon = {
    name: parts.get('name') ?? '',
    uuid,
    major: Number(major),
    minor: Number(minor),
    power: Number(power),
  };
  return { appId, appKey, appName: parts.get('appName') ?? '', beacon };
}
