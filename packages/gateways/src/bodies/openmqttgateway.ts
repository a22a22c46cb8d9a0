import { readAdvertisingData, readManufacturerData, readServiceData } from '../frames/advertisement.ts';
import type { GatewayReport, Heard, Telemetry } from '../types.ts';
import { bytesOfHex, isRecord, nameOf, numberIn, optional, present, type Raw } from '../values.ts';
import type { Collector } from './collector.ts';
import type { Message } from './message.ts';

/**
 * OpenMQTTGateway (https://docs.openmqttgateway.com/use/ble.html) and Theengs Gateway (https://gateway.theengs.io):
 * `<base>/<gateway>/BTtoMQTT/<MAC>`, `…/LWT`, `…/SYStoMQTT`, and for presence `<base>/presence/<gateway>` or `<base>/<gateway>/presence`.
 */
export function readOpenMqttGateway({ topic, body, text }: Message, found: Collector): GatewayReport {
  const { gateway, part } = placeOf(topic);
  if (part === 'LWT')
    return found.report('openmqttgateway', { gateway, status: { isOnline: text.toLowerCase() === 'online' } });
  if (!isRecord(body)) {
    found.leaveOut('not_a_report', 'Of OpenMQTTGateway, only objects and LWT are read.');
    return found.report('openmqttgateway', { gateway });
  }
  if (part === 'SYStoMQTT') {
    const status = {
      isOnline: true,
      ...optional('firmware', nameOf(body['version'], 100)),
      ...optional('uptime', numberIn(body['uptime'], 0, 1e10)),
    };
    return found.report('openmqttgateway', { gateway, status });
  }
  // With `presenceUseBeaconUuid` the id is the UUID, and the address stands beside it.
  found.add({
    address: body['mac'] ?? body['id'],
    addressType: body['mac_type'],
    rssi: body['rssi'],
    frames: framesOf(body),
    read: {
      ...identityOf(body),
      // For other devices it is the power of the sender, at no distance.
      ...(body['uuid'] === undefined ? {} : optional('txPower', numberIn(body['txpower'], -127, 20))),
      ...optional('name', nameOf(body['name'])),
      ...optional('telemetry', telemetryOf(body)),
    },
  });
  return found.report('openmqttgateway', { gateway });
}

const parts = ['BTtoMQTT', 'SYStoMQTT', 'LWT', 'presence'];

function placeOf(topic: string | undefined): { readonly gateway?: string | undefined; readonly part?: string } {
  const levels = topic?.split('/') ?? [];
  const at = levels.findIndex((level) => parts.includes(level));
  if (at === -1) return {};
  const isBefore = levels[at] !== 'presence' || at === levels.length - 1;
  return { gateway: nameOf(levels[isBefore ? at - 1 : at + 1]), part: levels[at] as string };
}

/** Advanced data, if the gateway is told to publish it. */
function framesOf(body: Raw) {
  const [manufacturer, service, whole] = ['manufacturerdata', 'servicedata', 'raw'].map((name) =>
    bytesOfHex(body[name]),
  );
  const uuid = /^(?:0x|0000)?([0-9a-f]{4})(?:-0000-1000-8000-00805f9b34fb)?$/i.exec(
    String(body['servicedatauuid']),
  )?.[1];
  return [
    ...(whole ? readAdvertisingData(whole) : []),
    ...(manufacturer ? readManufacturerData(manufacturer) : []),
    ...(service && uuid ? readServiceData(Number.parseInt(uuid, 16), service) : []),
  ];
}

function identityOf({ uuid, major, minor }: Raw): Pick<Heard, 'identity'> {
  const plain = typeof uuid === 'string' && uuid.length <= 36 ? uuid.replaceAll('-', '').toLowerCase() : '';
  const [first, second] = [numberIn(major, 0, 65_535), numberIn(minor, 0, 65_535)];
  if (!/^[0-9a-f]{32}$/.test(plain) || !Number.isInteger(first) || !Number.isInteger(second)) return {};
  return { identity: { kind: 'ibeacon', uuid: plain, major: first as number, minor: second as number } };
}

/** The properties of Theengs Decoder: https://decoder.theengs.io. */
const telemetryOf = (body: Raw): Telemetry | undefined =>
  present({
    battery: numberIn(body['batt'], 0, 100),
    voltage: numberIn(body['volt'], 0, 100),
    temperature: numberIn(body['tempc'], -100, 200),
    humidity: numberIn(body['hum'], 0, 100),
    movement: typeof body['move'] === 'boolean' ? { isActive: body['move'] } : undefined,
  });
