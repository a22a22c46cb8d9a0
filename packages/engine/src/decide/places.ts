import type { Learned, PresenceSettings, Sensitivity } from '../presence/types.ts';
import { type HoursException, readHours, type VenueHours, type WeeklyOpening } from '../rules/hours.ts';
import { siteTimeZone } from '../rules/local-time.ts';
import type { ReportedPlace } from './decision.ts';

/** Beacons and venues as the interface has them, and what the engine needs of them. */

export interface SiteVenue {
  readonly timeZone: string | undefined;
  readonly hours: VenueHours | undefined;
}

export interface VenueRecord {
  readonly timeZone?: string | null | undefined;
  readonly openingHours?: readonly WeeklyOpening[] | null | undefined;
  readonly exceptions?: readonly HoursException[] | null | undefined;
}

export function siteVenue({ timeZone, openingHours, exceptions }: VenueRecord): SiteVenue {
  const zone = timeZone ?? undefined;
  const week = openingHours ?? undefined;
  const others = exceptions ?? [];
  const isKnown = week !== undefined || others.length > 0;
  return { timeZone: zone, hours: isKnown ? readHours(zone, week, others) : undefined };
}

export interface BeaconRecord {
  readonly objectId: string;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly measuredPower?: number | null | undefined;
  readonly sensitivity?: Sensitivity | null | undefined;
  readonly radius?: number | null | undefined;
  readonly location?: Readonly<Record<string, unknown>> | null | undefined;
}

/** What was learned of the radio of a beacon, and under which measured power. */
export interface LearnedOfPower extends Learned {
  readonly power: number | null;
}

/** Where it happens, with what the engine needs of a beacon. */
export interface BeaconPlace extends ReportedPlace {
  /** Its own, else that of its venue. */
  readonly timeZone: string | undefined;
  /** The opening hours of its venue. */
  readonly hours: VenueHours | undefined;
  readonly settings: PresenceSettings;
}

export function placeOfBeacon(
  record: BeaconRecord,
  { venue, learned }: { readonly venue: SiteVenue | undefined; readonly learned: LearnedOfPower | undefined },
): BeaconPlace {
  const { objectId, metadata, measuredPower, sensitivity, radius, location } = record;
  const { timeZone, receiverOffsets } = metadata ?? {};
  return {
    objectId,
    timeZone: ownZone(timeZone) ?? venue?.timeZone,
    hours: venue?.hours,
    settings: {
      ...(measuredPower == null ? {} : { measuredPower }),
      ...(sensitivity == null ? {} : { sensitivity }),
      ...(radius == null ? {} : { radius }),
      ...offsets(receiverOffsets),
      ...locationOf(location ?? {}),
      ...learnedUnder(learned, measuredPower ?? null),
    },
  };
}

/** A name that is no time zone is passed over, as it always was. */
const ownZone = (name: unknown): string | undefined =>
  typeof name === 'string' && siteTimeZone([name]) === name ? name : undefined;

/** What was learned under another measured power says nothing. */
function learnedUnder(
  learned: LearnedOfPower | undefined,
  measuredPower: number | null,
): Pick<PresenceSettings, 'learned'> {
  if (learned === undefined) return {};
  const { power, ...correction } = learned;
  return power === measuredPower ? { learned: correction } : {};
}

/** A location without numeric x and y is for the owner's eyes only. */
function locationOf({ x, y, z, floor }: Readonly<Record<string, unknown>>): Pick<PresenceSettings, 'location'> {
  if (!isMetres(x) || !isMetres(y)) return {};
  return { location: { x, y, ...(isMetres(z) ? { z } : {}), ...(isMetres(floor) ? { floor } : {}) } };
}

/** No site is larger than this, m; beyond it a location is in another unit. */
const FARTHEST = 100_000;
const isMetres = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= FARTHEST;

function offsets(value: unknown): Pick<PresenceSettings, 'receiverOffsets'> {
  if (typeof value !== 'object' || value === null) return {};
  const usable = Object.entries(value).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
  return usable.length === 0 ? {} : { receiverOffsets: Object.fromEntries(usable) };
}
