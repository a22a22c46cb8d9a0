import {
  type AddressReading,
  asNumber,
  type Draft,
  type DraftReading,
  isRecord,
  optional,
  readAddress,
  refuse,
} from './wire-values.ts';

type Raw = Record<string, unknown>;

/** Metres that stand for the zones of a sender which tells only those: the middle of each, as the gates see it. */
const ZONE_METRES: Readonly<Record<string, number>> = { immediate: 0.5, near: 2, far: 6 };

/** A zone's name in any of the spellings in use; "unknown" and anything else give nothing. */
function zoneMetres(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const zone = value.toLowerCase().replace(/^proximity/, '');
  return Object.hasOwn(ZONE_METRES, zone) ? ZONE_METRES[zone] : undefined;
}

/** rssi, and distance or accuracy or zone. A zone by itself is Apple's own smoothed judgement. */
function measurement(raw: Raw, txPower: unknown): Omit<Draft, 'subject'> {
  const rssi = asNumber(raw['rssi']);
  const distance = asNumber(raw['distance'] ?? raw['accuracy']);
  const zone = rssi === undefined && distance === undefined ? zoneMetres(raw['proximity']) : undefined;
  return {
    ...optional('rssi', rssi),
    ...optional('txPower', txPower),
    ...optional('distance', distance ?? zone),
    ...(zone === undefined ? {} : { smoothed: true as const }),
  };
}

function phoneReading(addressed: AddressReading, values: Omit<Draft, 'subject'>): DraftReading {
  if (!addressed.ok) return addressed;
  return { ok: true, draft: { subject: { direction: 'phone', address: addressed.address }, ...values } };
}

/** ENTER and EXIT in any case. */
function decisionOf(value: unknown): 'ENTER' | 'EXIT' | undefined {
  const text = typeof value === 'string' ? value.toUpperCase() : undefined;
  return text === 'ENTER' || text === 'EXIT' ? text : undefined;
}

/**
 * Pharos' own: `{beacon | beaconId | uuid+major+minor, event | rssi | accuracy | distance | proximity, txPower?,
 * occurredAt?, eventId?, sender?, interval?, receiver?}`. `beacon` is an objectId, a Pointer or an address.
 */
export function readPharos(raw: Raw): DraftReading {
  const event = decisionOf(raw['event']);
  if (raw['event'] !== undefined && event === undefined) {
    return refuse('bad_event', 'event', 'event is ENTER or EXIT; zones are decided here, from rssi.');
  }
  const receiver = typeof raw['receiver'] === 'string' ? { receiver: raw['receiver'] } : {};
  const values = event === undefined ? { ...measurement(raw, raw['txPower']), ...receiver } : { event };
  const named = raw['beacon'] ?? raw['beaconId'];
  const beaconId = isRecord(named) ? named['objectId'] : named;
  if (typeof beaconId === 'string' && beaconId !== '') {
    return { ok: true, draft: { subject: { direction: 'phone', beaconId }, ...values } };
  }
  const address = isRecord(named) ? named : raw;
  if (address['uuid'] === undefined) {
    return refuse('no_beacon', 'beacon', "Name the beacon by its objectId in 'beacon', or by uuid, major and minor.");
  }
  return phoneReading(readAddress(address['uuid'], address['major'], address['minor'], event !== undefined), values);
}

/**
 * react-native-beacons-manager: ranging `{uuid, major, minor, rssi, proximity, distance | accuracy}`; unknown is distance
 * 999 or accuracy −1. Its region objects (`identifier` without rssi) need an `event` and are read as Pharos' own.
 */
export function readReactNative(raw: Raw): DraftReading {
  if (raw['uuid'] === undefined) {
    return refuse(
      'unknown_shape',
      'uuid',
      'No known sender writes sightings like this: uuid, major and minor are missing.',
    );
  }
  return phoneReading(readAddress(raw['uuid'], raw['major'], raw['minor']), measurement(raw, raw['txPower']));
}

/** Cordova and Ionic: `{uuid, major, minor, proximity: "ProximityNear", rssi, tx, accuracy}`, numbers often as strings. */
export function readCordova(raw: Raw): DraftReading {
  return phoneReading(readAddress(raw['uuid'], raw['major'], raw['minor']), measurement(raw, raw['tx']));
}

/** AltBeacon library: `{id1: uuid, id2: major, id3: minor, rssi, txPower, distance}`. */
export function readAltBeacon(raw: Raw): DraftReading {
  return phoneReading(readAddress(raw['id1'], raw['id2'], raw['id3']), measurement(raw, raw['txPower']));
}

/**
 * ESPresense over MQTT, `espresense/devices/<id>/<room>` with `{id, rssi, "rssi@1m", distance, …}`. The room's node is the
 * gateway, the advertised id the tag. It has filtered already, so its distance is taken as it is.
 */
export function readEspresense(raw: Raw, topic?: string): DraftReading {
  const [, , topicId, room] = topic?.split('/') ?? [];
  const id = typeof raw['id'] === 'string' ? raw['id'] : topicId;
  if (id === undefined || room === undefined || room === '') {
    return refuse('unknown_shape', 'topic', 'An ESPresense report needs its topic, espresense/devices/<id>/<room>.');
  }
  const distance = asNumber(raw['distance']);
  // Milliseconds: `interval` from v2.1 to v3.3.6, `int` from v4 on.
  const interval = asNumber(raw['int'] ?? raw['interval']);
  const values: Omit<Draft, 'subject'> = {
    ...(interval === undefined || interval < 0 ? {} : { interval: interval / 1000 }),
    ...optional('rssi', raw['rssi']),
    ...optional('txPower', raw['rssi@1m']),
    ...optional('distance', distance),
    ...(distance === undefined ? {} : { smoothed: true as const }),
    receiver: room,
    sender: 'espresense',
  };
  return gatewayReading({ gateway: room, tag: id, values, address: addressInId(id) });
}

/** "iBeacon:<uuid>-<major>-<minor>"; other ids (a MAC address, a name) are tags without an address. */
function addressInId(id: string): AddressReading | undefined {
  const match = /^iBeacon:(.+)-(\d+)-(\d+)$/i.exec(id);
  return match === null ? undefined : readAddress(match[1], match[2], match[3]);
}

/** OpenMQTTGateway and Theengs, `<base>/<gateway>/BTtoMQTT/<MAC>` with `{id, uuid?, major?, minor?, rssi, txpower?}`. */
export function readOpenMqttGateway(raw: Raw, topic?: string): DraftReading {
  const parts = topic?.split('/') ?? [];
  const mark = parts.indexOf('BTtoMQTT');
  const gateway = parts[mark - 1];
  const mac = typeof raw['id'] === 'string' ? raw['id'] : parts[mark + 1];
  if (mark < 1 || gateway === undefined || mac === undefined) {
    return refuse(
      'unknown_shape',
      'topic',
      'An OpenMQTTGateway report needs its topic, <base>/<gateway>/BTtoMQTT/<MAC>.',
    );
  }
  const address = raw['uuid'] === undefined ? undefined : readAddress(raw['uuid'], raw['major'], raw['minor']);
  const values: Omit<Draft, 'subject'> = {
    ...optional('rssi', raw['rssi']),
    ...optional('txPower', raw['txpower']),
    // Its own distance rests on a fixed formula; ours on the calibration.
    ...(raw['rssi'] === undefined ? optional('distance', raw['distance']) : {}),
    receiver: gateway,
    sender: 'openmqttgateway',
  };
  return gatewayReading({ gateway, tag: mac, values, address });
}

interface GatewayReport {
  readonly gateway: string;
  /** What the gateway calls the tag, when it has no address of its own. */
  readonly tag: string;
  readonly values: Omit<Draft, 'subject'>;
  readonly address: AddressReading | undefined;
}

function gatewayReading({ gateway, tag, values, address }: GatewayReport): DraftReading {
  if (tag.trim() === '')
    return refuse('unknown_shape', 'id', 'A sighting of a gateway names the tag that it heard: send its id.');
  if (address !== undefined && !address.ok) return address;
  const own = address === undefined ? {} : { address: address.address };
  return { ok: true, draft: { subject: { direction: 'gateway', gateway, tag, ...own }, ...values } };
}
