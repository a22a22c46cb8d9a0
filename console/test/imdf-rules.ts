import { isDeepStrictEqual } from 'node:util';

/**
 * The rules of IMDF 1.0.0 (OGC 20-094) that an archive of a venue has to keep, for tests: what is required, of which type, what refers to
 * what, and how geometry lies. Not a validator of everything that the format allows: details, fixtures, relationships and the like are
 * checked as features only.
 */

type Position = readonly [longitude: number, latitude: number];
interface Feature {
  readonly id: string;
  readonly type: string;
  readonly feature_type: string;
  readonly geometry: { readonly type: string; readonly coordinates: unknown } | null;
  readonly properties: Readonly<Record<string, unknown>>;
}
type Check = (value: unknown) => boolean;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

const isText: Check = (value) => typeof value === 'string' && value !== '';
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string);
/** Texts by the tags of their languages (BCP 47), at least one. */
const isLabels: Check = (value) =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length > 0 &&
  Object.entries(value).every(([tag, text]) => /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(tag) && isText(text));
const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) &&
  value.length === 2 &&
  value.every((part) => typeof part === 'number') &&
  Math.abs(value[0] as number) <= 180 &&
  Math.abs(value[1] as number) <= 90;
const isPoint: Check = (value) => {
  const { type, coordinates } = (value ?? {}) as { type?: unknown; coordinates?: unknown };
  return type === 'Point' && isPosition(coordinates);
};
const isId: Check = (value) => typeof value === 'string' && uuid.test(value);
const isIds: Check = (value) => Array.isArray(value) && value.length > 0 && value.every(isId);
const isRestriction = orNull(oneOf('employeesonly', 'restricted'));
/** As OpenStreetMap writes opening hours: weekdays or a date, then times or `off`, then perhaps a comment. */
const isHours: Check = (value) =>
  isText(value) &&
  String(value)
    .split(/; (?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .every(isRule);
const hoursRule =
  /^((Mo|Tu|We|Th|Fr|Sa|Su)([-,](Mo|Tu|We|Th|Fr|Sa|Su))? |\d{4} [A-Z][a-z]{2} \d\d )?(\d\d:\d\d-\d\d:\d\d(,\d\d:\d\d-\d\d:\d\d)*|off)( "[^"]*")?$/;
const isRule = (part: string) => hoursRule.test(part);

const restrooms = [
  'family',
  'female',
  'female.wheelchair',
  'male',
  'male.wheelchair',
  'transgender',
  'unisex',
  'wheelchair',
];
const unitCategories = [
  ...'auditorium brick classroom column concrete conferenceroom drywall elevator escalator fieldofplay firstaid'.split(
    ' ',
  ),
  ...'fitnessroom foodservice footbridge glass huddleroom kitchen laboratory library lobby lounge mailroom'.split(' '),
  ...'mothersroom movietheater movingwalkway nonpublic office opentobelow parking phoneroom platform'.split(' '),
  ...'privatelounge ramp recreation restroom road room serverroom shower smokingarea stairs steps storage'.split(' '),
  ...'structure terrace theater unenclosedarea unspecified vegetation waitingroom walkway walkway.island wood'.split(
    ' ',
  ),
  ...restrooms.map((kind) => `restroom.${kind}`),
];
const venueCategories = [
  ...'airport airport.intl aquarium businesscampus casino communitycenter conventioncenter governmentfacility'.split(
    ' ',
  ),
  ...'healthcarefacility hotel museum parkingfacility resort retailstore shoppingcenter stadium stripmall theater'.split(
    ' ',
  ),
  ...'themepark trainstation transitstation university'.split(' '),
];
const named = { name: orNull(isLabels), alt_name: orNull(isLabels), restriction: isRestriction };

interface Rules {
  readonly geometry: 'none' | 'area';
  readonly properties: Readonly<Record<string, Check>>;
}

const rulesOf: Readonly<Record<string, Rules>> = {
  address: {
    geometry: 'none',
    properties: {
      address: isText,
      unit: orNull(isText),
      locality: isText,
      province: orNull((value) => /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(String(value))),
      country: (value) => /^[A-Z]{2}$/.test(String(value)),
      postal_code: orNull(isText),
      postal_code_ext: orNull(isText),
      postal_code_vanity: orNull(isText),
    },
  },
  venue: {
    geometry: 'area',
    properties: {
      ...named,
      category: oneOf(...venueCategories),
      name: isLabels,
      hours: orNull(isHours),
      phone: orNull((value) => /^\+\d{4,15}$/.test(String(value))),
      website: orNull((value) => URL.canParse(String(value))),
      display_point: isPoint,
      address_id: isId,
    },
  },
  building: {
    geometry: 'none',
    properties: {
      ...named,
      category: oneOf('parking', 'transit', 'transit.bus', 'transit.train', 'unspecified'),
      display_point: orNull(isPoint),
      address_id: orNull(isId),
    },
  },
  footprint: {
    geometry: 'area',
    properties: { category: oneOf('aerial', 'ground', 'subterranean'), name: orNull(isLabels), building_ids: isIds },
  },
  level: {
    geometry: 'area',
    properties: {
      category: (value) =>
        /^(arrivals|departures)(\.(domestic|intl)(\.\w+)?)?$|^(parking|transit|unspecified)$/.test(String(value)),
      restriction: isRestriction,
      ordinal: Number.isInteger,
      outdoor: (value) => typeof value === 'boolean',
      name: isLabels,
      short_name: isLabels,
      display_point: orNull(isPoint),
      address_id: orNull(isId),
      building_ids: orNull(isIds),
    },
  },
  unit: {
    geometry: 'area',
    properties: {
      ...named,
      category: oneOf(...unitCategories),
      accessibility: orNull((value) => Array.isArray(value) && value.every(isText)),
      level_id: isId,
      display_point: orNull(isPoint),
    },
  },
};

/** Which type a reference leads to. */
const targets: Readonly<Record<string, string>> = {
  address_id: 'address',
  building_ids: 'building',
  level_id: 'level',
};
const required = ['address', 'venue', 'building', 'footprint', 'level', 'unit'];
const otherTypes = [
  'amenity',
  'anchor',
  'detail',
  'fixture',
  'geofence',
  'kiosk',
  'occupant',
  'opening',
  'relationship',
  'section',
];

/** What is wrong with the files of an archive, by their names; empty where nothing is. */
export function imdfFaults(files: ReadonlyMap<string, unknown>): string[] {
  const faults = manifestFaults(files.get('manifest.json'));
  const features: Feature[] = [];
  for (const [name, content] of files) {
    if (name === 'manifest.json') continue;
    const type = name.replace(/\.geojson$/, '');
    if (![...required, ...otherTypes].includes(type)) faults.push(`${name} is no file of IMDF`);
    const { type: kind, features: own } = content as { type?: unknown; features?: unknown };
    if (kind !== 'FeatureCollection' || !Array.isArray(own)) faults.push(`${name} is no FeatureCollection`);
    else
      for (const feature of own as Feature[]) {
        features.push(feature);
        if (feature.feature_type !== type) faults.push(`${name} has a ${feature.feature_type}`);
      }
  }
  for (const type of required) if (!files.has(`${type}.geojson`)) faults.push(`${type}.geojson is missing`);
  const byId = new Map(features.map((feature) => [feature.id, feature]));
  if (byId.size !== features.length) faults.push('two features have one id');
  for (const feature of features) faults.push(...featureFaults(feature), ...referenceFaults(feature, byId));
  return [...faults, ...wholeFaults(features)];
}

function manifestFaults(manifest: unknown): string[] {
  const { version, created, generated_by, language, extensions } = (manifest ?? {}) as Record<string, unknown>;
  const isTime = typeof created === 'string' && new Date(created).toJSON() === created;
  return [
    ...(version === '1.0.0' ? [] : ['manifest: version']),
    ...(isTime ? [] : ['manifest: created']),
    ...(orNull(isText)(generated_by) ? [] : ['manifest: generated_by']),
    ...(/^[a-z]{2,3}(-\w+)*$/.test(String(language)) ? [] : ['manifest: language']),
    ...(extensions === null || Array.isArray(extensions) ? [] : ['manifest: extensions']),
  ];
}

function featureFaults({ id, type, feature_type, geometry, properties }: Feature): string[] {
  const rules = rulesOf[feature_type];
  const faults: string[] = [];
  if (!uuid.test(id)) faults.push(`${feature_type} ${id}: the id is no UUID`);
  if (type !== 'Feature') faults.push(`${feature_type} ${id}: type`);
  if (!rules) return faults;
  for (const [name, check] of Object.entries(rules.properties)) {
    if (!(name in properties)) faults.push(`${feature_type}: ${name} is missing`);
    else if (!check(properties[name])) faults.push(`${feature_type}: ${name} is ${JSON.stringify(properties[name])}`);
  }
  for (const name of Object.keys(properties))
    if (!(name in rules.properties)) faults.push(`${feature_type}: ${name} is unknown`);
  if (rules.geometry === 'none') return geometry === null ? faults : [...faults, `${feature_type}: has a geometry`];
  const rings = ringsOf(geometry);
  if (!rings) return [...faults, `${feature_type}: is no Polygon or MultiPolygon`];
  for (const polygon of rings)
    for (const [index, ring] of polygon.entries()) faults.push(...ringFaults(feature_type, ring, index > 0));
  const point = properties['display_point'] as { coordinates: Position } | null | undefined;
  if (isPoint(point) && point && !rings.some(([outer]) => outer && isInside(point.coordinates, outer)))
    faults.push(`${feature_type} ${JSON.stringify(properties['name'])}: the display_point is outside`);
  return faults;
}

function ringsOf(geometry: Feature['geometry']): readonly (readonly (readonly Position[])[])[] | undefined {
  if (geometry?.type === 'Polygon') return [geometry.coordinates as Position[][]];
  return geometry?.type === 'MultiPolygon' ? (geometry.coordinates as Position[][][]) : undefined;
}

/** RFC 7946, 3.1.6: closed, four positions or more, the outer one counterclockwise; and no edge crosses another one. */
function ringFaults(what: string, ring: readonly Position[], isHole: boolean): string[] {
  if (!ring.every(isPosition)) return [`${what}: a position is none`];
  const faults: string[] = [];
  if (ring.length < 4) faults.push(`${what}: a ring has ${ring.length} positions`);
  if (!isDeepStrictEqual(ring[0], ring.at(-1))) faults.push(`${what}: a ring is not closed`);
  if (areaOf(ring) > 0 === isHole) faults.push(`${what}: a ring runs the wrong way`);
  if (crossesItself(ring)) faults.push(`${what}: a ring crosses itself`);
  return faults;
}

/** Twice the area, from the first corner so that nothing is lost in large numbers; positive: counterclockwise. */
function areaOf(ring: readonly Position[]): number {
  const [x0, y0] = ring[0] ?? [0, 0];
  return ring.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = ring[index + 1] ?? [x0, y0];
    return sum + (x - x0) * (nextY - y0) - (nextX - x0) * (y - y0);
  }, 0);
}

const turn = (a: Position, b: Position, c: Position) =>
  Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));

function crossesItself(ring: readonly Position[]): boolean {
  const edges = ring.slice(1).map((to, index) => [ring[index] ?? to, to] as const);
  return edges.some(([a, b], one) =>
    edges.some(([c, d], other) => {
      if (Math.abs(one - other) < 2 || Math.abs(one - other) === edges.length - 1) return false;
      return turn(a, b, c) !== turn(a, b, d) && turn(c, d, a) !== turn(c, d, b);
    }),
  );
}

/** Inside or on the edge, to a centimetre or so. */
function isInside([x, y]: Position, ring: readonly Position[]): boolean {
  let isIn = false;
  for (const [index, a] of ring.entries()) {
    const b = ring[index + 1];
    if (!b) break;
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    const along = ((x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1])) / (length * length || 1);
    const [nearX, nearY] = [a[0] + along * (b[0] - a[0]), a[1] + along * (b[1] - a[1])];
    if (along >= 0 && along <= 1 && Math.hypot(x - nearX, y - nearY) < 1e-7) return true;
    if (a[1] > y !== b[1] > y && x < ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) + a[0]) isIn = !isIn;
  }
  return isIn;
}

function referenceFaults({ feature_type, properties }: Feature, byId: ReadonlyMap<string, Feature>): string[] {
  return Object.entries(targets).flatMap(([name, type]) =>
    [properties[name] ?? []].flat().flatMap((id) => {
      const found = byId.get(String(id));
      if (!found) return [`${feature_type}: ${name} leads nowhere`];
      return found.feature_type === type ? [] : [`${feature_type}: ${name} leads to a ${found.feature_type}`];
    }),
  );
}

/** What is said of an archive as a whole. */
function wholeFaults(features: readonly Feature[]): string[] {
  const of = (type: string) => features.filter(({ feature_type }) => feature_type === type);
  const faults: string[] = [];
  if (of('venue').length !== 1) faults.push(`there are ${of('venue').length} venues`);
  for (const { id } of of('building')) {
    const stands = of('footprint').some(
      ({ properties }) => properties['category'] === 'ground' && (properties['building_ids'] as string[]).includes(id),
    );
    if (!stands) faults.push('a building has no footprint on the ground');
  }
  for (const { properties } of of('level'))
    if (properties['outdoor'] === false && properties['building_ids'] === null)
      faults.push('a level is in no building');
  const levels = new Map(of('level').map((level) => [level.id, level]));
  const ordinals = of('level').map(({ properties }) => properties['ordinal']);
  if (new Set(ordinals).size !== ordinals.length) faults.push('two levels of the building are at one height');
  const [venue] = of('venue');
  for (const level of of('level')) if (venue && !liesIn(level, venue)) faults.push('a level reaches out of the venue');
  for (const unit of of('unit')) {
    const level = levels.get(String(unit.properties['level_id']));
    if (level && !liesIn(unit, level))
      faults.push(`a unit reaches out of its level: ${JSON.stringify(unit.properties['name'])}`);
  }
  return faults;
}

const liesIn = (inner: Feature, outer: Feature): boolean => {
  const around = ringsOf(outer.geometry)?.flatMap(([ring]) => (ring ? [ring] : [])) ?? [];
  return (ringsOf(inner.geometry) ?? []).flat(2).every((at) => around.some((ring) => isInside(at, ring)));
};
