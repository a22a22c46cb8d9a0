import { readAdvertisingData } from '../frames/advertisement.ts';
import type { GatewayReport } from '../types.ts';
import { bytesOfHex, isRecord, nameOf, type Raw } from '../values.ts';
import type { Collector } from './collector.ts';
import type { Message } from './message.ts';

/**
 * Ruuvi Gateway, https://docs.ruuvi.com/gw-data-formats. MQTT: `<prefix>/<gateway>/<address>` with `{gw_mac, rssi, gwts, ts, data}`, and
 * `…/gw_status`. HTTP: `{data: {gw_mac, timestamp, tags: {address: {rssi, timestamp, data}}}}`. The times may be missing.
 */
export function readRuuvi({ topic, body }: Message, found: Collector): GatewayReport {
  const message: Raw = isRecord(body) ? body : {};
  const levels = topic?.split('/') ?? [];
  if (levels.at(-1) === 'gw_status')
    return found.report('ruuvi', {
      gateway: nameOf(levels.at(-2)),
      status: { isOnline: message['state'] === 'online' },
    });
  if (isRecord(message['data'])) return readTags(message['data'], found);
  addTag(levels.at(-1), { ...message, timestamp: message['ts'] }, found);
  return found.report('ruuvi', { gateway: nameOf(message['gw_mac']), sentAt: message['gwts'] });
}

function readTags({ tags, gw_mac: gateway, timestamp }: Raw, found: Collector): GatewayReport {
  if (!isRecord(tags)) found.leaveOut('not_a_report', 'The message has no tags.');
  else found.each(Object.entries(tags), ([address, tag]) => addTag(address, tag, found));
  return found.report('ruuvi', { gateway: nameOf(gateway), sentAt: timestamp });
}

function addTag(address: string | undefined, tag: unknown, found: Collector): void {
  if (!isRecord(tag)) {
    found.skip('not_an_object', 'A tag is a JSON object.');
    return;
  }
  const bytes = bytesOfHex(tag['data']);
  if (!bytes) found.skip('bad_frame', 'data is not hexadecimal.');
  found.add({ address, rssi: tag['rssi'], time: tag['timestamp'], frames: bytes ? readAdvertisingData(bytes) : [] });
}
