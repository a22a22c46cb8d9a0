/**
 * npm install && npm install ../../dist/pharos-sdk-0.2.0.tgz    # packed by `npm run release -- sdk` in the root of the checkout
 * EXPO_PUBLIC_PHAROS_URL=https://… EXPO_PUBLIC_PHAROS_APP_ID=… EXPO_PUBLIC_PHAROS_APP_KEY=… npx expo run:ios    # or run:android
 *
 * All that the guide has to do with Pharos, without a line of its screens. The system starts the app in the background, too, when the
 * visitor comes to a beacon: so nothing here waits for a screen.
 */
import { PharosClient, reactNativeAdapter, Sensing, type SensingFinding } from '@pharos/sdk';
import { type OfflineMessage, OfflinePhone } from '@pharos/sdk/offline';
import AsyncStorage from '@react-native-async-storage/async-storage';
import * as Notifications from 'expo-notifications';
import { AppState, DeviceEventEmitter, Platform } from 'react-native';
import beacons from 'react-native-beacons-manager';
import * as permissions from 'react-native-permissions';

/** Kept on the phone, under a name. */
const kept = (name: string) => ({
  load: () => AsyncStorage.getItem(name),
  save: (text: string) => AsyncStorage.setItem(name, text),
});

const isIos = Platform.OS === 'ios';
const locale = Intl.DateTimeFormat().resolvedOptions().locale;

/** Expo puts in what is set when the app is built. */
const client = new PharosClient({
  baseUrl: process.env['EXPO_PUBLIC_PHAROS_URL'] ?? '',
  appId: process.env['EXPO_PUBLIC_PHAROS_APP_ID'] ?? '',
  appKey: process.env['EXPO_PUBLIC_PHAROS_APP_KEY'] ?? '',
  secretStorage: kept('secret'),
  retry: false,
  timeout: 5_000,
});

/** The random name of this installation, made once. */
async function installationId(): Promise<string> {
  const known = await AsyncStorage.getItem('installationId');
  if (known !== null) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  await AsyncStorage.setItem('installationId', made);
  return made;
}

async function installation(granted: boolean, deviceToken?: string) {
  const agreed = { granted, textVersion: 'guide 1' };
  return {
    installationId: await installationId(),
    deviceType: isIos ? ('ios' as const) : ('android' as const),
    localeIdentifier: locale,
    consents: { messages: agreed, analytics: agreed, identity: agreed },
    ...(deviceToken === undefined ? {} : { deviceToken }),
  };
}

/** At each start, and when something about the installation changes. Without a network the known one goes on. */
async function register(granted: boolean, deviceToken?: string): Promise<string> {
  try {
    const { objectId } = await client.installations.register(await installation(granted, deviceToken));
    await AsyncStorage.setItem('objectId', objectId);
    return objectId;
  } catch (error) {
    const known = await AsyncStorage.getItem('objectId');
    if (known === null) throw error;
    return known;
  }
}

/** While the app is open, messages are on its screen; a push that says the same adds nothing. */
Notifications.setNotificationHandler({
  handleNotification: async () => ({
    shouldShowBanner: false,
    shouldShowList: false,
    shouldPlaySound: false,
    shouldSetBadge: false,
  }),
});

export interface Words {
  readonly deliveryId: string;
  readonly title: string;
  readonly text: string;
  /** Its address. */
  readonly picture: string | undefined;
}

/** A notification has its words in `message`, a scenario of a storyline beside it. */
function wordsOf({ deliveryId, content }: OfflineMessage): Words {
  const said = { ...content, ...(content['message'] as object | undefined) } as Readonly<Record<string, string>>;
  const { type, alertTitle: title = '', alertMessage: text = '', url, urlImageAndroid, urlImageIOS } = said;
  return { deliveryId, title, text, picture: type === 'IMAGE' ? url : isIos ? urlImageIOS : urlImageAndroid };
}

/** In the background only the phone itself can show something; with the same identifier it shows it once. */
async function notify({ deliveryId, title, text }: Words): Promise<void> {
  await Notifications.scheduleNotificationAsync({
    identifier: deliveryId,
    content: { title: title || 'Museum guide', body: text || 'There is something to see here.' },
    trigger: null,
  });
}

export interface Guide {
  readonly isAllowed: boolean;
  /** What keeps the phone from hearing since the app has started. */
  readonly findings: Promise<readonly SensingFinding[]>;
  /** What the visitor has decided. It begins to hear, or ends. Returns what keeps the phone from hearing. */
  readonly allow: (granted: boolean) => Promise<readonly SensingFinding[]>;
  /** Tells what waits, and asks what is new: whenever there may be a network again. */
  readonly refresh: () => Promise<string>;
}

/** Called once, when the app starts, with a screen or without. */
export async function openGuide(onWords: (words: Words) => void): Promise<Guide> {
  let granted = (await AsyncStorage.getItem('consent')) === 'yes';
  const objectId = await register(granted);
  const id = await installationId();

  const phone = await OfflinePhone.open(client, {
    installation: { objectId, installationId: id, localeIdentifier: locale },
    storage: kept,
    consents: () => ({ messages: granted, analytics: granted }),
    sender: () => (AppState.currentState === 'active' ? 'phone' : isIos ? 'iosBackground' : 'androidBackground'),
    onMessage: (message) => {
      const words = wordsOf(message);
      onWords(words);
      if (AppState.currentState !== 'active') void notify(words);
    },
  });

  const sensing = new Sensing(client, {
    adapter: reactNativeAdapter({ platform: Platform, permissions, beacons, events: DeviceEventEmitter }),
    installation: await installation(granted),
    queue: { add: (...heard) => phone.sense(...heard), flush: () => phone.flush() },
    storage: kept('regions'),
    onError: (error) => console.warn(error),
  });

  async function allow(isGranted: boolean): Promise<readonly SensingFinding[]> {
    granted = isGranted;
    await AsyncStorage.setItem('consent', granted ? 'yes' : 'no');
    await register(granted);
    if (!granted) {
      sensing.stop();
      return [];
    }
    // Asks for the permissions that are missing, one after the other, and plans which regions to monitor.
    const findings = await sensing.start().catch((error: unknown) => {
      console.warn(error);
      return sensing.doctor();
    });
    const token = await Notifications.getDevicePushTokenAsync().catch(() => undefined);
    if (token !== undefined) await register(granted, String(token.data));
    return findings;
  }

  async function refresh(): Promise<string> {
    try {
      await phone.flush();
      await phone.refresh();
      return 'The guide is up to date.';
    } catch {
      return phone.bundle ? 'There is no network; the guide knows the museum.' : 'Open the guide once with a network.';
    }
  }

  setInterval(() => void phone.passTime(), 5_000);
  return { isAllowed: granted, findings: granted ? allow(granted) : Promise.resolve([]), allow, refresh };
}
