import { readAdvertisingData } from '../frames/advertisement.ts';
import type { GatewayReport } from '../types.ts';
import { bytesOfHex, isRecord, nameOf } from '../values.ts';
import type { Collector } from './collector.ts';
import type { Message } from './message.ts';

/** What has an advertisement in it: advertisements and scan responses of Bluetooth 4.2, of long range, and of 5 at 1 Mbit/s. */
const types = ['$GPRP', '$RSPR', '$LRAD', '$LRSR', '$1MAD', '$1MSR'];

/**
 * Ingics iGS01 to iGS03, user manual, "Payload format": lines `$GPRP,<tag>,<gateway>,<rssi>,<advertisement>[,<time>]`, or the same in the
 * `data` of an object.
 */
export function readIngics({ body, text }: Message, found: Collector): GatewayReport {
  const listed = isRecord(body) && Array.isArray(body['data']) ? body['data'] : undefined;
  const lines: readonly unknown[] = listed ?? text.split(/\r?\n/).filter((line) => line !== '');
  let gateway: string | undefined;
  found.each(lines, (line) => {
    const [type, address, receiver, rssi, data, time] = typeof line === 'string' ? line.trim().split(',', 8) : [];
    if (type === undefined || !types.includes(type)) {
      found.skip('not_a_report', `Read are ${types.join(', ')}.`);
      return;
    }
    gateway ??= nameOf(receiver);
    const bytes = bytesOfHex(data);
    if (!bytes) found.skip('bad_frame', 'The advertisement is not hexadecimal.');
    found.add({ address, rssi, time: time?.replace(/^\*/, ''), frames: bytes ? readAdvertisingData(bytes) : [] });
  });
  return found.report('ingics', { gateway });
}
