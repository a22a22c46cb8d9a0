import type { Beacon, Body, Floor, Venue, Zone } from '@pharos/sdk';
import type { ImportRow } from '../../../components/import/import-rows.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { pointer } from '../../../lib/data/venue-queries.ts';
import { canonical, differenceText } from '../../../lib/text/json-compare.ts';
import { t } from '../../../lib/words/words.ts';
import { changeDay } from '../csv/change-day.ts';
import { readPlanCsv } from '../csv/read.ts';
import { changeGateways, type Gateway, withChanged, withGateway } from '../floor/gateways.ts';
import { changeWalls, withWall } from '../floor/walls.ts';
import { type Exception, kindTexts } from '../venue-fields.ts';
import { type Found, isSameLine, isSameOutline, labelOf, lineOf, pointOf, polygonOf, readFeatures } from './read.ts';
import type { Site } from './write.ts';

/** What a file would change in a venue, feature by feature; nothing is deleted. */
export interface PlannedFeature extends ImportRow {
  readonly apply: () => Promise<unknown>;
}

const mostCorners = 200;

/** @throws Error whose message is a sentence about the whole file */
export const planGeoJson = (appId: string, text: string, site: Site): readonly PlannedFeature[] =>
  planned(appId, readFeatures(text), site);

/** The same of a table. @throws CsvError whose message is a sentence about the whole file */
export const planCsv = (appId: string, text: string, site: Site): readonly PlannedFeature[] =>
  planned(appId, readPlanCsv(text), site);

function planned(appId: string, all: readonly Found[], site: Site): readonly PlannedFeature[] {
  const target = new Target(appId, site, all);
  return all.flatMap((found) => {
    if (found.problem !== undefined) return [refused(found, found.problem)];
    switch (found.featureType) {
      case 'level':
        return [target.level(found)];
      case 'unit':
        return [target.unit(found)];
      case 'wall':
        return [target.wall(found)];
      case 'gateway':
        return [target.gateway(found)];
      case 'beacon':
        return [target.beacon(found)];
      case 'venue':
        return target.venue(found);
      case 'day':
        return [target.day(found)];
      default:
        return [
          refused(
            found,
            t('Features of the type {featureType} are not imported.', {
              featureType: found.featureType || t('(none)'),
            }),
          ),
        ];
    }
  });
}

const rowOf = ({ line, properties }: Found) => ({ line, name: labelOf(properties['name']), differences: [] });

/** Degrees clockwise from upwards. */
function northOf({ properties: { north } }: Found): { readonly north?: number } {
  return typeof north === 'number' && north >= 0 && north <= 360 ? { north } : {};
}

/** Of a zone or a venue. */
function capacityOf({ properties: { capacity } }: Found): { readonly capacity?: number } {
  return typeof capacity === 'number' && Number.isInteger(capacity) && capacity >= 1 ? { capacity } : {};
}

const refused = (found: Found, problem: string): PlannedFeature => ({
  ...rowOf(found),
  kind: 'refused',
  problem,
  apply: async () => undefined,
});

/** Other words for kinds of zones, as IMDF has them. */
const categories: Readonly<Record<string, Zone['kind']>> = {
  walkway: 'passage',
  lobby: 'entrance',
  elevator: 'lift',
  restroom: 'toilets',
  foodservice: 'cafe',
  retail: 'shop',
  nonpublic: 'staff',
};

class Target {
  readonly #appId: string;
  readonly #site: Site;
  /** The levels of the file by their ids. */
  readonly #levels: ReadonlyMap<string, Found>;
  /** Floors that come with this file, by level: made once, before the first zone on them. */
  readonly #made = new Map<number, Promise<string>>();
  #days: Promise<unknown> = Promise.resolve();

  constructor(appId: string, site: Site, all: readonly Found[]) {
    this.#appId = appId;
    this.#site = site;
    this.#levels = new Map(all.flatMap((one) => (one.featureType === 'level' && one.id ? [[one.id, one]] : [])));
  }

  /** Of another venue, whose floors are copied here, nothing is taken over. */
  venue(found: Found): readonly PlannedFeature[] {
    const { venue } = this.#site;
    if (found.id !== venue.objectId) return [];
    const { name, time_zone, address, opening_hours } = found.properties;
    const wanted = {
      name: labelOf(name) || venue.name,
      ...(Array.isArray(opening_hours) ? { openingHours: opening_hours } : {}),
      ...capacityOf(found),
      ...(typeof time_zone === 'string' && time_zone !== '' ? { timeZone: time_zone } : {}),
      ...(typeof address === 'string' && address !== '' ? { address } : {}),
    };
    const { venues } = dataOf(this.#appId);
    return [this.#compared(found, venue, wanted, (change) => venues.update(venue.objectId, change))];
  }

  /** A day with hours of its own, of a table that is read. */
  day(found: Found): PlannedFeature {
    const { venue } = this.#site;
    const { date, hours } = found.properties as unknown as Exception;
    const name = labelOf(found.properties['name']);
    const day: Exception = { date, hours, ...(name === '' ? {} : { name }) };
    // One after the other: all of them are one member of the venue.
    const apply = () => {
      const saving = this.#days.then(() => changeDay(this.#appId, venue.objectId, day));
      this.#days = saving.catch(() => undefined);
      return saving;
    };
    const row = { ...rowOf(found), name: name || date };
    const known = venue.exceptions.find((one) => one.date === date);
    return known ? { ...this.#compared(found, known, day, apply), name: row.name } : { ...row, kind: 'new', apply };
  }

  level(found: Found): PlannedFeature {
    const ordinal = found.properties['ordinal'];
    const name = labelOf(found.properties['name']);
    if (typeof ordinal !== 'number') return refused(found, t('A level needs a number as its ordinal.'));
    if (name === '') return refused(found, t('A level needs a name.'));
    const floor = this.#floorAt(ordinal, found.id);
    if (!floor) return { ...rowOf(found), kind: 'new', apply: () => this.#makeFloor(ordinal, name) };
    const { floors } = dataOf(this.#appId);
    return this.#compared(found, floor, { name, level: ordinal, ...northOf(found) }, (change) =>
      floors.update(floor.objectId, change),
    );
  }

  unit(found: Found): PlannedFeature {
    const name = labelOf(found.properties['name']);
    if (name === '') return refused(found, t('A zone needs a name.'));
    const polygon = polygonOf(found.geometry);
    if (typeof polygon === 'string') return refused(found, polygon);
    if (polygon.length > mostCorners)
      return refused(
        found,
        t('It has {count} corners, and a zone may have {mostCorners}.', { count: polygon.length, mostCorners }),
      );
    const level = this.#levelOf(found);
    if (level === undefined)
      return refused(found, t('Its level_id is no level of this file and no floor of the venue.'));
    const floor = this.#floorAt(level);
    const category = String(found.properties['category'] ?? '');
    const kind = category in kindTexts ? (category as Zone['kind']) : (categories[category] ?? 'room');
    const limit = capacityOf(found);
    const { zones } = this.#site;
    const known =
      zones.find(({ objectId }) => objectId === found.id) ??
      zones.find((zone) => zone.floorId.objectId === floor?.objectId && zone.name === name);
    const data = dataOf(this.#appId);
    if (known && floor) {
      const outline = isSameOutline(known.polygon, polygon) ? known.polygon : polygon;
      // A file that says nothing of kinds changes none.
      const said = category === '' ? {} : { kind };
      const wanted = { name, ...said, polygon: outline, floorId: pointer('Floor', floor.objectId), ...limit };
      return this.#compared(found, known, wanted, (change) => data.zones.update(known.objectId, change));
    }
    return {
      ...rowOf(found),
      kind: 'new',
      apply: async () => {
        const floorId = floor?.objectId ?? (await this.#makeFloor(level, t('Level {level}', { level })));
        await data.zones.create({ floorId: pointer('Floor', floorId), name, kind, polygon: [...polygon], ...limit });
      },
    };
  }

  wall(found: Found): PlannedFeature {
    const points = lineOf(found.geometry);
    if (typeof points === 'string') return refused(found, points);
    const level = this.#levelOf(found);
    if (level === undefined)
      return refused(found, t('Its level_id is no level of this file and no floor of the venue.'));
    const floor = this.#floorAt(level);
    const row = { ...rowOf(found), name: t('Wall of level {level}', { level }) };
    if (floor?.walls?.some((wall) => isSameLine(wall.points, points)))
      return { ...row, kind: 'unchanged', apply: async () => undefined };
    return {
      ...row,
      kind: 'new',
      apply: async () => {
        const floorId = floor?.objectId ?? (await this.#makeFloor(level, t('Level {level}', { level })));
        await changeWalls(this.#appId, floorId, withWall({ points }));
      },
    };
  }

  /** By its name on its level. */
  gateway(found: Found): PlannedFeature {
    const name = labelOf(found.properties['name']);
    const at = pointOf(found.geometry);
    if (name === '') return refused(found, t('A gateway needs a name.'));
    if (!at) return refused(found, t('A gateway needs a point.'));
    const level = this.#levelOf(found);
    if (level === undefined)
      return refused(found, t('Its level_id is no level of this file and no floor of the venue.'));
    const floor = this.#floorAt(level);
    const known = floor?.gateways?.find((one) => one.name === name);
    if (known && floor)
      return this.#compared(found, known, at, (change: object) =>
        changeGateways(this.#appId, floor.objectId, withChanged(name, change)),
      );
    return {
      ...rowOf(found),
      kind: 'new',
      apply: async () => {
        const floorId = floor?.objectId ?? (await this.#makeFloor(level, t('Level {level}', { level })));
        await changeGateways(this.#appId, floorId, withGateway({ name, ...at }));
      },
    };
  }

  beacon(found: Found): PlannedFeature {
    const { uuid, major, minor, ordinal, name } = found.properties;
    const { beacons, venue } = this.#site;
    const known =
      beacons.find(({ objectId }) => objectId === found.id) ??
      beacons.find((one) => one.uuid === uuid && one.major === major && one.minor === minor);
    const at = pointOf(found.geometry);
    if (!at) return refused(found, t('A beacon needs a point.'));
    const floor = typeof ordinal === 'number' || typeof ordinal === 'string' ? { floor: ordinal } : {};
    const place = { venueId: pointer('Venue', venue.objectId), location: { ...known?.location, ...at, ...floor } };
    const data = dataOf(this.#appId).beacons;
    if (known)
      return this.#compared(found, known, { ...place, name: labelOf(name) || known.name }, (change) =>
        data.update(known.objectId, change),
      );
    if (typeof uuid !== 'string' || typeof major !== 'number' || typeof minor !== 'number')
      return refused(found, t('A new beacon needs uuid, major and minor.'));
    const body = { name: labelOf(name), uuid, major, minor, ...place } as unknown as Body<'createBeacon'>;
    return { ...rowOf(found), kind: 'new', apply: () => data.create(body) };
  }

  #floorAt(level: number, id?: string): Floor | undefined {
    const { floors } = this.#site;
    return floors.find(({ objectId }) => objectId === id) ?? floors.find((floor) => floor.level === level);
  }

  #levelOf({ properties }: Found): number | undefined {
    const id = String(properties['level_id'] ?? '');
    const ordinal = this.#levels.get(id)?.properties['ordinal'] ?? properties['ordinal'];
    if (typeof ordinal === 'number') return ordinal;
    return this.#site.floors.find(({ objectId }) => objectId === id)?.level;
  }

  #makeFloor(level: number, name: string): Promise<string> {
    const found = this.#levelAt(level);
    const making =
      this.#made.get(level) ??
      dataOf(this.#appId)
        .floors.create({
          venueId: pointer('Venue', this.#site.venue.objectId),
          name: (found && labelOf(found.properties['name'])) || name,
          level,
          ...(found && northOf(found)),
        })
        .then(({ objectId }) => objectId);
    this.#made.set(level, making);
    // One that has failed can be tried again.
    making.catch(() => this.#made.delete(level));
    return making;
  }

  #levelAt(level: number): Found | undefined {
    return [...this.#levels.values()].find(({ properties }) => properties['ordinal'] === level);
  }

  #compared(
    found: Found,
    known: Venue | Exception | Floor | Zone | Beacon | Gateway,
    wanted: object,
    change: (members: never) => Promise<unknown>,
  ): PlannedFeature {
    const before = known as unknown as Readonly<Record<string, unknown>>;
    const changed = Object.entries(wanted).filter(
      ([member, value]) => canonical(value) !== canonical(before[member] ?? null),
    );
    return {
      ...rowOf(found),
      kind: changed.length > 0 ? 'changed' : 'unchanged',
      differences: changed.map(([member, value]) => ({
        member,
        before: differenceText(before[member]),
        after: differenceText(value),
      })),
      apply: () => change(Object.fromEntries(changed) as never),
    };
  }
}
