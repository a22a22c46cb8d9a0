import assert from 'node:assert/strict';
import { create } from '../cases.ts';
import { pointer, type Site, uuid } from '../site.ts';

/** A hall with located beacons, and people whose way through it is known. */

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** What one phone hears on its way; `at` in ms from its beginning. */
export interface Walked {
  readonly way: readonly (Place & { readonly at: number })[];
  readonly heard: readonly (Place & { readonly at: number; readonly minor: number; readonly rssi: number })[];
}

export class SurveyedHall {
  readonly site: Site;
  readonly floorId: string;
  /** objectIds, by minor. */
  readonly beacons: ReadonlyMap<number, string>;
  readonly #places: ReadonlyMap<number, Place>;
  #phones = 0;

  private constructor(
    site: Site,
    floorId: string,
    beacons: ReadonlyMap<number, string>,
    places: ReadonlyMap<number, Place>,
  ) {
    this.site = site;
    this.floorId = floorId;
    this.beacons = beacons;
    this.#places = places;
  }

  static async open(site: Site, places: ReadonlyMap<number, Place>, size: object): Promise<SurveyedHall> {
    const { headers } = site.user;
    await site.app.app.apps.change(site.app.appId, { policy: { oneZone: true } });
    const venueId = await create(site.app, '/api/v2/venues', { name: 'Fair' }, headers);
    const floor = { venueId: pointer('Venue', venueId), name: 'Hall', level: 0, size };
    const floorId = await create(site.app, '/api/v2/floors', floor, headers);
    const beacons = new Map<number, string>();
    for (const [minor, location] of places)
      beacons.set(
        minor,
        await site.beacon({ name: `Stand ${minor}`, minor, major: 2, venueId: pointer('Venue', venueId), location }),
      );
    return new SurveyedHall(site, floorId, beacons, places);
  }

  get url(): string {
    return `/api/v2/floors/${this.floorId}/surveys`;
  }

  body({ way, heard }: Walked, start = this.site.now, rest: object = {}): object {
    return {
      way: way.map(({ x, y, at }) => ({ x, y, at: start + at })),
      samples: heard.map((one) => sighting(one, start)),
      ...rest,
    };
  }

  async survey(walked: Walked, rest: object = {}): Promise<string> {
    return create(this.site.app, this.url, this.body(walked, this.site.now, rest), this.site.user.headers);
  }

  async accuracy() {
    await this.site.app.app.idle();
    return this.site.get(`floors/${this.floorId}/accuracy`);
  }

  /** Another phone takes the way, and sends what it hears every second. */
  async visit({ heard }: Walked) {
    const installationId = `visitor-${++this.#phones}`;
    await this.site.installation({ installationId });
    const start = this.site.now;
    const off: number[] = [];
    let nearestRight = 0;
    for (const [second, all] of Map.groupBy(heard, ({ at }) => Math.floor(at / 1000))) {
      const now = start + (second + 1) * 1000;
      this.site.app.clock.now = Math.max(now, this.site.now);
      const { nearest = [] } = await this.site.send(
        all.map((one) => sighting(one, start)),
        { installationId },
      );
      const truth = all.at(-1) as Place;
      const [found] = nearest;
      if (found?.x === undefined) continue;
      off.push(Math.hypot(found.x - truth.x, found.y - truth.y));
      if (found.beaconId.objectId === this.#nearestTo(truth)) nearestRight++;
    }
    assert.ok(off.length > 10, `${off.length} positions`);
    return { off, nearest: nearestRight / off.length, mean: off.reduce((sum, one) => sum + one, 0) / off.length };
  }

  #nearestTo(place: Place): string | undefined {
    const [first] = [...this.#places].sort(([, a], [, b]) => distance(a, place) - distance(b, place));
    return first && this.beacons.get(first[0]);
  }
}

const distance = (a: Place, b: Place) => Math.hypot(a.x - b.x, a.y - b.y);

const sighting = ({ at, minor, rssi }: Walked['heard'][number], start: number) => ({
  uuid,
  major: 2,
  minor,
  rssi,
  occurredAt: start + at,
});

/** Half of the places hear the beacons of the other half 10 dB less than free air would let them. */
export function walkedThroughHalves(
  places: ReadonlyMap<number, Place>,
  corners: readonly (readonly [number, number])[],
  louder = 0,
): Walked {
  const way: (Place & { at: number })[] = [];
  let at = 0;
  for (const [index, [x, y]] of corners.entries()) {
    const [beforeX, beforeY] = corners[index - 1] ?? [x, y];
    at += 1000 * Math.hypot(x - beforeX, y - beforeY);
    way.push({ x, y, at: Math.round(at) });
  }
  const heard: Walked['heard'][number][] = [];
  for (let time = 0; time < at; time += 500) {
    const next = Math.max(
      1,
      way.findIndex((point) => point.at >= time),
    );
    const [from, to] = [way[next - 1], way[next]] as [Place & { at: number }, Place & { at: number }];
    const part = (time - from.at) / (to.at - from.at);
    const [x, y] = [from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)];
    for (const [minor, place] of places) {
      const behind = place.x < 6 === x < 6 ? 0 : 10;
      const noise = 3 * Math.sin(time * 0.7 + minor * 1.9 + corners.length);
      const loss = 20 * Math.log10(Math.max(1, distance(place, { x, y }))) + behind + noise;
      heard.push({ x, y, at: time + minor, minor, rssi: Math.round(-59 - loss + louder) });
    }
  }
  return { way, heard };
}

export const hallCorners: ReadonlyMap<number, Place> = new Map([
  [1, { x: 0, y: 0 }],
  [2, { x: 12, y: 0 }],
  [3, { x: 0, y: 12 }],
  [4, { x: 12, y: 12 }],
]);

export const lanes: readonly (readonly [number, number])[] = [
  [1, 1],
  [11, 1],
  [11, 4],
  [1, 4],
  [1, 8],
  [11, 8],
  [11, 11],
  [1, 11],
];
export const across: readonly (readonly [number, number])[] = [
  [2, 2],
  [9, 2],
  [9, 10],
  [3, 10],
  [3, 3],
];
