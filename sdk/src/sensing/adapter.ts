import type { Answer } from '../call.ts';
import type { Sighting } from '../sighting-queue.ts';
import type { SensingDevice, SensingHealth } from './findings.ts';

/** What a visitor can be asked for. */
export type Permission = 'bluetooth' | 'location' | 'precise' | 'background' | 'notifications';

export type PlannedRegion = Answer<'planRegions'>['result']['regions'][number];

/** The phone entered or left a region, which the app is woken for. */
export interface Border {
  /** Of the region, as it was planned. */
  readonly identifier: string;
  readonly event: 'ENTER' | 'EXIT';
}

export interface Hearing {
  readonly onBorder: (border: Border) => void;
  /** What was heard, about once a second. */
  readonly onSamples: (samples: readonly Sighting[]) => void;
}

/** A platform: what it can tell, ask for and hear. */
export interface SensingAdapter {
  readonly device: SensingDevice;
  /** How the phone can sense now. Asks nobody. */
  read(): Promise<SensingHealth>;
  /** Asks the visitor, and resolves when there is an answer. */
  ask(permission: Permission): Promise<void>;
  /** Ranges these UUIDs and monitors these regions instead of those before. Returns how to stop. */
  hear(regions: readonly PlannedRegion[], hearing: Hearing): Promise<() => void>;
}

/**
 * What is still to be asked for, in the order in which the platforms want it: iOS grants the background only after the use of the
 * location (https://developer.apple.com/documentation/corelocation/requesting-authorization-to-use-location-services), Android only in
 * a request of its own. What was denied can be allowed in the settings alone.
 */
export function missingPermissions(
  device: SensingDevice,
  health: SensingHealth,
  { background = true, notifications = true }: { readonly background?: boolean; readonly notifications?: boolean } = {},
): readonly Permission[] {
  const hears = device === 'ios' || device === 'android';
  const { location } = health;
  return [
    ...(device === 'android' && health.bluetooth === 'notAsked' ? (['bluetooth'] as const) : []),
    ...(hears && location === 'notAsked' ? (['location'] as const) : []),
    ...(hears && health.precise === false && location !== 'denied' ? (['precise'] as const) : []),
    ...(hears && background && location === 'whenInUse' ? (['background'] as const) : []),
    ...(notifications && health.notifications === 'notAsked' ? (['notifications'] as const) : []),
  ];
}
