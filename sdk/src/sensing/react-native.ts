import type { Border, Hearing, Permission, PlannedRegion, SensingAdapter } from './adapter.ts';
import type { Answered, SensingHealth } from './findings.ts';

/** What is used of `react-native-permissions`. */
export interface PermissionsModule {
  check(permission: never): Promise<string>;
  request(permission: never): Promise<string>;
  checkNotifications(): Promise<{ readonly status: string }>;
  requestNotifications(options: never): Promise<unknown>;
  /** iOS only. */
  checkLocationAccuracy?(): Promise<string>;
  requestLocationAccuracy?(options: never): Promise<string>;
}

/** What is used of `react-native-beacons-manager` (1.0.7). */
export interface BeaconsModule {
  startMonitoringForRegion(region: never): Promise<unknown>;
  stopMonitoringForRegion(region: never): Promise<unknown>;
  startRangingBeaconsInRegion(region: never, uuid?: never): Promise<unknown>;
  stopRangingBeaconsInRegion(region: never, uuid?: never): Promise<unknown>;
  /** Android only. */
  detectIBeacons?(): unknown;
}

/** What is used of `DeviceEventEmitter`. */
export interface DeviceEvents {
  addListener(event: string, listener: (data: never) => void): { remove(): void };
}

export interface ReactNativeOptions {
  /** `Platform` of React Native. */
  readonly platform: { readonly OS: string; readonly Version: string | number };
  /** All of `react-native-permissions`. */
  readonly permissions: PermissionsModule;
  /** The default export of `react-native-beacons-manager`. */
  readonly beacons: BeaconsModule;
  /** `DeviceEventEmitter` of React Native, by which that library tells what it hears. */
  readonly events: DeviceEvents;
  readonly libraryVersion?: string;
  /** The key in `NSLocationTemporaryUsageDescriptionDictionary`; see `platformEntries`. */
  readonly purposeKey?: string;
  /** What neither library tells, from whatever else the app uses. */
  readonly state?: () => Promise<Pick<SensingHealth, 'bluetoothOn' | 'locationOn' | 'batterySaver'>>;
}

const ids = {
  whenInUse: 'ios.permission.LOCATION_WHEN_IN_USE',
  always: 'ios.permission.LOCATION_ALWAYS',
  fine: 'android.permission.ACCESS_FINE_LOCATION',
  coarse: 'android.permission.ACCESS_COARSE_LOCATION',
  inBackground: 'android.permission.ACCESS_BACKGROUND_LOCATION',
  scan: 'android.permission.BLUETOOTH_SCAN',
} as const;

/** That library says `denied` of what can still be asked for, and `blocked` of what was refused for good. */
const answerOf = (status: string): Answered | undefined =>
  status === 'granted' || status === 'limited'
    ? 'granted'
    : status === 'denied'
      ? 'notAsked'
      : status === 'blocked'
        ? 'denied'
        : undefined;

/** React Native on iOS or Android, with `react-native-permissions` and `react-native-beacons-manager`, which the app brings along. */
export function reactNativeAdapter(options: ReactNativeOptions): SensingAdapter {
  const { platform, beacons, events, state } = options;
  const isIos = platform.OS === 'ios';
  const ears = new Ears(beacons, events, isIos);
  return {
    device: isIos ? 'ios' : 'android',
    read: async () => ({
      ...(isIos ? await readIos(options) : await readAndroid(options)),
      ...(await state?.()),
      os: isIos ? 'iOS' : 'Android',
      osVersion: String(platform.Version),
      library: 'react-native-beacons-manager',
      ...(options.libraryVersion === undefined ? {} : { libraryVersion: options.libraryVersion }),
    }),
    ask: (permission) => ask(options, permission, isIos),
    hear: (regions, hearing) => ears.hear(regions, hearing),
  };
}

type Modules = Pick<ReactNativeOptions, 'permissions' | 'purposeKey'>;

async function answered({ permissions }: Modules, id: string): Promise<Answered | undefined> {
  return answerOf(await permissions.check(id as never));
}

async function notificationsOf({ permissions }: Modules) {
  const notifications = answerOf((await permissions.checkNotifications()).status);
  return notifications === undefined ? {} : { notifications };
}

async function readIos(modules: Modules): Promise<SensingHealth> {
  const whenInUse = await answered(modules, ids.whenInUse);
  const isAlways = (await answered(modules, ids.always)) === 'granted';
  const accuracy = whenInUse === 'granted' ? await modules.permissions.checkLocationAccuracy?.() : undefined;
  const location = isAlways ? 'always' : whenInUse === 'granted' ? 'whenInUse' : (whenInUse ?? 'restricted');
  return {
    location,
    ...(accuracy === undefined ? {} : { precise: accuracy === 'full' }),
    ...(await notificationsOf(modules)),
  };
}

async function readAndroid(modules: Modules): Promise<SensingHealth> {
  const fine = await answered(modules, ids.fine);
  const isCoarse = fine !== 'granted' && (await answered(modules, ids.coarse)) === 'granted';
  // Before Android 10 the background needs no permission of its own.
  const background = await answered(modules, ids.inBackground);
  const bluetooth = await answered(modules, ids.scan);
  const isGranted = fine === 'granted' || isCoarse;
  const inUse = background === undefined || background === 'granted' ? 'always' : 'whenInUse';
  return {
    location: isGranted ? inUse : (fine ?? 'restricted'),
    ...(isGranted ? { precise: !isCoarse } : {}),
    ...(bluetooth === undefined ? {} : { bluetooth }),
    ...(await notificationsOf(modules)),
  };
}

async function ask({ permissions, purposeKey = 'Beacons' }: Modules, what: Permission, isIos: boolean): Promise<void> {
  if (what === 'notifications') await permissions.requestNotifications(['alert', 'sound', 'badge'] as never);
  else if (what === 'precise' && isIos) await permissions.requestLocationAccuracy?.({ purposeKey } as never);
  else await permissions.request(idOf(what, isIos) as never);
}

function idOf(what: Permission, isIos: boolean): string {
  if (what === 'bluetooth') return ids.scan;
  if (what === 'background') return isIos ? ids.always : ids.inBackground;
  return isIos ? ids.whenInUse : ids.fine;
}

interface Heard {
  readonly uuid: string;
  readonly major: number;
  readonly minor: number;
  readonly rssi: number;
}

/** A region that is monitored already stays: the system knows whether the phone is in it. */
class Ears {
  readonly #beacons: BeaconsModule;
  readonly #events: DeviceEvents;
  readonly #isIos: boolean;
  #monitored: ReadonlyMap<string, PlannedRegion> = new Map();
  #ranged: ReadonlySet<string> = new Set();
  #listeners: readonly { remove(): void }[] = [];

  constructor(beacons: BeaconsModule, events: DeviceEvents, isIos: boolean) {
    this.#beacons = beacons;
    this.#events = events;
    this.#isIos = isIos;
  }

  async hear(regions: readonly PlannedRegion[], hearing: Hearing): Promise<() => void> {
    this.#beacons.detectIBeacons?.();
    this.#listen(hearing);
    const wanted = new Map(regions.map((region) => [region.identifier, region]));
    const before = this.#monitored;
    this.#monitored = wanted;
    for (const [identifier, region] of before)
      if (!wanted.has(identifier)) await this.#beacons.stopMonitoringForRegion(named(region));
    for (const [identifier, region] of wanted)
      if (!before.has(identifier)) await this.#beacons.startMonitoringForRegion(named(region));
    const uuids = new Set(regions.map(({ uuid }) => uuid));
    const ranged = this.#ranged;
    this.#ranged = uuids;
    for (const uuid of ranged) if (!uuids.has(uuid)) await this.#range('stopRangingBeaconsInRegion', uuid);
    for (const uuid of uuids) if (!ranged.has(uuid)) await this.#range('startRangingBeaconsInRegion', uuid);
    return () => void this.hear([], { onBorder: () => undefined, onSamples: () => undefined });
  }

  /** Its Android part wants the identifier and the UUID, its iOS part a region. */
  #range(how: 'startRangingBeaconsInRegion' | 'stopRangingBeaconsInRegion', uuid: string): Promise<unknown> {
    const identifier = `ranging ${uuid}`;
    if (this.#isIos) return this.#beacons[how]({ identifier, uuid } as never);
    return this.#beacons[how](identifier as never, uuid as never);
  }

  #listen({ onBorder, onSamples }: Hearing): void {
    for (const listener of this.#listeners) listener.remove();
    const on = <T>(event: string, listener: (data: T) => void) =>
      this.#events.addListener(event, listener as (data: never) => void);
    const border = (event: Border['event']) => (region: { readonly identifier: string }) => {
      if (this.#monitored.has(region.identifier)) onBorder({ identifier: region.identifier, event });
    };
    this.#listeners = [
      on('regionDidEnter', border('ENTER')),
      on('regionDidExit', border('EXIT')),
      on('beaconsDidRange', ({ beacons }: { readonly beacons: readonly Heard[] }) =>
        // 0: the chip could not measure. Distances are smoothed by the library, and so of no use.
        onSamples(
          beacons
            .filter(({ rssi }) => rssi !== 0)
            .map(({ uuid, major, minor, rssi }) => ({ uuid, major, minor, rssi })),
        ),
      ),
    ];
  }
}

const named = ({ identifier, uuid, major, minor }: PlannedRegion) =>
  ({
    identifier,
    uuid,
    ...(major === undefined ? {} : { major }),
    ...(minor === undefined ? {} : { minor }),
  }) as never;
