import type { Beacon, Floor, Venue, Zone } from '@pharos/sdk';
import { osmHours } from '../osm-hours.ts';

/**
 * A venue as GeoJSON (RFC 7946) with the feature types of IMDF where there are such. Coordinates are metres, which the member
 * `units` says: x to the right, and y upwards as maps have it, so that it is the negative of the y of locations.
 */

export interface Site {
  readonly venue: Venue;
  readonly floors: readonly Floor[];
  readonly zones: readonly Zone[];
  readonly beacons: readonly Beacon[];
}

type Position = readonly [x: number, y: number];

const positionOf = ({ x, y }: { readonly x: number; readonly y: number }): Position => [x, y === 0 ? 0 : -y];

export function writeGeoJson({ venue, floors, zones, beacons }: Site): string {
  const { objectId, name, timeZone = null, address = null, capacity = null } = venue;
  const features = [
    feature(objectId, 'venue', null, { name, time_zone: timeZone, address, capacity, hours: osmHours(venue) }),
    ...floors.map((floor) =>
      feature(floor.objectId, 'level', null, { name: floor.name, ordinal: floor.level, north: floor.north ?? null }),
    ),
    ...floors.flatMap((floor) =>
      (floor.walls ?? []).map(({ points }, at) => {
        const line = { type: 'LineString', coordinates: points.map(positionOf) };
        return feature(`${floor.objectId} wall ${at + 1}`, 'wall', line, { level_id: floor.objectId });
      }),
    ),
    ...floors.flatMap((floor) =>
      (floor.gateways ?? []).map(({ name, x, y, keyId = null }) => {
        const point = { type: 'Point', coordinates: positionOf({ x, y }) };
        const properties = { name, level_id: floor.objectId, key_id: keyId };
        return feature(`${floor.objectId} gateway ${name}`, 'gateway', point, properties);
      }),
    ),
    ...zones.map((zone) => {
      const ring = [...zone.polygon, ...zone.polygon.slice(0, 1)].map(positionOf);
      const properties = {
        name: zone.name,
        category: zone.kind,
        level_id: zone.floorId.objectId,
        capacity: zone.capacity ?? null,
      };
      return feature(zone.objectId, 'unit', { type: 'Polygon', coordinates: [ring] }, properties);
    }),
    ...beacons.map((beacon) => {
      const { location, uuid, major, minor } = beacon;
      const point = location ? { type: 'Point', coordinates: positionOf(location) } : null;
      const ordinal = (location as { readonly floor?: unknown } | undefined)?.floor ?? null;
      return feature(beacon.objectId, 'beacon', point, { name: beacon.name, uuid, major, minor, ordinal });
    }),
  ];
  return `${JSON.stringify({ type: 'FeatureCollection', units: 'metres', features }, null, 1)}\n`;
}

const feature = (id: string, feature_type: string, geometry: object | null, properties: object) => ({
  type: 'Feature',
  id,
  feature_type,
  geometry,
  properties,
});
