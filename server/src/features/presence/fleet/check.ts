import { WorkSlices } from '../../../base/work-slices.ts';
import type { Context } from '../../context.ts';
import { type BeaconDay, dayMs, dayOf, parseDay } from './days/day.ts';
import { findBatteries } from './detect/battery.ts';
import type { Finding, Fleet, FleetBeacon } from './detect/fleet.ts';
import { findMisplaced } from './detect/places.ts';
import { findMisset } from './detect/settings.ts';
import { findSilent } from './detect/silence.ts';
import { saveFindings } from './finding-store.ts';
import { daysOf } from './store.ts';

/** What is wrong with the beacons of an app: of each beacon the first of these, and its battery besides. */
export function findAll(fleet: Fleet): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const one of [...findMisset(fleet), ...findMisplaced(fleet), ...findSilent(fleet)]) found.set(one.beaconId, one);
  const isSilent = (beaconId: string) => found.get(beaconId)?.kind === 'silent';
  return [...found.values(), ...findBatteries(fleet).filter(({ beaconId }) => !isSilent(beaconId))];
}

type CheckDeps = Pick<Context, 'db' | 'listWhereBeaconsAre'>;
export type WhereBeaconIs = Awaited<ReturnType<Context['listWhereBeaconsAre']>>[number];

/** How far the detectors look back. */
const windowMs = 60 * dayMs;
/** Beacons that are judged together at most: those of a venue, or a part of very many. */
const maxTogether = 500;

/** Looks at all beacons of an app, venue by venue, between other requests. */
export async function checkFleet({ db, listWhereBeaconsAre }: CheckDeps, appId: string, now: number): Promise<void> {
  const beacons = (await listWhereBeaconsAre(db, appId)).map(beaconOf);
  const groups = [...Map.groupBy(beacons, ({ venueId }) => venueId ?? '').values()].flatMap(inParts);
  const places = new Map(beacons.map((one) => [one.beaconId, one]));
  const found: Finding[] = [];
  const slices = new WorkSlices();
  for (const group of groups) {
    const days = new Map<string, Map<number, BeaconDay>>();
    const rows = await daysOf(
      db,
      appId,
      group.map(({ beaconId }) => beaconId),
      dayOf(now - windowMs),
    );
    for (const { beacon_id: beaconId, day, summary } of rows) {
      days.set(beaconId, (days.get(beaconId) ?? new Map<number, BeaconDay>()).set(day, parseDay(summary)));
      await slices.rest();
    }
    found.push(...findAll({ beacons: group, places, days, now }));
    await slices.rest();
  }
  await saveFindings(db, appId, found, now);
}

function inParts(group: readonly FleetBeacon[]): readonly (readonly FleetBeacon[])[] {
  return Array.from({ length: Math.ceil(group.length / maxTogether) }, (_, part) =>
    group.slice(part * maxTogether, (part + 1) * maxTogether),
  );
}

function beaconOf({ objectId, venueId, location }: WhereBeaconIs): FleetBeacon {
  return { beaconId: objectId, venueId: venueId ?? undefined, location: placeIn(location) };
}

/** Metres on a floor. */
export function placeIn(location: WhereBeaconIs['location']): FleetBeacon['location'] {
  const { x, y, floor } = location ?? {};
  return typeof x === 'number' && typeof y === 'number' ? { x, y, floor: Number(floor ?? 0) || 0 } : undefined;
}
