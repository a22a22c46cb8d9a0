import type { Beacon, Body, CallOptions, Floor, Zone } from '@pharos/sdk';
import { assertAsPreviewed, changeAsPreviewed, changedSince, holds } from '../../../components/import/as-previewed.ts';
import { createOnce } from '../../../components/import/create-once.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { pointer } from '../../../lib/data/venue-queries.ts';
import { canonical } from '../../../lib/text/json-compare.ts';
import { t } from '../../../lib/words/words.ts';
import { readPlanCsv } from '../csv/read.ts';
import { changeGateways, type GatewayEdit, withChanged, withGateway } from '../floor/gateways.ts';
import { changeFloorNow } from '../floor/meanwhile.ts';
import { changeWalls, type Wall, withWall } from '../floor/walls.ts';
import { kindTexts } from '../venue-fields.ts';
import { VenueRows } from './plan-venue.ts';
import { capacityOf, compared, isCapacity, type PlannedFeature, refused, rowOf } from './planned.ts';
import {
  type Found,
  isSameLine,
  isSameOutline,
  labelOf,
  lineOf,
  type Point,
  pointOf,
  polygonOf,
  readFeatures,
} from './read.ts';
import type { Site } from './write.ts';

const mostCorners = 200;
/** Zones of one name on a floor, beacons with one major and minor. */
const mostAlike = 100;

export interface Into extends Site {
  /** Of the app's secret keys; without them only the service says which are unknown. */
  readonly keyIds?: ReadonlySet<string> | undefined;
  /** Whether beacons come along with a floor; yes unless given. */
  readonly mayPlace?: boolean;
  /** Rows go in without what cannot be read. */
  readonly isLenient?: boolean;
}

/** @throws Error whose message is a sentence about the whole file */
export const planGeoJson = (appId: string, text: string, into: Into): readonly PlannedFeature[] =>
  planned(appId, readFeatures(text), into);

/** The same of a table. @throws CsvError whose message is a sentence about the whole file */
export const planCsv = (appId: string, text: string, into: Into): readonly PlannedFeature[] =>
  planned(appId, readPlanCsv(text), into);

function planned(appId: string, all: readonly Found[], into: Into): readonly PlannedFeature[] {
  const target = new Target(appId, into, all);
  const known = new Set<string>();
  return all.flatMap((found): readonly PlannedFeature[] => {
    if (found.problem !== undefined) return [refused(found, found.problem)];
    const key = `${found.featureType} ${found.id}`;
    if (isOneRecord(found) && known.has(key))
      return [
        refused(found, t('The file has the id {id} before. A copy needs an id of its own, or none.', { id: found.id })),
      ];
    known.add(key);
    const unread = unreadOf(found);
    if (unread.length > 0 && !into.isLenient) return [{ ...refused(found, unread.join(' ')), unread }];
    const rows = plannedRows(target, found);
    return unread.length === 0 ? rows : rows.map((row) => ({ ...row, unread: [...(row.unread ?? []), ...unread] }));
  });
}

/** Walls have ids that nobody reads; days and gateways have none. */
const isOneRecord = (found: Found): found is Found & { readonly id: string } =>
  found.id !== undefined && ['level', 'unit', 'beacon', 'venue'].includes(found.featureType);

function plannedRows(target: Target, found: Found): readonly PlannedFeature[] {
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
      return target.venue.row(found);
    case 'day':
      return [target.venue.day(found)];
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
}

/** Degrees clockwise from upwards. */
const isNorth = (north: unknown): north is number => typeof north === 'number' && north >= 0 && north <= 360;
const northOf = ({ properties: { north } }: Found) => (isNorth(north) ? { north } : {});

/** What it says and nobody can use, as sentences. */
function unreadOf({ featureType, properties: { north, capacity } }: Found): readonly string[] {
  const isSaid = (value: unknown) => value !== undefined && value !== null && value !== '';
  if (featureType === 'level' && isSaid(north) && !isNorth(north))
    return [t('Its north is no number of degrees from 0 to 360: {text}.', { text: String(north) })];
  if (['unit', 'venue'].includes(featureType) && isSaid(capacity) && !isCapacity(capacity))
    return [t('Its capacity is no whole number from 1: {text}.', { text: String(capacity) })];
  return [];
}

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

type Members = Readonly<Record<string, unknown>>;

interface Wanted {
  readonly name: string;
  readonly polygon: readonly Point[];
  readonly floorId: string | undefined;
}

class Target {
  readonly #appId: string;
  readonly #site: Into;
  readonly #levels: readonly Found[];
  /** The level of each floor that is there, once the file is in. */
  readonly #levelAfter: ReadonlyMap<string, number>;
  /** Zones that are said to be in the file by their ids, or were found by their names. */
  readonly #taken: Set<string>;
  /** Floors that come with this file, by level: made once, before the first zone on them. */
  readonly #made = new Map<number, Promise<string>>();
  /** Floors that have left their level to another one. */
  readonly #moved = new Map<string, Promise<unknown>>();
  /** Those that come with this file. */
  readonly #ownZones = new Set<string>();
  /** How many of them are the same in everything. */
  readonly #copies = new Map<string, number>();
  /** Zones under way, by floor and name. */
  readonly #making = new Map<string, Promise<unknown>>();
  readonly venue: VenueRows;

  constructor(appId: string, site: Into, all: readonly Found[]) {
    this.#appId = appId;
    this.#site = site;
    this.venue = new VenueRows(appId, site.venue);
    this.#levels = all.filter((one) => one.featureType === 'level' && one.problem === undefined);
    const ordinals = new Map(this.#levels.map(({ id, properties: { ordinal } }) => [id, ordinal]));
    this.#levelAfter = new Map(
      site.floors.map(({ objectId, level }) => {
        const ordinal = ordinals.get(objectId);
        return [objectId, typeof ordinal === 'number' ? ordinal : level];
      }),
    );
    this.#taken = new Set(all.flatMap(({ id, featureType }) => (featureType === 'unit' && id ? [id] : [])));
  }

  level(found: Found): PlannedFeature {
    const ordinal = found.properties['ordinal'];
    const name = labelOf(found.properties['name']);
    if (typeof ordinal !== 'number') return refused(found, t('A level needs a number as its ordinal.'));
    if (name === '') return refused(found, t('A level needs a name.'));
    if (this.#levelAt(ordinal) !== found)
      return refused(found, t('The file has a level {ordinal} before, and each level has one floor.', { ordinal }));
    const floor = this.#floorAt(ordinal, found.id);
    if (!floor) return { ...rowOf(found), kind: 'new', apply: () => this.#makeFloor(ordinal, name) };
    const { objectId } = floor;
    const wanted = { name, level: ordinal, ...northOf(found) };
    return compared(found, floor, wanted, async (after: Partial<typeof wanted>, before) => {
      const { level, ...change } = after;
      assertAsPreviewed(await dataOf(this.#appId).floors.get(objectId), { before, after });
      if (level !== undefined) await this.#moveFloor(objectId, level, []);
      if (Object.keys(change).length > 0) await this.#changeFloor(objectId, change);
    });
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
    const floor = this.#floorAt(level, String(found.properties['level_id'] ?? ''));
    const category = String(found.properties['category'] ?? '');
    const kind = category in kindTexts ? (category as Zone['kind']) : (categories[category] ?? 'room');
    const limit = capacityOf(found);
    const known = this.#zoneOf(found, { name, polygon, floorId: floor?.objectId });
    const data = dataOf(this.#appId);
    if (known && floor) {
      const outline = isSameOutline(known.polygon, polygon) ? known.polygon : polygon;
      // A file that says nothing of kinds changes none.
      const said = category === '' ? {} : { kind };
      const wanted = { name, ...said, polygon: outline, floorId: pointer('Floor', floor.objectId), ...limit };
      return compared(found, known, wanted, (after: Body<'updateZone'>, before) =>
        changeAsPreviewed({
          before,
          after: after as Members,
          read: () => data.zones.get(known.objectId),
          send: (ifMatch) => data.zones.update(known.objectId, after, { ifMatch }),
        }),
      );
    }
    return {
      ...rowOf(found),
      kind: 'new',
      apply: async () => {
        const floorId = floor?.objectId ?? (await this.#makeFloor(level, t('Level {level}', { level })));
        await this.#makeZone({ floorId: pointer('Floor', floorId), name, kind, polygon: [...polygon], ...limit });
      },
    };
  }

  /** Somebody else may have taken the same file in since the preview. Zones of one name go in one after the other, to know one's own. */
  #makeZone(zone: Body<'createZone'>): Promise<void> {
    const { zones } = dataOf(this.#appId);
    const { floorId, name } = zone;
    const make = async () => {
      const { results } = await zones.list({ where: { floorId, name }, limit: mostAlike });
      const known = new Set([...this.#site.zones.map(({ objectId }) => objectId), ...this.#ownZones]);
      const others = results.filter(({ objectId }) => !known.has(objectId));
      const { polygon, ...members } = zone;
      if (others.some((one) => holds(one, members) && isSameOutline(one.polygon, polygon))) return;
      if (others.length > 0)
        throw new Error(
          t(
            'Somebody else has added a zone of this name on this level since the file was read. Choose the file again.',
          ),
        );
      const create = (again: CallOptions) => zones.create(zone, again);
      const copy = canonical(zone);
      const before = this.#copies.get(copy) ?? 0;
      this.#ownZones.add(await createOnce([zone, before], { create, read: (id) => zones.get(id) }));
      this.#copies.set(copy, before + 1);
    };
    const key = canonical([floorId, name]);
    const making = (this.#making.get(key) ?? Promise.resolve()).then(make);
    this.#making.set(
      key,
      making.catch(() => undefined),
    );
    return making;
  }

  wall(found: Found): PlannedFeature {
    const points = lineOf(found.geometry);
    if (typeof points === 'string') return refused(found, points);
    const level = this.#levelOf(found);
    if (level === undefined)
      return refused(found, t('Its level_id is no level of this file and no floor of the venue.'));
    const floor = this.#floorAt(level, String(found.properties['level_id'] ?? ''));
    const row = { ...rowOf(found), name: t('Wall of level {level}', { level }) };
    if (floor?.walls?.some((wall) => isSameLine(wall.points, points)))
      return { ...row, kind: 'unchanged', apply: async () => undefined };
    return {
      ...row,
      kind: 'new',
      apply: async () => {
        const floorId = floor?.objectId ?? (await this.#makeFloor(level, t('Level {level}', { level })));
        // Somebody else may have drawn it since the preview.
        const isThere = (wall: Wall) => isSameLine(wall.points, points);
        await changeWalls(this.#appId, floorId, (walls) => (walls.some(isThere) ? walls : withWall({ points })(walls)));
      },
    };
  }

  /** By its name on its level, or by its secret key, where no other gateway there has it: then it has another name. */
  gateway(found: Found): PlannedFeature {
    const name = labelOf(found.properties['name']);
    const at = pointOf(found.geometry);
    if (name === '') return refused(found, t('A gateway needs a name.'));
    if (!at) return refused(found, t('A gateway needs a point.'));
    const level = this.#levelOf(found);
    if (level === undefined)
      return refused(found, t('Its level_id is no level of this file and no floor of the venue.'));
    const floor = this.#floorAt(level, String(found.properties['level_id'] ?? ''));
    const keyId = String(found.properties['key_id'] ?? '');
    const hung = floor?.gateways ?? [];
    const withKey = keyId === '' ? [] : hung.filter((one) => one.keyId === keyId);
    const known = hung.find((one) => one.name === name) ?? (withKey.length === 1 ? withKey[0] : undefined);
    // Of another app, or revoked; what the gateway has stays.
    const isKnown = keyId === '' || keyId === known?.keyId || this.#site.keyIds?.has(keyId) !== false;
    const unread = isKnown ? {} : { unread: [t('There is no secret key {keyId} in this app.', { keyId })] };
    if (!isKnown && !this.#site.isLenient) return { ...refused(found, unread.unread?.[0] ?? ''), ...unread };
    const tie = keyId !== '' && isKnown ? { keyId } : {};
    if (known && floor) {
      const row = compared(found, known, { name, ...at, ...tie }, (after: GatewayEdit, before) =>
        changeGateways(this.#appId, floor.objectId, (gateways) => {
          const now = gateways.find((one) => one.name === known.name) ?? gateways.find((one) => one.name === name);
          if (now) assertAsPreviewed(now, { before, after: after as Members });
          return withChanged(now?.name ?? known.name, after)(gateways);
        }),
      );
      return { ...row, ...unread };
    }
    return {
      ...rowOf(found),
      ...unread,
      kind: 'new',
      apply: async () => {
        const floorId = floor?.objectId ?? (await this.#makeFloor(level, t('Level {level}', { level })));
        const gateway = { name, ...at, ...tie };
        await changeGateways(this.#appId, floorId, (gateways) => {
          const now = gateways.find((one) => one.name === name);
          if (now && !holds(now, gateway)) throw changedSince();
          return now ? gateways : withGateway(gateway)(gateways);
        });
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
    if (known) {
      const change = (after: Body<'updateBeacon'>, before: Members) =>
        this.#changeBeacon(known, { after, before, moved: { location: { ...known.location, ...floor } } });
      return compared(found, known, { ...place, name: labelOf(name) || known.name }, change);
    }
    if (typeof uuid !== 'string' || typeof major !== 'number' || typeof minor !== 'number')
      return refused(found, t('A new beacon needs uuid, major and minor.'));
    const body = { name: labelOf(name), uuid, major, minor, ...place } as unknown as Body<'createBeacon'>;
    const apply = async () => {
      const { results } = await data.list({ where: { major, minor }, limit: mostAlike });
      const alike = results.find((one) => one.uuid.toLowerCase() === uuid.toLowerCase());
      const create = (again: CallOptions) => data.create(body, again);
      if (!alike) await createOnce(body, { create, read: (id) => data.get(id) });
      else if (!holds(alike, { name: body.name, ...place }))
        throw new Error(
          t(
            'Somebody else has added a beacon with this UUID, major and minor since the file was read. Choose the file again.',
          ),
        );
    };
    return { ...rowOf(found), kind: 'new', apply };
  }

  /** `moved` is how it is where it has come along with a floor that the file moves. */
  async #changeBeacon(
    { objectId }: Beacon,
    {
      after,
      before,
      moved,
    }: { readonly after: Body<'updateBeacon'>; readonly before: Members; readonly moved: Members },
  ): Promise<void> {
    const { beacons } = dataOf(this.#appId);
    const isMoved = 'location' in before && holds(await beacons.get(objectId), moved);
    await changeAsPreviewed({
      before: isMoved ? { ...before, ...moved } : before,
      after: after as Members,
      read: () => beacons.get(objectId),
      send: (ifMatch) => beacons.update(objectId, after, { ifMatch }),
    });
  }

  /** By its id, or by the level that it has once the file is in: floors that the file moves are not those that they make room for. */
  #floorAt(level: number, id?: string): Floor | undefined {
    const { floors } = this.#site;
    return (
      floors.find(({ objectId }) => objectId === id) ??
      floors.find(({ objectId }) => this.#levelAfter.get(objectId) === level)
    );
  }

  #levelOf({ properties }: Found): number | undefined {
    const id = String(properties['level_id'] ?? '');
    const level = id === '' ? undefined : this.#levels.find((one) => one.id === id);
    const ordinal = level?.properties['ordinal'] ?? properties['ordinal'];
    if (typeof ordinal === 'number') return ordinal;
    return this.#site.floors.find(({ objectId }) => objectId === id)?.level;
  }

  /** Several zones of a floor may have one name: each is found once, that with the same outline first. */
  #zoneOf({ id }: Found, { name, polygon, floorId }: Wanted): Zone | undefined {
    const { zones } = this.#site;
    const byId = zones.find(({ objectId }) => objectId === id);
    if (byId) return byId;
    const alike = zones.filter(
      (zone) => zone.floorId.objectId === floorId && zone.name === name && !this.#taken.has(zone.objectId),
    );
    const found = alike.find((zone) => isSameOutline(zone.polygon, polygon)) ?? alike[0];
    if (found) this.#taken.add(found.objectId);
    return found;
  }

  /**
   * Each level has one floor: one that the file moves elsewhere goes first, as where all floors above a new one are numbered anew. Of
   * floors that change places, the service says that it cannot be.
   */
  async #makeRoom(level: number, coming: readonly string[]): Promise<void> {
    const there = this.#site.floors.find((floor) => floor.level === level);
    const to = there && this.#levelAfter.get(there.objectId);
    if (to === undefined || to === level || coming.includes(there?.objectId ?? '')) return;
    await this.#moveFloor((there as Floor).objectId, to, coming);
  }

  /** Once, whoever needs it first, and with the beacons that are on it. */
  async #moveFloor(objectId: string, level: number, coming: readonly string[]): Promise<void> {
    const moving =
      this.#moved.get(objectId) ??
      this.#makeRoom(level, [...coming, objectId]).then(() => this.#changeFloor(objectId, { level }));
    this.#moved.set(objectId, moving);
    moving.catch(() => this.#moved.delete(objectId));
    await moving;
  }

  #changeFloor(objectId: string, change: Body<'updateFloor'>): Promise<unknown> {
    return changeFloorNow(this.#appId, objectId, { change, mayPlace: this.#site.mayPlace !== false });
  }

  #makeFloor(level: number, name: string): Promise<string> {
    const found = this.#levelAt(level);
    const floor = {
      venueId: pointer('Venue', this.#site.venue.objectId),
      name: (found && labelOf(found.properties['name'])) || name,
      level,
      ...(found && northOf(found)),
    };
    const making =
      this.#made.get(level) ??
      this.#makeRoom(level, [])
        .then(() => dataOf(this.#appId).floors.create(floor))
        .then(({ objectId }) => objectId);
    this.#made.set(level, making);
    // One that has failed can be tried again.
    making.catch(() => this.#made.delete(level));
    return making;
  }

  #levelAt(level: number): Found | undefined {
    return this.#levels.find(({ properties }) => properties['ordinal'] === level);
  }
}
