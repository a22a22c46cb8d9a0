import { store, stored } from '../actions/storage.ts';
import { useSession } from '../data/access.ts';
import { type Times, timesIn } from './times.ts';

/** Times of what belongs to no app: in the zone that an administrator has chosen on this device, or in the service's. */

const kept = 'pharos zone';

export const zones: readonly string[] = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

/** Undefined: the service's. */
export function chosenZone(): string | undefined {
  const zone = stored(kept);
  // A browser may not know a zone that another one did.
  return zone !== null && zones.includes(zone) ? zone : undefined;
}

/** Keeps the choice on this device, empty for the service's, and loads the page again. */
export function chooseZone(zone: string): void {
  store(kept, zone || null);
  location.reload();
}

/** Of pages above the apps. Each names the zone once. */
export function useServiceTimes(): Times {
  const { timeZone } = useSession();
  return timesIn(chosenZone() ?? timeZone);
}
