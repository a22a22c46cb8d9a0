import { readAdvertisingData } from '../frames/advertisement.ts';
import type { GatewayReport } from '../types.ts';
import { bytesOfBase64, isRecord, nameOf, type Raw } from '../values.ts';
import type { Collector } from './collector.ts';
import type { Message } from './message.ts';

/**
 * Kontakt.io's gateways and access points that report for them: `{sourceId, timestamp, events: [{rssi, timestamp, deviceAddress, data,
 * srData}]}` with advertisement and scan response in base64, from version 4 on within `ble`. Times are seconds or milliseconds.
 */
export function readKontakt({ body }: Message, found: Collector): GatewayReport {
  const { events, sourceId, timestamp }: Raw = isRecord(body) ? body : {};
  if (!Array.isArray(events)) found.leaveOut('not_a_report', 'Of Kontakt.io, only objects with events are read.');
  else found.each(events, (event) => addEvent(event, found));
  return found.report('kontakt', { gateway: nameOf(sourceId), sentAt: timestamp });
}

function addEvent(event: unknown, found: Collector): void {
  if (!isRecord(event)) {
    found.skip('not_an_object', 'An event is a JSON object.');
    return;
  }
  const { data, srData, deviceAddress }: Raw = isRecord(event['ble']) ? { ...event, ...event['ble'] } : event;
  const parts = [data, srData].map((part) => (part === undefined || part === '' ? undefined : bytesOfBase64(part)));
  if ([data, srData].some((part, at) => part !== undefined && part !== '' && !parts[at]))
    found.skip('bad_frame', 'data and srData are base64.');
  found.add({
    address: deviceAddress,
    rssi: event['rssi'],
    time: event['timestamp'],
    frames: parts.flatMap((bytes) => (bytes ? readAdvertisingData(bytes) : [])),
  });
}
