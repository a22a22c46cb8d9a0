import type { Telemetry } from '@pharos/gateways';
import { isObject } from '@pharos/query';
import { Type } from 'typebox';

const values = {
  battery: { min: 0, max: 100, description: 'Per cent' },
  voltage: { min: 0, max: 100, description: 'Of the battery, volts' },
  temperature: { min: -100, max: 200, description: '°C' },
  humidity: { min: 0, max: 100, description: 'Per cent' },
  uptime: { min: 0, max: 3e9, description: 'Seconds since its start' },
} as const;

type ValueName = keyof typeof values;
const valueNames = Object.keys(values) as ValueName[];
const maxFirmware = 60;

/** What a beacon tells of itself, as the interface writes it. */
export const telemetryMembers = {
  ...(Object.fromEntries(
    valueNames.map((name) => {
      const { min, max, description } = values[name];
      return [name, Type.Optional(Type.Number({ minimum: min, maximum: max, description }))];
    }),
  ) as { readonly [N in ValueName]: ReturnType<typeof Type.Optional<ReturnType<typeof Type.Number>>> }),
  firmware: Type.Optional(Type.String({ minLength: 1, maxLength: maxFirmware })),
};

/** Reads what a phone or a server says of a beacon; the rest of a sentence if it cannot be used. */
export function readTelemetry(raw: unknown): Telemetry | string {
  if (!isObject(raw)) return ' must be an object such as {"battery": 80, "temperature": 21.5}.';
  const read: Record<string, unknown> = {};
  for (const name of valueNames) {
    const value = raw[name];
    const { min, max } = values[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'number' || !(value >= min && value <= max))
      return `: ${name} must be a number from ${min} to ${max}.`;
    read[name] = value;
  }
  const { firmware } = raw;
  if (firmware !== undefined && firmware !== null) {
    if (typeof firmware !== 'string' || firmware === '' || firmware.length > maxFirmware || !firmware.isWellFormed())
      return `: firmware must be a text of 1 to ${maxFirmware} characters.`;
    read['firmware'] = firmware;
  }
  for (const name of ['movement', 'button'] as const) {
    const value = raw[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'boolean') return `: ${name} must be true or false.`;
    read[name] = { isActive: value };
  }
  return Object.keys(read).length > 0
    ? read
    : ' must have battery, voltage, temperature, humidity, uptime, firmware, movement or button.';
}
