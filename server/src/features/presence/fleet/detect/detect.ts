import { findBatteries } from './battery.ts';
import type { Finding, Fleet } from './fleet.ts';
import { findMisplaced } from './places.ts';
import { findMisset } from './settings.ts';
import { findSilent } from './silence.ts';

/** What is wrong with the beacons of an app: of each beacon the first of these, and its battery besides. */
export function findAll(fleet: Fleet): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const one of [...findMisset(fleet), ...findMisplaced(fleet), ...findSilent(fleet)]) found.set(one.beaconId, one);
  const isSilent = (beaconId: string) => found.get(beaconId)?.kind === 'silent';
  return [...found.values(), ...findBatteries(fleet).filter(({ beaconId }) => !isSilent(beaconId))];
}
