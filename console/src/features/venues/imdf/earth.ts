import type { Floor, Venue } from '@pharos/sdk';

/**
 * Converts between the metres of a floor and geographic positions (WGS 84, longitude first). A venue's coordinates are where
 * x and y are 0, and the floor says where north is.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Position = readonly [longitude: number, latitude: number];

/** Source: NIMA TR8350.2, the ellipsoid of WGS 84. */
const semiMajor = 6_378_137;
const eccentricitySquared = 0.006_694_379_990_14;
const radians = Math.PI / 180;

/** A ninth digit is a tenth of a millimetre. */
const rounded = (degrees: number) => Math.round(degrees * 1e9) / 1e9;

export class Earth {
  readonly #origin: NonNullable<Venue['location']>;
  /** Metres of a degree here; over a site the earth is flat. */
  readonly #ofLatitude: number;
  readonly #ofLongitude: number;

  constructor(origin: NonNullable<Venue['location']>) {
    this.#origin = origin;
    const latitude = origin.latitude * radians;
    const squared = 1 - eccentricitySquared * Math.sin(latitude) ** 2;
    this.#ofLatitude = (radians * semiMajor * (1 - eccentricitySquared)) / squared ** 1.5;
    this.#ofLongitude = (radians * semiMajor * Math.cos(latitude)) / Math.sqrt(squared);
  }

  /** `north`: degrees clockwise from upwards on the plan, whose y goes down. */
  positionOf({ x, y }: Point, north: number): Position {
    const [sin, cos] = [Math.sin(north * radians), Math.cos(north * radians)];
    const { latitude, longitude } = this.#origin;
    const [east, up] = [x * cos + y * sin, x * sin - y * cos];
    return [rounded(longitude + east / this.#ofLongitude), rounded(latitude + up / this.#ofLatitude)];
  }

  pointOf([longitude, latitude]: Position, north: number): Point {
    const [sin, cos] = [Math.sin(north * radians), Math.cos(north * radians)];
    const east = (longitude - this.#origin.longitude) * this.#ofLongitude;
    const up = (latitude - this.#origin.latitude) * this.#ofLatitude;
    return { x: east * cos + up * sin, y: east * sin - up * cos };
  }

  /** Metres, near enough to tell a neighbour from another town. */
  distanceTo(position: Position): number {
    const { x, y } = this.pointOf(position, 0);
    return Math.hypot(x, y);
  }
}

/** The floor by whose north a new one is laid: all have the same x and y. */
export const northOf = (floors: readonly Floor[]): number =>
  floors.find(({ north }) => north !== undefined)?.north ?? 0;
