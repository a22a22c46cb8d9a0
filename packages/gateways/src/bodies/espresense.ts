import type { GatewayReport, Heard, Telemetry } from '../types.ts';
import { addressOf, isRecord, nameOf, numberIn, numberOf, optional, present, type Raw } from '../values.ts';
import type { Collector } from './collector.ts';
import type { Message } from './message.ts';

/**
 * ESPresense: https://espresense.com, and the firmware's `BleFingerprint::fill` and `sendTelemetry`. Topics
 * `espresense/devices/<id>/<room>` and `espresense/rooms/<room>/status|telemetry`; the room is the gateway.
 */
export function readEspresense({ topic, body, text }: Message, found: Collector): GatewayReport {
  const [, kind, first, second, more] = topic?.split('/') ?? [];
  if (kind === 'rooms') return readRoom({ room: first, part: second, body, text }, found);
  const gateway = nameOf(second);
  if (!isRecord(body) || more !== undefined || (kind !== undefined && kind !== 'devices')) {
    found.leaveOut('not_a_report', 'Only espresense/devices/<id>/<room> and espresense/rooms/<room>/… are read.');
    return found.report('espresense', { gateway });
  }
  const id = nameOf(body['id']) ?? nameOf(first);
  const distance = numberIn(body['distance'], 0, 998);
  found.add({
    address: body['mac'] ?? id,
    rssi: body['rssi'],
    read: {
      ...(id === undefined ? {} : identified(id)),
      ...optional('txPower', numberIn(body['rssi@1m'], -127, 20)),
      ...optional('distance', distance),
      // Milliseconds from one advertisement to the next: `interval` from v2.1 to v3.3.6, `int` from v4 on.
      ...optional('interval', seconds(body['int'] ?? body['interval'])),
      ...optional('name', nameOf(body['name'])),
      ...optional('telemetry', telemetryOf(body)),
    },
  });
  return found.report('espresense', { gateway });
}

function readRoom(
  { room, part, body, text }: { room: string | undefined; part: string | undefined; body: unknown; text: string },
  found: Collector,
): GatewayReport {
  const gateway = nameOf(room);
  if (part === 'status') return found.report('espresense', { gateway, status: { isOnline: text === 'online' } });
  if (part === 'telemetry' && isRecord(body)) {
    const firmware = nameOf(body['ver'], 100);
    return found.report('espresense', {
      gateway,
      status: {
        isOnline: true,
        ...optional('firmware', firmware),
        ...optional('uptime', numberIn(body['uptime'], 0, 1e10)),
      },
    });
  }
  found.leaveOut('not_a_report', 'Of rooms, only status and telemetry are read.');
  return found.report('espresense', { gateway });
}

const seconds = (ms: unknown): number | undefined => {
  const number = numberIn(ms, 0, 86_400_000);
  return number === undefined ? undefined : number / 1000;
};

const telemetryOf = (body: Raw): Telemetry | undefined => {
  const millivolts = numberOf(body['mV']);
  return present({
    battery: numberIn(body['batt'], 0, 100),
    voltage: millivolts === undefined ? undefined : millivolts / 1000,
    temperature: numberIn(body['temp'], -100, 200),
    humidity: numberIn(body['rh'], 0, 100),
  });
};

/** `iBeacon:<uuid>-<major>-<minor>`, `altBeacon:…`, an address; everything else is what ESPresense calls the device. */
function identified(id: string): Pick<Heard, 'identity'> {
  const beacon = /^(iBeacon|altBeacon):([0-9a-f-]{32,36})-(\d{1,5})-(\d{1,5})$/i.exec(id);
  if (!beacon) return addressOf(id) === undefined ? { identity: { kind: 'named', id } } : {};
  const [, kind = '', uuid = '', major, minor] = beacon;
  const identity = {
    kind: kind.toLowerCase() as 'ibeacon' | 'altbeacon',
    uuid: uuid.replaceAll('-', '').toLowerCase(),
    major: Number(major),
    minor: Number(minor),
  };
  const isWhole = identity.uuid.length === 32 && identity.major <= 65_535 && identity.minor <= 65_535;
  return { identity: isWhole ? identity : { kind: 'named', id } };
}
