/**
 * Which regions a phone monitors while the app sleeps. Pure.
 *
 * A phone wakes an app only when it crosses the border of a monitored region, and iOS monitors 20 at most ("An app can register up to 20
 * regions at a time", https://developer.apple.com/documentation/corelocation/cllocationmanager/startmonitoring(for:)). Within a region
 * nothing happens. So three rings are planned: every UUID, so that no arrival is missed; sections (UUID and major) that the phone is not
 * in; and single beacons, the nearest first, each of which is a border of its own.
 */

interface Address {
  /** 32 hexadecimal digits in lower case. */
  readonly uuid: string;
  readonly major: number;
  readonly minor: number;
}

/** All beacons of a UUID, or of a UUID and major. */
export interface Group {
  readonly uuid: string;
  readonly major?: number;
  readonly beacons: number;
  /** The venue of all of them, if they have one in common. */
  readonly venueId?: string;
}

/** A beacon of the section or venue where the phone is. */
export interface Near extends Address {
  readonly beaconId: string;
  readonly venueId?: string;
  readonly zoneId?: string;
  /** Metres, and the level. */
  readonly spot?: Spot;
}

export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly floor: number;
}

interface Here {
  readonly beaconId: string;
  /** Where the phone itself is, if that is known better than by its beacon. */
  readonly spot?: Spot;
}

export interface Site {
  /** With the most beacons first. */
  readonly uuids: readonly Group[];
  /** With the most beacons first. */
  readonly sections: readonly Group[];
  readonly near: readonly Near[];
  readonly here?: Here;
  readonly venueId?: string;
}

export type Region = Pick<Address, 'uuid'> &
  Partial<Address> & {
    /** A venue that holds all of the region; absent for one that says nothing about where the phone is. */
    readonly venueId?: string;
    /** The beacon, if the region is a whole identity (UUID, major and minor). */
    readonly beaconId?: string;
  };

/** As high as stairs are long, m: the next beacon may well be upstairs. */
const perFloor = 15;

const distanceBetween = (a: Spot, b: Spot) => Math.hypot(a.x - b.x, a.y - b.y) + perFloor * Math.abs(a.floor - b.floor);

/** The beacons by distance; among those at unknown places, which come last, the ones of the same zone first. */
function nearestFirst({ near, here }: Site): readonly Near[] {
  const own = near.find(({ beaconId }) => beaconId === here?.beaconId);
  const spot = here?.spot ?? own?.spot;
  const rank = (one: Near): readonly [number, number] => [
    one === own ? -1 : spot && one.spot ? distanceBetween(spot, one.spot) : Number.MAX_VALUE,
    own?.zoneId !== undefined && one.zoneId === own.zoneId ? 0 : 1,
  ];
  return near
    .map((one) => ({ one, rank: rank(one) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1] || (a.one.beaconId < b.one.beaconId ? -1 : 1))
    .map(({ one }) => one);
}

const keyOf = ({ uuid, major }: { readonly uuid: string; readonly major?: number }) => `${uuid}:${major}`;

/** Sections that the phone is not in, those of the same venue first, and of these the nearest. */
function otherSections({ sections, uuids, venueId }: Site, near: readonly Near[]): readonly Group[] {
  const inside = near[0] === undefined ? undefined : keyOf(near[0]);
  const places = new Map(near.map((one, place) => [keyOf(one), place] as const).reverse());
  const whole = new Map(uuids.map(({ uuid, beacons }) => [uuid, beacons]));
  const isOfVenue = (group: Group) => Number(venueId === undefined || group.venueId !== venueId);
  const placeOf = (group: Group) => places.get(keyOf(group)) ?? Number.MAX_SAFE_INTEGER;
  return sections
    .filter((group) => keyOf(group) !== inside && whole.has(group.uuid))
    .filter(({ uuid, beacons }) => beacons > 1 && beacons !== whole.get(uuid))
    .sort((a, b) => isOfVenue(a) - isOfVenue(b) || placeOf(a) - placeOf(b) || b.beacons - a.beacons);
}

/** At most `limit` regions, none of them twice; the UUIDs first, so that whoever monitors fewer still misses no arrival. */
export function planRegions(site: Site, limit: number): readonly Region[] {
  const near = nearestFirst(site);
  const inOrder = site.here === undefined ? [] : near.slice(0, 1).map(({ uuid }) => uuid);
  const isHere = ({ uuid }: Group) => Number(!inOrder.includes(uuid));
  const uuids = site.uuids.toSorted((a, b) => isHere(a) - isHere(b)).slice(0, limit);
  const alone = new Set(uuids.filter(({ beacons }) => beacons === 1).map(({ uuid }) => uuid));
  const single = near.filter(({ uuid }) => !alone.has(uuid));
  const room = limit - uuids.length;
  const sections = otherSections({ ...site, uuids }, site.here === undefined ? [] : near);
  // Where each beacon has a region of its own, sections add nothing.
  const isEach = single.length <= room && site.uuids.reduce((sum, { beacons }) => sum + beacons, 0) === near.length;
  const wide = Math.min(sections.length, Math.max(isEach ? 0 : Math.floor(room / 2), room - single.length));
  return [
    ...uuids.map(ofGroup),
    ...sections.slice(0, wide).map(ofGroup),
    ...single.slice(0, room - wide).map(({ uuid, major, minor, beaconId }) => ({ uuid, major, minor, beaconId })),
  ];
}

const ofGroup = ({ uuid, major, venueId }: Group): Region => ({
  uuid,
  ...(major === undefined ? {} : { major }),
  ...(venueId === undefined ? {} : { venueId }),
});
