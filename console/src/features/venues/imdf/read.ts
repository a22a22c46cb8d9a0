import type { Floor, Venue, Zone } from '@pharos/sdk';
import { t } from '../../../lib/words/words.ts';
import { isMatter, kindOf } from './categories.ts';
import { Earth, northOf, type Position } from './earth.ts';
import { objectIdOf } from './uuid.ts';

/** The venue, levels and units of an IMDF archive as GeoJSON in metres, which the import of GeoJSON reads. */

type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

interface Into {
  readonly venue: Pick<Venue, 'location'> & { readonly objectId?: string };
  readonly floors: readonly Floor[];
  readonly zones: readonly Zone[];
}

/** Farther away is another place, metres. */
const farthest = 20_000;

/** @throws Error whose message is a sentence about the whole archive */
export function metresOf(files: ReadonlyMap<string, unknown>, { venue, floors, zones }: Into): string {
  const [levels, units] = [featuresOf(files, 'level'), featuresOf(files, 'unit')];
  const place = placeOf([...featuresOf(files, 'venue'), ...levels, ...units]);
  if (!venue.location)
    throw new Error(
      t(
        'The venue does not say where it is on earth. Write its coordinates into it: they are the place where x and y are 0.{hasPlace, select, true { The archive is about {latitude}, {longitude}.} other {}}',
        { hasPlace: place !== undefined, latitude: String(place?.[1] ?? 0), longitude: String(place?.[0] ?? 0) },
      ),
    );
  const earth = new Earth(venue.location);
  const far = place ? earth.distanceTo(place) : 0;
  if (far > farthest)
    throw new Error(
      t('The archive is about a place {far} km from the coordinates of the venue.', { far: Math.round(far / 1_000) }),
    );
  const usual = northOf(floors);
  const norths = new Map<string, number>();
  const drawn = levels.map((level) => {
    const properties = membersOf(level['properties']);
    const id = idOf(level['id']);
    const { ordinal } = properties;
    const floor = floors.find((one) => one.objectId === id) ?? floors.find((one) => one.level === ordinal);
    const north = floor?.north ?? usual;
    norths.set(id, north);
    return featureOf(id, 'level', null, { name: nameOf(properties, files), ordinal, north });
  });
  const names = new UnitNames(files);
  const rooms = units.map((unit) => {
    const properties = membersOf(unit['properties']);
    const id = idOf(unit['id']);
    const category = textOf(properties['category']);
    if (isMatter(category)) return featureOf(id, `unit (${category})`, null, {});
    const level_id = idOf(properties['level_id']);
    const known = zones.find((zone) => zone.objectId === id);
    const geometry = inMetres(unit['geometry'], (position) => {
      const { x, y } = earth.pointOf(position, norths.get(level_id) ?? usual);
      // GeoJSON in metres has y upwards; to the centimetre, as plans are drawn.
      return [Math.round(x * 100) / 100, Math.round(-y * 100) / 100];
    });
    const name = names.of(unit, properties);
    return featureOf(id, 'unit', geometry, { name, category: kindOf(category, known?.kind), level_id });
  });
  const features = [...venueOf(files, venue.objectId), ...drawn, ...rooms];
  return JSON.stringify({ type: 'FeatureCollection', units: 'metres', features });
}

/** Of somebody else's archive only its hours; of an archive of another venue here, nothing. */
function venueOf(files: ReadonlyMap<string, unknown>, here: string | undefined) {
  const [found] = featuresOf(files, 'venue');
  if (!found || here === undefined) return [];
  const properties = membersOf(found['properties']);
  const hours = textOf(properties['hours']);
  const record = objectIdOf(textOf(found['id']));
  if (record === here) return [featureOf(here, 'venue', null, { name: nameOf(properties, files), hours })];
  return record === undefined && hours !== '' ? [featureOf(here, 'venue', null, { hours })] : [];
}

const featureOf = (id: string, feature_type: string, geometry: unknown, properties: object) => ({
  type: 'Feature',
  id,
  feature_type,
  geometry,
  properties,
});

/** Of a record here, or what the archive calls it. */
const idOf = (value: unknown) => objectIdOf(textOf(value)) ?? textOf(value);

function featuresOf(files: ReadonlyMap<string, unknown>, type: string): readonly Members[] {
  const file = files.get(`${type}.geojson`);
  if (file === undefined) {
    if (type === 'level' || type === 'unit')
      throw new Error(t('This is no IMDF archive: {name} is missing.', { name: `${type}.geojson` }));
    return [];
  }
  const { features } = membersOf(file);
  if (!Array.isArray(features)) throw new Error(t('{name} is no FeatureCollection.', { name: `${type}.geojson` }));
  return features.map(membersOf);
}

/** A name in the language of the archive, else in the first one. */
function nameOf({ name, alt_name }: Members, files: ReadonlyMap<string, unknown>): string {
  const language = textOf(membersOf(files.get('manifest.json'))['language']);
  for (const labels of [membersOf(name), membersOf(alt_name)]) {
    const label = textOf(labels[language]) || Object.values(labels).map(textOf).find(Boolean);
    if (label) return label;
  }
  return '';
}

/** What units are called: by their own name, by who is in them, else by what they are and a number. */
class UnitNames {
  readonly #files: ReadonlyMap<string, unknown>;
  readonly #occupants = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(files: ReadonlyMap<string, unknown>) {
    this.#files = files;
    const units = new Map(
      featuresOf(files, 'anchor').map(({ id, properties }) => [textOf(id), textOf(membersOf(properties)['unit_id'])]),
    );
    for (const { properties } of featuresOf(files, 'occupant')) {
      const unit = units.get(textOf(membersOf(properties)['anchor_id']));
      if (unit) this.#occupants.set(unit, nameOf(membersOf(properties), files));
    }
  }

  of({ id }: Members, properties: Members): string {
    const own = nameOf(properties, this.#files) || this.#occupants.get(textOf(id));
    if (own) return own;
    const category = textOf(properties['category']) || 'unit';
    const key = `${textOf(properties['level_id'])} ${category}`;
    const number = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, number);
    return `${category} ${number}`;
  }
}

function positionOf(value: unknown): Position | undefined {
  const [longitude, latitude] = Array.isArray(value) ? (value as unknown[]) : [];
  const isOnEarth =
    typeof longitude === 'number' &&
    typeof latitude === 'number' &&
    Math.abs(longitude) <= 180 &&
    Math.abs(latitude) <= 90;
  return isOnEarth ? [longitude, latitude] : undefined;
}

/** The rings of a polygon; what is none stays, and is refused with its feature. */
function inMetres(geometry: unknown, convert: (position: Position) => readonly number[]): unknown {
  const { type, coordinates } = membersOf(geometry);
  // Many programs write each unit as a MultiPolygon, also where it is one.
  const one = type === 'MultiPolygon' && Array.isArray(coordinates) && coordinates.length === 1;
  const rings: unknown = one ? (coordinates as unknown[])[0] : coordinates;
  if ((type !== 'Polygon' && !one) || !Array.isArray(rings)) return { type, coordinates: [] };
  const converted = (position: unknown) => {
    const read = positionOf(position);
    return read ? convert(read) : null;
  };
  return {
    type: 'Polygon',
    coordinates: rings.map((ring: unknown) => (Array.isArray(ring) ? ring.map(converted) : null)),
  };
}

/** Where the archive is: the first position in it. */
function placeOf(features: readonly Members[]): Position | undefined {
  for (const { geometry } of features) {
    let value: unknown = membersOf(geometry)['coordinates'];
    while (Array.isArray(value) && Array.isArray(value[0])) value = value[0];
    const position = positionOf(value);
    if (position) return position;
  }
  return undefined;
}
