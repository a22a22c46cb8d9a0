import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { readPostgresAddress } from '../db/postgres/postgres-servers.ts';
import { isTargetEntry } from '../delivery/provider/target-rules.ts';

/** Each converts the text of a setting to its value and throws an Error whose message completes "PHAROS_X …". */

export const integer = (min: number, max: number) => (text: string) => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new Error(`must be a whole number from ${min} to ${max}`);
  return value;
};

/** A host name or an address; an empty one would mean every address of the machine. */
export function host(text: string): string {
  if (!/^[\w.:%-]+$/.test(text)) throw new Error('must be a host name or an address, such as 127.0.0.1 or 0.0.0.0');
  return text;
}

export function folder(text: string): string {
  if (text === '') throw new Error('must be a folder');
  return resolve(text);
}

export function mailAddress(text: string): string {
  if (!/^[^\r\n]*[^\s@<>]@[^\s@<>][^\r\n]*$/.test(text))
    throw new Error('must be a mail address, such as pharos@example.org or Pharos <pharos@example.org>');
  return text;
}

export const url =
  (...protocols: string[]) =>
  (text: string) => {
    if (text === '') return undefined;
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (!parsed || !protocols.includes(parsed.protocol))
      throw new Error(`must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
    if (!isDecodable(parsed)) throw new Error(badPercent);
    return text.replace(/\/+$/, '');
  };

/** What addresses of files and of pages are put behind. */
export function publicUrl(text: string): string | undefined {
  const address = url('http:', 'https:')(text);
  if (address !== undefined && /[?#]|\/\/[^/]*@/.test(address))
    throw new Error('must end with the host, the port or a path: no user name, and nothing after ? or #');
  return address;
}

const badPercent = 'must have a % in it as %25; other special characters likewise';

/** Whether the percent signs of an address are valid escapes. In a password they are decoded only later. */
function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

export function postgresUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const { servers } = readPostgresAddress(text);
  for (const { url } of servers) if (URL.canParse(url) && !isDecodable(new URL(url))) throw new Error(badPercent);
  return text.replace(/\/+$/, '');
}

/** Addresses of NATS servers, joined by commas. */
export function busUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const isAddress = (part: string) => URL.canParse(part) && /^(nats|tls):$/.test(new URL(part).protocol);
  if (!text.split(',').every((part) => isAddress(part.trim()) && new URL(part.trim()).hostname !== ''))
    throw new Error('must be the address of a NATS server, such as nats://user:password@host:4222');
  if (!text.split(',').every((part) => isDecodable(new URL(part.trim())))) throw new Error(badPercent);
  return text;
}

/** Topics of MQTT to subscribe to; + and # stand for whole levels, # only for the last ones. Those of a shared subscription are without it. */
export function topicFilters(text: string): readonly string[] {
  const filters = list(text);
  const isFilter = (filter: string) => /^(?!\$share\/)(?:(?:\+|[^+#/]*)\/)*(?:[^+#/]*|\+|#)$/.test(filter);
  if (!filters.every((filter) => isFilter(filter) && !filter.includes('\u0000')))
    throw new Error('must be topics with commas between, in which + and # stand for whole levels');
  return filters;
}

export function topicPrefix(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/^[\w-]+(?:\/[\w-]+)*$/.test(text))
    throw new Error('must be the beginning of topics, without wildcards, such as homeassistant');
  return text;
}

const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

export function headerPrefixes(text: string): readonly string[] {
  const prefixes = list(text).map((prefix) => prefix.toLowerCase());
  if (prefixes.length === 0 || !prefixes.every((prefix) => /^[a-z0-9-]{1,40}-$/.test(prefix))) {
    throw new Error('must be header prefixes that end with a dash, joined by commas, such as X-Service-,X-Other-');
  }
  return prefixes;
}

/** Origins as browsers send them: scheme, host, and the port unless it is the scheme's default. */
export function corsOrigins(text: string): readonly string[] | '*' {
  if (text === '*') return '*';
  const origins = list(text);
  if (!origins.every(isOrigin))
    throw new Error(
      'must be * or web origins joined by commas, each with its scheme and nothing after the host and port, such as https://app.example.org',
    );
  return origins;
}

function isOrigin(text: string): boolean {
  // Sent by pages without an origin, such as those of a file.
  if (text === 'null') return true;
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/.test(text) || !URL.canParse(text)) return false;
  const { origin } = new URL(text);
  // Apps in a web view have their own schemes, which have no origin.
  return origin === text || origin === 'null';
}

/**
 * False, the number of proxies in front of the service, or their addresses and networks. Trusting everything in
 * X-Forwarded-For would let each client choose its own address, since proxies append to what they receive.
 */
export function trustProxy(text: string): false | number | readonly string[] {
  if (text === 'false' || text === '') return false;
  const what =
    'false, the number of proxies in front of the service, such as 1, or their addresses and networks, such as 10.1.0.0/16, joined by commas';
  if (text === 'true')
    throw new Error(`must not be true, which lets every client choose its own address; write ${what}`);
  if (/^([1-9]|1\d|20)$/.test(text)) return Number(text);
  const entries = list(text);
  if (entries.length === 0 || !entries.every(isAddressOrNetwork)) throw new Error(`must be ${what}`);
  return entries;
}

/** Names that the web framework has for networks of and around this machine. */
const knownNetworks = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isAddressOrNetwork(text: string): boolean {
  if (knownNetworks.has(text)) return true;
  const [address = '', bits, ...more] = text.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)];
  return most !== undefined && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits <= most));
}

export const file = (text: string) => (text === '' ? undefined : resolve(text));

export function targets(text: string): readonly string[] {
  const entries = list(text);
  if (!entries.every(isTargetEntry))
    throw new Error('must be host names, addresses or networks such as 10.1.0.0/16, joined by commas');
  return entries;
}

export function secretKeys(text: string): readonly Buffer[] {
  const keys = list(text).map((item) => Buffer.from(item, /^[0-9a-f]{64}$/i.test(item) ? 'hex' : 'base64'));
  if (keys.some((key) => key.length !== 32))
    throw new Error('must be 32 bytes in base64 (openssl rand -base64 32) or in hexadecimal; several joined by commas');
  return keys;
}

export function onOrOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new Error('must be on or off');
  return text === 'on';
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

export const oneOf =
  <const Words extends readonly string[]>(...words: Words) =>
  (text: string): Words[number] => {
    const word = words.find((one) => one === text);
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`);
    return word;
  };
