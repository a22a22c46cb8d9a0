import { readAdvertisingData, readServiceData } from '../frames/advertisement.ts';
import type { GatewayReport, Telemetry } from '../types.ts';
import { bytesOfBase64, bytesOfList, isRecord, nameOf, numberIn, optional, present, type Raw } from '../values.ts';
import type { Collector, Written } from './collector.ts';
import type { Message } from './message.ts';

/**
 * Scripts on Shelly devices: the decoded objects of ALLTERCO's `ble-shelly-blu.js` and its MQTT variant, and scan results
 * `[version, [address, rssi, advertisement, scan response]…]` in base64, as Home Assistant's script emits them; both also within the
 * `NotifyEvent` of `<prefix>/events/rpc`.
 */
export function readShelly({ topic, body, text }: Message, found: Collector): GatewayReport {
  const levels = topic?.split('/') ?? [];
  if (levels.at(-1) === 'online')
    return found.report('shelly', { gateway: nameOf(levels.at(-2)), status: { isOnline: text === 'true' } });
  if (isRecord(body) && body['method'] === 'NotifyEvent') return readNotification(body, found);
  const gateway = isRecord(body) ? (nameOf(body['gateway']) ?? nameOf(body['src'])) : undefined;
  addData(body, undefined, found);
  return found.report('shelly', { gateway });
}

function readNotification({ src, params }: Raw, found: Collector): GatewayReport {
  const { events, ts }: Raw = isRecord(params) ? params : {};
  if (!Array.isArray(events)) found.leaveOut('not_a_report', 'The notification has no events.');
  else
    found.each(events, (event) => {
      if (!isRecord(event) || !String(event['component']).startsWith('script:'))
        found.skip('not_a_report', 'Only the events of scripts are read.');
      else addData(event['data'], event['ts'], found);
    });
  return found.report('shelly', { gateway: nameOf(src), sentAt: ts });
}

function addData(data: unknown, time: unknown, found: Collector): void {
  if (Array.isArray(data)) addScan(data, time, found);
  else if (isRecord(data)) found.add(decoded(data, time));
  else found.skip('not_an_object', 'The data of an event is an object, or a scan result.');
}

/** Version 1 has one result behind its version, 2 a list of results. */
function addScan([version, ...rest]: readonly unknown[], time: unknown, found: Collector): void {
  const results = version === 1 ? [rest] : version === 2 && Array.isArray(rest[0]) ? rest[0] : undefined;
  if (!results) {
    found.skip('not_a_report', 'The scan result has an unknown version.');
    return;
  }
  found.each(results, (result) => {
    const [address, rssi, ...parts] = Array.isArray(result) ? result : [];
    const bytes = parts.slice(0, 2).map((part) => bytesOfBase64(part));
    if (bytes.includes(undefined)) found.skip('bad_frame', 'Advertisement and scan response are base64.');
    found.add({ address, rssi, time, frames: bytes.flatMap((part) => (part ? readAdvertisingData(part) : [])) });
  });
}

/** What the script has read of BTHome, or its bytes as a list. */
function decoded(data: Raw, time: unknown): Written {
  const bytes = bytesOfList(data['data']);
  return {
    address: data['address'] ?? data['addr'],
    rssi: data['rssi'],
    time: time ?? data['time'] ?? data['ts'],
    frames: bytes ? readServiceData(0xfcd2, bytes) : [],
    read: optional('telemetry', telemetryOf(data)),
  };
}

/** A device with several sensors or buttons sends lists. */
const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

function telemetryOf(data: Raw): Telemetry | undefined {
  const buttons = [data['button']].flat().map((button) => numberIn(button, 0, 255));
  return present({
    battery: numberIn(data['battery'], 0, 100),
    temperature: numberIn(first(data['temperature']), -100, 200),
    humidity: numberIn(first(data['humidity']), 0, 100),
    button: buttons.some((button) => button !== undefined)
      ? { isActive: buttons.some((button) => Boolean(button)) }
      : undefined,
  });
}
