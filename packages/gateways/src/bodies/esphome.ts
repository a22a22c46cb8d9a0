import { readAdvertisingData, readManufacturerData, readServiceData } from '../frames/advertisement.ts';
import type { Frame } from '../frames/frame.ts';
import type { GatewayReport } from '../types.ts';
import { bytesOfBase64, bytesOfHex, hexOf, isRecord, nameOf, type Raw } from '../values.ts';
import type { Collector, Written } from './collector.ts';
import type { Message } from './message.ts';

/**
 * ESPHome has no message of its own for advertisements over MQTT. Read are the members of its API's raw advertisements (`{address, rssi,
 * address_type, data}`), the data of `on_ble_advertise` (`manufacturer_data` and `service_data` by their ids), and the HCI events of the
 * component `ble_gateway` (`{packet, gateway_id}`), one or a list of them. The gateway is named by `gateway_id`, or the first level of the
 * topic.
 */
export function readEspHome({ topic, body }: Message, found: Collector): GatewayReport {
  const all: readonly unknown[] =
    isRecord(body) && Array.isArray(body['advertisements']) ? body['advertisements'] : [body].flat();
  found.each(all, (one) => {
    if (!isRecord(one)) found.skip('not_an_object', 'An advertisement is a JSON object.');
    else if (one['packet'] === undefined) found.add(advertisement(one));
    else addPacket(one['packet'], found);
  });
  const named = isRecord(body) ? nameOf(body['gateway_id']) : undefined;
  return found.report('esphome', { gateway: named ?? nameOf(topic?.split('/')[0]) });
}

function advertisement(one: Raw): Written {
  const { address, address_type: addressType, rssi, data } = one;
  const bytes = bytesOfHex(data) ?? bytesOfBase64(data);
  return {
    // The API has the address as a number.
    address:
      typeof address === 'number' && Number.isSafeInteger(address) ? address.toString(16).padStart(12, '0') : address,
    addressType,
    rssi,
    time: one['timestamp'],
    frames: [
      ...(bytes ? readAdvertisingData(bytes) : []),
      ...byId(one['manufacturer_data'], (id, data) => readManufacturerData(Uint8Array.of(id & 255, id >> 8, ...data))),
      ...byId(one['service_data'], readServiceData),
    ],
  };
}

/** An advertisement has few of them. */
const maxIds = 16;

function byId(values: unknown, read: (id: number, data: Uint8Array) => readonly Frame[]): readonly Frame[] {
  if (!isRecord(values)) return [];
  return Object.entries(values)
    .slice(0, maxIds)
    .flatMap(([id, value]) => {
      const data = bytesOfHex(value);
      return data && /^(?:0x)?[0-9a-f]{4}$/i.test(id) ? read(Number.parseInt(id.slice(-4), 16), data) : [];
    });
}

/** An LE Advertising Report (Core Specification, Vol 4, Part E, 7.7.65.2) with one report, in a packet of UART transport. */
function addPacket(packet: unknown, found: Collector): void {
  const bytes = bytesOfHex(packet);
  const length = bytes?.[13];
  const isReport = bytes?.[0] === 0x04 && bytes[1] === 0x3e && bytes[3] === 0x02 && bytes[4] === 1;
  if (!bytes || !isReport || length === undefined || bytes.length < 15 + length) {
    found.skip('bad_frame', 'The packet is not an HCI advertising report with one report.');
    return;
  }
  const rssi = ((bytes[14 + length] as number) << 24) >> 24;
  found.add({
    address: hexOf(bytes.slice(7, 13).reverse()),
    addressType: bytes[6],
    rssi,
    frames: readAdvertisingData(bytes.subarray(14, 14 + length)),
  });
}
