import { refuseQuery } from '@pharos/query';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type ErrorName, fail } from '../base/errors.ts';
import { apiPrefix } from '../http/api.ts';
import type { Call } from '../http/endpoint.ts';

/** The venues around a place on earth, as the caller finds them in the list of venues. */

/** Degrees (WGS 84). */
export interface Spot {
  readonly latitude: number;
  readonly longitude: number;
}

/**
 * Metres. A phone that gives its approximate location alone is that uncertain: "within about 3 square kilometers"
 * (https://developer.android.com/develop/sensors-and-location/location/permissions), and more outside of towns.
 */
const farthest = 5_000;
/** The nearest count: a shopping street has more of them than a phone should keep. */
const maxVenues = 10;
const maxAsked = 1_000;

export const spotQuery = [
  {
    name: 'latitude',
    description: `Where the phone is, degrees (WGS 84): the ${maxVenues} nearest venues within ${farthest / 1000} km that have a \`location\``,
    schema: Type.Number({ minimum: -90, maximum: 90 }),
  },
  { name: 'longitude', description: 'Required with `latitude`', schema: Type.Number({ minimum: -180, maximum: 180 }) },
];

/** @throws Failure InvalidQuery */
export function readSpot({ latitude, longitude }: Readonly<Record<string, string | undefined>>): Spot | undefined {
  if (latitude === undefined && longitude === undefined) return undefined;
  return {
    latitude: readDegrees('latitude', { text: latitude, most: 90 }),
    longitude: readDegrees('longitude', { text: longitude, most: 180 }),
  };
}

function readDegrees(name: string, { text = '', most }: { readonly text: string | undefined; readonly most: number }) {
  const degrees = /^-?\d+(\.\d+)?(e-?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (Math.abs(degrees) <= most) return degrees;
  throw refuseQuery(name, `must be a number from -${most} to ${most}; latitude and longitude go together`);
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;
/** Mean radius of the earth, metres (IUGG). */
const earth = 6_371_009;

/** Along the great circle, metres (haversine formula). */
function distanceBetween(a: Spot, b: Spot): number {
  const squareOfHalfSine = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const share =
    squareOfHalfSine(b.latitude - a.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * squareOfHalfSine(b.longitude - a.longitude);
  return 2 * earth * Math.asin(Math.sqrt(Math.min(1, share)));
}

/** Holds all that is near; at the poles and at the date line also what is not. */
function around({ latitude, longitude }: Spot): object {
  const high = (farthest / earth) * (180 / Math.PI);
  const wide = high / Math.cos(radians(latitude));
  const within = (middle: number, half: number) => ({ $gte: middle - half, $lte: middle + half });
  const isWhole = Math.abs(latitude) + high >= 89 || Math.abs(longitude) + wide >= 180;
  return {
    'location.latitude': within(latitude, high),
    ...(isWhole ? {} : { 'location.longitude': within(longitude, wide) }),
  };
}

interface Venue {
  readonly objectId: string;
  readonly location: Spot;
}

/** Their objectIds, the nearest first. None of those that the caller may not list. @throws Failure InvalidQuery for hidden locations */
export async function venuesNear(
  server: FastifyInstance,
  call: Call<unknown, unknown>,
  spot: Spot,
): Promise<readonly string[]> {
  const query = { where: JSON.stringify(around(spot)), order: 'objectId', limit: String(maxAsked) };
  const page = await pageAs<Venue>(server, call, { path: '/venues', query });
  return (page?.results ?? [])
    .map(({ objectId, location }) => ({ objectId, far: distanceBetween(spot, location) }))
    .filter(({ far }) => far <= farthest)
    .sort((a, b) => a.far - b.far || (a.objectId < b.objectId ? -1 : 1))
    .slice(0, maxVenues)
    .map(({ objectId }) => objectId);
}

interface Page<T> {
  readonly results: readonly T[];
  readonly truncated?: true;
}

/**
 * A page of a list, asked inside the service with the credentials of the caller, so that rules hold by the one code that there is for them.
 * Undefined for a list that the caller may not read. @throws Failure that of the list
 */
export async function pageAs<T>(
  server: FastifyInstance,
  { headers: all, address: remoteAddress }: Call<unknown, unknown>,
  { path, query }: { readonly path: string; readonly query: Readonly<Record<string, string>> },
): Promise<Page<T> | undefined> {
  const headers = Object.fromEntries(
    Object.entries(all).filter(
      ([name]) => name === 'authorization' || name.endsWith('appid') || name.endsWith('appkey'),
    ),
  );
  const answer = await server.inject({ method: 'GET', url: apiPrefix + path, query, headers, remoteAddress });
  if (answer.statusCode === 401 || answer.statusCode === 403) return undefined;
  const body = answer.json<Page<T> | { readonly error: { readonly name: ErrorName; readonly error: string } }>();
  if ('error' in body) throw fail(body.error.name, body.error.error);
  return body;
}
