import { createRandom } from '@pharos/engine/simulation';
import {
  type BeaconDay,
  dayMs,
  dayOf,
  hourMs,
  joinDays,
  noDay,
} from '../../../src/features/presence/fleet/days/day.ts';
import type { Fleet, FleetBeacon } from '../../../src/features/presence/fleet/detect/fleet.ts';
import { type Building, buildingOf, simulatedDays } from './building.ts';
import { type Addition, Radio } from './hearing.ts';

/**
 * A fleet of beacons, 90 days of them, as the service would have stored it: venues of several sizes with phones, gateways or both, hours,
 * time zones, holidays, closed weeks and closed wings, gateways that fail and reports that come late or never; and with beacons that die,
 * move, are copied, are heard through the ceiling or are set up wrongly. It knows nothing of the detectors.
 */

/** What the service looks back to. */
const windowDays = 60;

export class SimulatedVenue {
  readonly building: Building;
  readonly #radio: Radio;
  readonly #start: number;
  readonly #beacons: readonly FleetBeacon[];
  readonly #days = new Map<string, Map<number, BeaconDay>>();
  #late: { readonly due: number; readonly at: number; readonly additions: readonly Addition[] }[] = [];
  #hour = 0;

  constructor(building: Building, start: number) {
    this.building = building;
    this.#radio = new Radio(building);
    this.#start = start;
    const of = (beaconId: string, location: FleetBeacon['location']) => ({ beaconId, venueId: building.id, location });
    this.#beacons = [
      ...building.senders.map(({ id, home }) => of(id, home)),
      ...building.gateways.map(({ id, spot }) => of(id, spot)),
    ];
  }

  /** Simulates up to the beginning of an hour. */
  runTo(hour: number): void {
    for (; this.#hour < hour; this.#hour++) {
      const at = this.#start + this.#hour * hourMs;
      const { now, late } = this.#radio.hear(this.#hour, at);
      this.#add(at, now);
      for (const one of this.#late) if (one.due === this.#hour) this.#add(one.at, one.additions);
      this.#late = this.#late.filter(({ due }) => due > this.#hour);
      if (late.length > 0)
        this.#late.push({ due: this.#hour + Math.ceil(this.building.random.between(1, 40)), at, additions: late });
    }
  }

  /** In how many minutes of an hour a copied beacon and its copy were heard by those who report at once. */
  heardTwice(id: string, hour: number): { readonly own: number; readonly copy: number } {
    return this.#radio.copies.get(`${id} ${hour}`) ?? { own: 0, copy: 0 };
  }

  #add(at: number, additions: readonly Addition[]): void {
    const day = dayOf(at);
    for (const { beaconId, known } of additions) {
      const days = this.#days.get(beaconId) ?? new Map<number, BeaconDay>();
      this.#days.set(beaconId, days.set(day, joinDays(days.get(day) ?? noDay, known)));
      if (days.size > windowDays + 1) days.delete(days.keys().next().value as number);
    }
  }

  fleet(): Fleet {
    const places = new Map(this.#beacons.map((one) => [one.beaconId, one]));
    return { beacons: this.#beacons, places, days: this.#days, now: this.#start + this.#hour * hourMs };
  }
}

/** @param size beacons, in venues of 20 to 100 */
export function simulateFleet(seed: string, size: number): readonly SimulatedVenue[] {
  const random = createRandom(`${seed}/fleet`);
  const holidays = new Set(Array.from({ length: 4 }, () => Math.floor(random.between(5, simulatedDays))));
  const start = Date.UTC(2026, 0, 5);
  const venues: SimulatedVenue[] = [];
  for (let left = size; left > 0; ) {
    const beacons = Math.min(left, random.pick([20, 35, 50, 50, 70, 100]));
    venues.push(new SimulatedVenue(buildingOf(seed, venues.length, beacons, holidays), start));
    left -= beacons;
  }
  return venues;
}

export { dayMs, simulatedDays };
