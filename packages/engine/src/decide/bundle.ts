import type { Subject } from '../presence/types.ts';
import type { BeaconMap } from '../survey/signal-map.ts';
import { addressKey } from '../wire/wire-values.ts';
import type { Site } from './in-memory.ts';
import {
  type BeaconPlace,
  type BeaconRecord,
  type LearnedOfPower,
  placeOfBeacon,
  siteVenue,
  type VenueRecord,
} from './places.ts';
import type { DecidingPolicy } from './policy.ts';
import {
  type NotificationRecord,
  notificationTrigger,
  type ScenarioRecord,
  type SiteTrigger,
  scenarioTrigger,
} from './triggers.ts';
import type { Worded } from './words.ts';

/** The bundle of a place (`GET /bundle`) as what the engine reads. Pure. */

interface Pointer {
  readonly objectId: string;
}

/** A part as the service answers it; other lists are for the app to show. */
export interface BundlePart {
  readonly venues?: readonly (VenueRecord & Pointer)[];
  readonly beacons?: readonly (BeaconRecord & {
    readonly uuid: string;
    readonly major: number;
    readonly minor: number;
    readonly venueId?: Pointer;
  })[];
  readonly radio?: readonly (LearnedOfPower & { readonly beaconId: string })[];
  readonly signals?: readonly (BeaconMap & { readonly beaconId: string })[];
  readonly notifications?: readonly (Omit<NotificationRecord, 'beaconIds'> & { readonly beaconId: Pointer })[];
  readonly storylines?: readonly { readonly objectId: string; readonly title: string; readonly isEnabled: boolean }[];
  readonly scenarios?: readonly (Omit<ScenarioRecord, 'beaconIds'> & { readonly beacons: readonly string[] })[];
}

export interface Bundle {
  readonly tag: string;
  readonly app: {
    readonly policy: DecidingPolicy & { readonly consent: 'assumed' | 'required' };
    /** What visitors are asked, for each purpose; a bundle of an older service has none. */
    readonly consentTexts?: Worded & { readonly version: string };
  };
  readonly parts: Readonly<Record<string, BundlePart>>;
}

/** What is kept after another answer: parts that it has take the place of the former ones. */
export function withAnswer(
  kept: Bundle | null,
  { isWhole, ...answer }: Bundle & { readonly isWhole: boolean },
): Bundle {
  return isWhole || kept === null ? answer : { ...answer, parts: { ...kept.parts, ...answer.parts } };
}

export interface BundledSite extends Site {
  /** The objectId of the beacon that a report is about; undefined: it is not in the bundle. */
  beaconOf(subject: Subject): string | undefined;
}

export function siteOf({ parts }: Bundle): BundledSite {
  const all = Object.values(parts);
  const listed = <Kind extends keyof BundlePart>(kind: Kind) =>
    all.flatMap((part) => (part[kind] ?? []) as unknown as Item<Kind>[]);
  const venues = new Map(listed('venues').map((venue) => [venue.objectId, siteVenue(venue)]));
  const maps = new Map(listed('signals').map(({ beaconId, ...map }) => [beaconId, map]));
  const radio = new Map(listed('radio').map(({ beaconId, ...learned }) => [beaconId, learned]));
  const places = new Map<string, BeaconPlace>();
  const addresses = new Map<string, string>();
  // The oldest of those with one address counts.
  for (const beacon of listed('beacons').sort((a, b) => (a.objectId < b.objectId ? -1 : 1))) {
    const { objectId, uuid, major, minor, venueId } = beacon;
    const venue = venueId && venues.get(venueId.objectId);
    const place = placeOfBeacon(beacon, { venue, learned: radio.get(objectId) });
    places.set(objectId, { ...place, map: maps.get(objectId) });
    const address = addressKey(uuid, major, minor);
    if (!addresses.has(address)) addresses.set(address, objectId);
  }
  const triggers = triggersAt(listed('notifications'), listed('scenarios'), listed('storylines'));
  return {
    places: async (ids) => ids.flatMap((id) => places.get(id) ?? []),
    triggers: async (id) => triggers.get(id) ?? [],
    beaconOf(subject) {
      if (subject.direction !== 'phone') return undefined;
      const { beaconId, address } = subject;
      if (beaconId !== undefined) return places.has(beaconId) ? beaconId : undefined;
      return address && addresses.get(addressKey(address.uuid, address.major, address.minor));
    },
  };
}

type Item<Kind extends keyof BundlePart> = NonNullable<BundlePart[Kind]>[number];

/** By beacon, oldest first, as the service judges them. A scenario whose storyline is hidden is not judged. */
function triggersAt(
  notifications: readonly Item<'notifications'>[],
  scenarios: readonly Item<'scenarios'>[],
  storylines: readonly Item<'storylines'>[],
): ReadonlyMap<string, readonly SiteTrigger[]> {
  const headers = new Map(storylines.map((one) => [one.objectId, one]));
  const found = new Map<string, SiteTrigger[]>();
  const add = (beaconId: string, trigger: SiteTrigger) =>
    found.set(beaconId, [...(found.get(beaconId) ?? []), trigger]);
  for (const { beaconId, ...one } of notifications)
    add(beaconId.objectId, notificationTrigger({ ...one, beaconIds: [beaconId.objectId] }));
  for (const { beacons, ...one } of scenarios) {
    const header = headers.get(one.storylineId);
    if (header) for (const id of beacons) add(id, scenarioTrigger({ ...one, beaconIds: [id] }, header));
  }
  for (const [id, all] of found)
    found.set(
      id,
      all.sort((a, b) => (a.trigger.id < b.trigger.id ? -1 : 1)),
    );
  return found;
}
