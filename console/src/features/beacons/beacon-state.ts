import type { Beacon } from '@pharos/sdk';
import type { Version } from '../../lib/data/history.ts';
import { t } from '../../lib/words/words.ts';

/** What is known of a beacon's work: visitors that it was noticed by, and its battery. */

export interface BeaconVisits {
  /** Whose visit goes on. */
  readonly visitors: number;
  readonly lastVisitAt: string;
}

export interface BeaconState {
  readonly text: string;
  readonly color: 'teal' | 'yellow' | 'gray';
  readonly sentence: string;
}

/** Without visitors for so long, a beacon that had some may have an empty battery; as the service reckons. */
const silentAfterMs = 48 * 3_600_000;
/** Percent. */
const lowBattery = 15;

/** @param visits undefined if it never had one */
export function stateOf(visits: BeaconVisits | undefined, battery: number | undefined, now: number): BeaconState {
  if (visits && visits.visitors > 0)
    return { text: t('Visitors here'), color: 'teal', sentence: t('It works: visitors are here now.') };
  if (visits && now - Date.parse(visits.lastVisitAt) > silentAfterMs)
    return {
      text: t('Silent'),
      color: 'yellow',
      sentence: t('No visitor was noticed here for two days, though there were some before. Its battery may be empty.'),
    };
  if (battery !== undefined && battery <= lowBattery)
    return { text: t('Battery low'), color: 'yellow', sentence: t('It works, but its battery will soon be empty.') };
  if (!visits)
    return { text: t('Not heard yet'), color: 'gray', sentence: t('No phone has noticed it yet. Walk past it once.') };
  return { text: t('Works'), color: 'teal', sentence: t('It works: visitors are noticed here.') };
}

/** The charge in percent, which an app or a gateway may write into the metadata as `battery`. */
export function batteryOf({ metadata }: Pick<Beacon, 'metadata'>): number | undefined {
  const { battery } = metadata as { readonly battery?: unknown };
  return typeof battery === 'number' && battery >= 0 && battery <= 100 ? Math.round(battery) : undefined;
}

/** The first charge that the versions of a beacon still tell, with the time until which it was so. */
export function batteryBefore(
  battery: number,
  versions: readonly Pick<Version, 'state' | 'replacedAt'>[],
): { readonly battery: number; readonly until: string } | undefined {
  for (const { state, replacedAt } of versions.toReversed()) {
    const then = batteryOf(state as Pick<Beacon, 'metadata'>);
    if (then !== undefined) return then === battery ? undefined : { battery: then, until: replacedAt };
  }
  return undefined;
}
