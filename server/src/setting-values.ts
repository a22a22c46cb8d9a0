import { resolve } from 'node:path';
import { isTargetEntry } from './delivery/target-rules.ts';

/** From the text of a setting to its value. Each throws an Error whose message completes "PHAROS_X …". */

export const integer = (min: number, max: number) => (text: string) => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new Error(`must be a whole number from ${min} to ${max}`);
  return value;
};

export const url =
  (...protocols: string[]) =>
  (text: string) => {
    if (text === '') return undefined;
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (!parsed || !protocols.includes(parsed.protocol))
      throw new Error(`must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
    return text.replace(/\/+$/, '');
  };

export const list = (text: string) =>
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

export function trustProxy(text: string): boolean | readonly string[] {
  if (text === 'false' || text === '') return false;
  return text === 'true' ? true : list(text);
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

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

export function logLevel(text: string): string {
  if (!logLevels.includes(text)) throw new Error(`must be one of ${logLevels.join(', ')}`);
  return text;
}
