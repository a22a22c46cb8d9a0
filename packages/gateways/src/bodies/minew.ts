import { readAdvertisingData } from '../frames/advertisement.ts';
import type { GatewayReport, GatewayStatus, Heard } from '../types.ts';
import { bytesOfHex, isRecord, nameOf, numberIn, optional, present, type Raw } from '../values.ts';
import type { Collector } from './collector.ts';
import type { Message } from './message.ts';

/**
 * Minew G1, MG3 and others, JSON-LONG: an array, in which the entry of type `Gateway` is the gateway, and every other one an
 * advertisement, with `rawData` or the values of an iBeacon or sensor. JSON-RAW (G2) begins with `{gateway}` instead.
 */
export function readMinew({ topic, body }: Message, found: Collector): GatewayReport {
  const entries: readonly unknown[] = Array.isArray(body) ? body : [];
  if (!Array.isArray(body)) found.leaveOut('not_a_report', 'Of Minew, only arrays are read.');
  const own = entries.slice(0, 10).find((entry): entry is Raw => isRecord(entry) && isGateway(entry));
  found.each(entries, (entry) => {
    if (!isRecord(entry)) found.skip('not_an_object', 'An entry is a JSON object.');
    else if (!isGateway(entry)) addEntry(entry, found);
  });
  const gateway =
    nameOf(own?.['mac']) ?? nameOf(own?.['gateway']) ?? nameOf(/^\/?gw\/([^/]+)\//.exec(topic ?? '')?.[1]);
  const status: GatewayStatus = { isOnline: true, ...optional('load', numberIn(own?.['gatewayLoad'], 0, 1e6)) };
  return found.report('minew', { gateway, sentAt: own?.['timestamp'], ...(own ? { status } : {}) });
}

const isGateway = (entry: Raw) =>
  entry['type'] === 'Gateway' || (entry['gateway'] !== undefined && entry['rssi'] === undefined);

function addEntry(entry: Raw, found: Collector): void {
  const bytes = bytesOfHex(entry['rawData']);
  if (entry['rawData'] !== undefined && !bytes) found.skip('bad_frame', 'rawData is not hexadecimal.');
  // 0: the gateway has read none.
  const battery = numberIn(entry['battery'], 1, 100);
  const temperature = numberIn(entry['temperature'], -100, 200);
  const humidity = numberIn(entry['humidity'], 0, 100);
  found.add({
    address: entry['mac'],
    rssi: entry['rssi'],
    time: entry['timestamp'],
    frames: bytes ? readAdvertisingData(bytes) : [],
    read: {
      ...(bytes ? {} : beaconOf(entry)),
      ...optional('name', nameOf(entry['bleName'])),
      ...optional('telemetry', present({ battery, temperature, humidity })),
    },
  });
}

function beaconOf(entry: Raw): Pick<Heard, 'identity' | 'txPower'> {
  const uuid = entry['ibeaconUuid'];
  const [major, minor] = [numberIn(entry['ibeaconMajor'], 0, 65_535), numberIn(entry['ibeaconMinor'], 0, 65_535)];
  if (typeof uuid !== 'string' || !/^[0-9a-f]{32}$/i.test(uuid) || major === undefined || minor === undefined)
    return {};
  return {
    identity: { kind: 'ibeacon', uuid: uuid.toLowerCase(), major, minor },
    ...optional('txPower', numberIn(entry['ibeaconTxPower'], -127, 20)),
  };
}
