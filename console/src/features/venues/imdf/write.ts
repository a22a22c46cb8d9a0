import { t } from '../../../lib/words/words.ts';
import type { Site } from '../geojson/write.ts';
import { osmHours } from '../osm-hours.ts';
import { categoryOf } from './categories.ts';
import { Earth, type Point, type Position } from './earth.ts';
import { hullOf, outlineOf, pointInside, polygonOf } from './outline.ts';
import { type Part, uuidOf } from './uuid.ts';

/** A venue as the files of an IMDF archive (version 1.0.0, OGC 20-094). Beacons have no place in it. */

/** What IMDF demands and a venue here does not know. */
export interface Particulars {
  readonly category: string;
  readonly locality: string;
  /** ISO 3166, two letters. */
  readonly country: string;
  /** Of the names. */
  readonly language: string;
}

/** Why a venue cannot be exported, each as a sentence. */
export function imdfProblems({ venue, floors, zones }: Site): readonly string[] {
  return [
    ...(venue.location
      ? []
      : [
          t(
            'The venue does not say where it is on earth. Write its coordinates into it: they are the place where x and y are 0.',
          ),
        ]),
    ...(floors.length === 0 ? [t('The venue has no floors.')] : []),
    ...floors.flatMap((floor) => [
      ...(floor.north === undefined
        ? [t('{floor} does not say where north is. Its plan asks for it.', { floor: floor.name })]
        : []),
      ...(Number.isInteger(floor.level)
        ? []
        : [
            t('{floor} is on level {level}, and IMDF has whole levels only.', {
              floor: floor.name,
              level: floor.level,
            }),
          ]),
      ...(outlineOf(floor, zonesOn(zones, floor.objectId))
        ? []
        : [
            t('{floor} has neither a plan nor a size nor a zone, so that nobody knows how large it is.', {
              floor: floor.name,
            }),
          ]),
    ]),
  ];
}

const zonesOn = (zones: Site['zones'], floorId: string) => zones.filter((zone) => zone.floorId.objectId === floorId);

type Feature = Readonly<Record<string, unknown>>;

/** @param now of the manifest. @returns the files by their names; see `imdfProblems` first */
export function imdfFiles(site: Site, particulars: Particulars, now: Date): Readonly<Record<string, object>> {
  const { venue, floors, zones } = site;
  const earth = new Earth(venue.location ?? { latitude: 0, longitude: 0 });
  const { category, locality, country, language } = particulars;
  const labels = (name: string) => ({ [language]: name });
  const idOf = (part: Part) => uuidOf(venue.objectId, part);
  const levels = floors.map((floor) => {
    const on = (point: Point) => earth.positionOf(point, floor.north ?? 0);
    return { floor, on, outline: (outlineOf(floor, zonesOn(zones, floor.objectId)) ?? []).map(on) };
  });
  const hull = hullOf(levels.flatMap(({ outline }) => outline));
  const display_point = pointAt(pointInside(hull));
  const [address_id, buildingId] = [idOf('address'), idOf('building')];
  const named = { name: labels(venue.name), alt_name: null, restriction: null, address_id, display_point };
  return {
    'manifest.json': {
      version: '1.0.0',
      created: now.toISOString(),
      generated_by: 'Pharos',
      language,
      extensions: null,
    },
    ...file('address', [
      feature(address_id, 'address', null, {
        address: venue.address ?? venue.name,
        unit: null,
        locality,
        province: null,
        country: country.toUpperCase(),
        postal_code: null,
        postal_code_ext: null,
        postal_code_vanity: null,
      }),
    ]),
    ...file('venue', [
      feature(uuidOf(venue.objectId), 'venue', polygonOf(hull), {
        ...named,
        category,
        hours: osmHours(venue),
        phone: null,
        website: null,
      }),
    ]),
    ...file('building', [feature(buildingId, 'building', null, { ...named, category: 'unspecified' })]),
    ...file('footprint', [
      feature(idOf('footprint'), 'footprint', polygonOf(hull), {
        category: 'ground',
        name: null,
        building_ids: [buildingId],
      }),
    ]),
    ...file(
      'level',
      levels.map(({ floor, outline }) =>
        feature(uuidOf(floor.objectId), 'level', polygonOf(outline), {
          category: 'unspecified',
          restriction: null,
          outdoor: false,
          ordinal: floor.level,
          name: labels(floor.name),
          short_name: labels(floor.name.slice(0, 4)),
          display_point: pointAt(pointInside(outline)),
          address_id,
          building_ids: [buildingId],
        }),
      ),
    ),
    ...file(
      'unit',
      levels.flatMap(({ floor, on }) =>
        zonesOn(zones, floor.objectId).map((zone) =>
          feature(uuidOf(zone.objectId), 'unit', polygonOf(zone.polygon.map(on)), {
            category: categoryOf[zone.kind],
            restriction: zone.kind === 'staff' ? 'employeesonly' : null,
            accessibility: null,
            name: labels(zone.name),
            alt_name: null,
            level_id: uuidOf(floor.objectId),
            display_point: pointAt(pointInside(zone.polygon.map(on))),
          }),
        ),
      ),
    ),
  };
}

const file = (type: string, features: readonly Feature[]) => ({
  [`${type}.geojson`]: { type: 'FeatureCollection', name: type, features },
});

const feature = (id: string, feature_type: string, geometry: object | null, properties: object): Feature => ({
  id,
  type: 'Feature',
  feature_type,
  geometry,
  properties,
});

const pointAt = (coordinates: Position) => ({ type: 'Point', coordinates });
