import { decode } from '@msgpack/msgpack';
import { readAprilBrother } from './bodies/aprilbrother.ts';
import { Collector } from './bodies/collector.ts';
import { readEspHome } from './bodies/esphome.ts';
import { readEspresense } from './bodies/espresense.ts';
import { readIngics } from './bodies/ingics.ts';
import { readKontakt } from './bodies/kontakt.ts';
import type { Message } from './bodies/message.ts';
import { readMinew } from './bodies/minew.ts';
import { readOpenMqttGateway } from './bodies/openmqttgateway.ts';
import { readRuuvi } from './bodies/ruuvi.ts';
import { readShelly } from './bodies/shelly.ts';
import type { Format, GatewayReport } from './types.ts';
import { isRecord } from './values.ts';

/** Larger messages are not read. */
export const maxBytes = 1_048_576;
/** MessagePack can be nested a million times in as many bytes, and takes half a second then. The largest message has 12 kB. */
const maxPacked = 131_072;

export interface GatewayMessage {
  readonly payload: Uint8Array;
  /** The MQTT topic, if it came that way: some gateways put half of the message there. */
  readonly topic?: string | undefined;
  /** Whose message it is; found out by topic and shape if it is not said. */
  readonly format?: Format | undefined;
}

const readers: Readonly<Record<Format, (message: Message, found: Collector) => GatewayReport>> = {
  aprilbrother: readAprilBrother,
  esphome: readEspHome,
  espresense: readEspresense,
  ingics: readIngics,
  kontakt: readKontakt,
  minew: readMinew,
  openmqttgateway: readOpenMqttGateway,
  ruuvi: readRuuvi,
  shelly: readShelly,
};

/**
 * Reads a message of any known gateway. Never throws: what cannot be used is in `leftOut`, with the reason. Time and memory are bounded by
 * `maxBytes` and `maxHeard`.
 */
export function readGatewayMessage({ payload, topic, format: given }: GatewayMessage): GatewayReport {
  const found = new Collector();
  if (payload.length > maxBytes) {
    found.leaveOut('too_large', `The message has ${payload.length} bytes, and may have ${maxBytes}.`);
    return found.report(given);
  }
  const message = { topic, ...parsed(payload) };
  const format = given ?? formatOf(message);
  if (format !== undefined) return readers[format](message, found);
  if (message.body === undefined)
    found.leaveOut('malformed', 'The message is neither JSON nor MessagePack, nor lines.');
  else found.leaveOut('unknown_format', 'No known gateway writes messages of this form.');
  return found.report(undefined);
}

function parsed(payload: Uint8Array): Pick<Message, 'body' | 'text'> {
  // A map of MessagePack: 0x80 to 0x8f, or 0xde; no text in UTF-8 begins like this.
  const first = payload[0] ?? 0;
  if ((first & 0xf0) === 0x80 || first === 0xde) return { body: unpacked(payload), text: '' };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(payload);
  } catch {
    return { body: undefined, text: '' };
  }
  try {
    return { body: JSON.parse(text), text };
  } catch {
    return { body: undefined, text };
  }
}

function unpacked(payload: Uint8Array): unknown {
  if (payload.length > maxPacked) return undefined;
  try {
    return decode(payload);
  } catch {
    return undefined;
  }
}

/** By the topic, then by members that no other format has. */
function formatOf({ topic = '', body, text }: Message): Format | undefined {
  if (topic.startsWith('espresense/')) return 'espresense';
  if (/\/(?:BTtoMQTT|SYStoMQTT|presence)(?:\/|$)|\/LWT$/.test(topic)) return 'openmqttgateway';
  if (/\/events\/rpc$/.test(topic) || topic.startsWith('shelly')) return 'shelly';
  if (topic.endsWith('/gw_status')) return 'ruuvi';
  if (text.startsWith('$')) return 'ingics';
  if (Array.isArray(body)) return typeof body[0] === 'number' ? 'shelly' : 'minew';
  return isRecord(body) ? formatOfObject(body) : undefined;
}

function formatOfObject(body: Readonly<Record<string, unknown>>): Format | undefined {
  const { data, events, devices } = body;
  if (Array.isArray(events)) return 'kontakt';
  if (Array.isArray(devices)) return 'aprilbrother';
  if (body['method'] === 'NotifyEvent' || body['BTHome_version'] !== undefined) return 'shelly';
  if (body['gw_mac'] !== undefined || (isRecord(data) && data['tags'] !== undefined)) return 'ruuvi';
  if (Array.isArray(data)) return typeof data[0] === 'number' ? 'shelly' : 'ingics';
  if (body['rssi@1m'] !== undefined) return 'espresense';
  if (body['packet'] !== undefined || body['advertisements'] !== undefined) return 'esphome';
  if (body['address'] !== undefined && body['rssi'] !== undefined) return 'esphome';
  return body['id'] !== undefined && body['rssi'] !== undefined ? 'openmqttgateway' : undefined;
}
