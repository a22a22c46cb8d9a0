import type { Random } from '@pharos/engine/simulation';
import type { HourTelemetry } from '../../../src/features/presence/fleet/days/day.ts';
import type { Battery, Building, Sender } from './building.ts';

export interface Telling {
  readonly random: Random;
  readonly told: Building['told'];
  readonly hour: number;
  readonly isHeardBy: { readonly phones: boolean; readonly gateways: boolean };
}

/** What is known of a beacon from one hour, if anything. */
export function toldBy(sender: Sender, { random, told, hour, isHeardBy }: Telling): HourTelemetry | undefined {
  const byGateway = told === 'gateways' && isHeardBy.gateways;
  // Few apps read it, and only when somebody stands beside the beacon.
  const byPhone = isHeardBy.phones && random.next() < (told === 'gateways' ? 0.03 : 0.15);
  if (!byGateway && !byPhone) return undefined;
  const settings = { txPower: sender.power, ...(byGateway ? { interval: sender.interval } : {}) };
  return { at: 0, ...settings, ...chargeTold(sender.battery, { random, hour, byPhone, isMixed: told === 'mixed' }) };
}

interface Reading {
  readonly random: Random;
  readonly hour: number;
  readonly byPhone: boolean;
  readonly isMixed: boolean;
}

function chargeTold(battery: Battery, { random, hour, byPhone, isMixed }: Reading) {
  if (battery.tells === 'nothing') return {};
  const charge = chargeAt(battery, hour);
  // Indoors: about two degrees, and what the converter measures.
  const off = 0.5 * Math.sin(hour / 216) + random.normal();
  const volts = { voltage: Math.round(1000 * (voltsAt(charge, battery) + off * 0.004)) / 1000 };
  const inSteps = (value: number) => Math.min(100, Math.max(0, Math.round(value / battery.step) * battery.step));
  // Some apps take the phone's own battery for that of the beacon.
  if (byPhone && random.next() < 0.02) return { battery: Math.floor(random.between(10, 100)) };
  // Some apps tell volts, and others what they make of them.
  if (isMixed && random.next() < 0.5) return volts;
  if (isMixed && random.next() < 0.15) return { battery: inSteps(Math.min(100, charge + off + 18)) };
  return battery.tells === 'volts' ? volts : { battery: inSteps(charge + off) };
}

export function chargeAt({ lives, bend }: Battery, hour: number): number {
  const [full = 0, empty = 0] = lives.findLast(([from]) => from <= hour) ?? lives[0] ?? [];
  const spent = Math.min(1, Math.max(0, (hour - full) / (empty - full)));
  return 100 * (1 - spent ** bend);
}

/** A plateau and two knees, which are elsewhere in each cell. */
function voltsAt(charge: number, { knee, kneeVolts, endVolts }: Battery): number {
  if (charge > 92) return 2.98 + (charge - 92) * 0.008;
  if (charge > knee) return kneeVolts + ((charge - knee) / (92 - knee)) * (2.98 - kneeVolts);
  if (charge > 6) return 2.65 + ((charge - 6) / (knee - 6)) * (kneeVolts - 2.65);
  return endVolts + (charge / 6) * (2.65 - endVolts);
}
