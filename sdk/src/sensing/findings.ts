/**
 * Why a phone hears no beacons: one function for the phone itself (`doctor()`), the service and its console. Pure.
 *
 * iOS: ranging needs the location while in use, monitoring needs it always, and neither works with the approximate location
 * (https://developer.apple.com/documentation/corelocation/cllocationmanager/accuracyauthorization). Android: scanning needs
 * BLUETOOTH_SCAN from version 12 on and the precise location
 * (https://developer.android.com/develop/connectivity/bluetooth/bt-permissions), and in the background its own permission
 * (https://developer.android.com/develop/sensors-and-location/location/permissions/background). No browser hears beacons.
 */

/** What a visitor has answered; `notAsked`: the app may still ask. */
export type Answered = 'granted' | 'denied' | 'notAsked';

/** How a phone can sense. What is not known is left out. */
export interface SensingHealth {
  /** `whenInUse`: only while the app is open. `restricted`: somebody else has forbidden it, such as a parent. */
  readonly location?: 'always' | 'whenInUse' | 'denied' | 'restricted' | 'notAsked';
  /** Whether the app may use the precise location. */
  readonly precise?: boolean;
  /** Whether the phone's location services are on. */
  readonly locationOn?: boolean;
  /** On Android from version 12 on: whether the app may scan for devices nearby. */
  readonly bluetooth?: Answered;
  readonly bluetoothOn?: boolean;
  readonly notifications?: Answered;
  readonly batterySaver?: boolean;
  readonly os?: string;
  readonly osVersion?: string;
  /** What scans, such as AltBeacon. */
  readonly library?: string;
  readonly libraryVersion?: string;
  /** When the system last woke the app, ISO 8601, and why. */
  readonly lastWakeAt?: string;
  readonly lastWakeBecause?: 'region' | 'scan' | 'push' | 'launch' | 'boot' | 'other';
}

export type SensingDevice = 'ios' | 'android' | 'web' | 'embedded';

export type SensingCause =
  | 'bluetoothOff'
  | 'locationOff'
  | 'locationDenied'
  | 'locationNotAsked'
  | 'bluetoothDenied'
  | 'bluetoothNotAsked'
  | 'imprecise'
  | 'foregroundOnly'
  | 'batterySaver'
  | 'notificationsDenied'
  | 'notificationsNotAsked';

export interface SensingFinding {
  readonly cause: SensingCause;
  /** What does not work because of it. */
  readonly stops: 'hearing' | 'background' | 'messages';
  /** Why, in a sentence. */
  readonly text: string;
  /** What helps, in a sentence. */
  readonly remedy: string;
}

interface Rule extends SensingFinding {
  readonly on?: SensingDevice;
  readonly holds: (health: SensingHealth) => boolean;
}

const inSettings = 'Ask the visitor to allow it in the settings of the phone.';
const toAsk = 'The app has to ask, best where the visitor sees what it is for.';

/** The worst first. */
const rules: readonly Rule[] = [
  {
    cause: 'bluetoothOff',
    stops: 'hearing',
    text: 'Bluetooth is switched off, so the phone hears no beacon.',
    remedy: 'Ask the visitor to switch Bluetooth on.',
    holds: ({ bluetoothOn }) => bluetoothOn === false,
  },
  {
    cause: 'locationOff',
    stops: 'hearing',
    text: 'The location services are switched off, so the phone hears no beacon.',
    remedy: 'Ask the visitor to switch them on in the settings of the phone.',
    holds: ({ locationOn }) => locationOn === false,
  },
  {
    cause: 'locationDenied',
    stops: 'hearing',
    text: 'The app may not use the location, so the phone hears no beacon.',
    remedy: inSettings,
    holds: ({ location }) => location === 'denied' || location === 'restricted',
  },
  {
    cause: 'locationNotAsked',
    stops: 'hearing',
    text: 'The app has not asked for the location, so the phone hears no beacon.',
    remedy: toAsk,
    holds: ({ location }) => location === 'notAsked',
  },
  {
    cause: 'bluetoothDenied',
    stops: 'hearing',
    on: 'android',
    text: 'The app may not look for devices nearby, so the phone hears no beacon.',
    remedy: inSettings,
    holds: ({ bluetooth }) => bluetooth === 'denied',
  },
  {
    cause: 'bluetoothNotAsked',
    stops: 'hearing',
    on: 'android',
    text: 'The app has not asked to look for devices nearby, so the phone hears no beacon.',
    remedy: toAsk,
    holds: ({ bluetooth }) => bluetooth === 'notAsked',
  },
  {
    cause: 'imprecise',
    stops: 'hearing',
    text: 'The app may use only the approximate location, so the phone hears no beacon.',
    remedy: 'Ask the visitor to allow the precise location in the settings of the phone.',
    holds: ({ precise }) => precise === false,
  },
  {
    cause: 'foregroundOnly',
    stops: 'background',
    text: 'The app may use the location only while it is open, so the phone hears nothing in a pocket.',
    remedy: 'Ask the visitor to allow it always in the settings of the phone.',
    holds: ({ location }) => location === 'whenInUse',
  },
  {
    cause: 'batterySaver',
    stops: 'background',
    on: 'android',
    text: 'The battery saver is on, so the phone hears little in a pocket.',
    remedy: 'Ask the visitor to switch the battery saver off, or to exempt the app from it.',
    holds: ({ batterySaver }) => batterySaver === true,
  },
  {
    cause: 'notificationsDenied',
    stops: 'messages',
    text: 'Notifications are not allowed, so messages appear only while the app is open.',
    remedy: inSettings,
    holds: ({ notifications }) => notifications === 'denied',
  },
  {
    cause: 'notificationsNotAsked',
    stops: 'messages',
    text: 'The app has not asked for notifications, so messages appear only while it is open.',
    remedy: toAsk,
    holds: ({ notifications }) => notifications === 'notAsked',
  },
];

/** What is in the way, the worst first; empty where nothing is known to be. */
export function sensingFindings(device: SensingDevice, health: SensingHealth): readonly SensingFinding[] {
  return rules
    .filter(({ on = device, stops }) => on === device && (device !== 'web' || stops === 'messages'))
    .filter(({ holds }) => holds(health))
    .map(({ cause, stops, text, remedy }) => ({ cause, stops, text, remedy }));
}

/** A cause in words, for counts of many phones. */
export function findingOf(cause: string): SensingFinding | undefined {
  const rule = rules.find((one) => one.cause === cause);
  return rule && { cause: rule.cause, stops: rule.stops, text: rule.text, remedy: rule.remedy };
}
