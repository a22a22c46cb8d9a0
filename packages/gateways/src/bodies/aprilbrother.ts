import { readAdvertisingData } from '../frames/advertisement.ts';
import type { GatewayReport } from '../types.ts';
import { bytesOfHex, bytesOfList, hexOf, isRecord, nameOf, numberIn, optional } from '../values.ts';
import type { Collector } from './collector.ts';
import type { Message } from './message.ts';

/**
 * AprilBrother's AB BLE Gateway V4 (https://wiki.aprbrother.com/en/User_Guide_For_AB_BLE_Gateway_V4.html): `{v, mid, time, ip, mac,
 * devices}` as MessagePack or JSON. A device is a byte for the kind of advertisement, 6 of address, one of RSSI, and the advertisement; in
 * JSON a list of these, or hexadecimal. `time` is the uptime.
 */
export function readAprilBrother({ body }: Message, found: Collector): GatewayReport {
  if (!isRecord(body) || !Array.isArray(body['devices'])) {
    found.leaveOut('not_a_report', 'Of AprilBrother, only objects with devices are read.');
    return found.report('aprilbrother');
  }
  found.each(body['devices'], (device) => addDevice(device, found));
  const status = {
    isOnline: true,
    ...optional('firmware', nameOf(body['v'], 100)),
    ...optional('uptime', numberIn(body['time'], 0, 1e10)),
  };
  return found.report('aprilbrother', { gateway: nameOf(body['mac']), status });
}

function addDevice(device: unknown, found: Collector): void {
  if (Array.isArray(device) && typeof device[1] === 'string') {
    const [, address, rssi, data] = device;
    const bytes = bytesOfHex(data);
    if (!bytes) found.skip('bad_frame', 'The advertisement is not hexadecimal.');
    found.add({ address, rssi, frames: bytes ? readAdvertisingData(bytes) : [] });
    return;
  }
  const bytes = device instanceof Uint8Array ? device : (bytesOfHex(device) ?? bytesOfList(device));
  if (!bytes || bytes.length < 8) {
    found.skip('bad_frame', 'A device has 8 bytes and its advertisement.');
    return;
  }
  const rssi = (bytes[7] as number) - 256;
  found.add({ address: hexOf(bytes.subarray(1, 7)), rssi, frames: readAdvertisingData(bytes.subarray(8)) });
}
