import type { Body, Floor } from '@pharos/sdk';
import { assertAsPreviewed } from '../../../components/import/as-previewed.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { pointer } from '../../../lib/data/venue-queries.ts';
import { t } from '../../../lib/words/words.ts';
import { changeFloorNow } from '../floor/meanwhile.ts';
import { compared, isNorth, type PlannedFeature, refused, rowOf, type Target } from './planned.ts';
import { type Found, labelOf } from './read.ts';

const northOf = ({ properties: { north } }: Found) => (isNorth(north) ? { north } : {});

/** What a file would change of the floors of a venue, and where the rest of the file belongs among them. */
export class FloorRows {
  readonly #target: Target;
  readonly #levels: readonly Found[];
  /** The level of each floor that is there, once the file is in. */
  readonly #levelAfter: ReadonlyMap<string, number>;
  /** Floors that come with this file, by level: made once, before the first zone on them. */
  readonly #made = new Map<number, Promise<string>>();
  /** Floors that have left their level to another one. */
  readonly #moved = new Map<string, Promise<unknown>>();

  constructor(target: Target, all: readonly Found[]) {
    this.#target = target;
    this.#levels = all.filter((one) => one.featureType === 'level' && one.problem === undefined);
    const ordinals = new Map(this.#levels.map(({ id, properties: { ordinal } }) => [id, ordinal]));
    this.#levelAfter = new Map(
      target.into.floors.map(({ objectId, level }) => {
        const ordinal = ordinals.get(objectId);
        return [objectId, typeof ordinal === 'number' ? ordinal : level];
      }),
    );
  }

  row(found: Found): PlannedFeature {
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
      assertAsPreviewed(await dataOf(this.#target.appId).floors.get(objectId), { before, after });
      if (level !== undefined) await this.#moveFloor(objectId, level, []);
      if (Object.keys(change).length > 0) await this.#changeFloor(objectId, change);
    });
  }

  /** Where a feature belongs, whose `level_id` names a level of the file or a floor of the venue; undefined if it names neither. */
  placeOf(found: Found): Place | undefined {
    const level = this.#levelOf(found);
    if (level === undefined) return undefined;
    const floor = this.#floorAt(level, String(found.properties['level_id'] ?? ''));
    const make = () => this.#makeFloor(level, t('Level {level}', { level }));
    return { level, floor, floorId: async () => floor?.objectId ?? (await make()) };
  }

  /** By its id, or by the level that it has once the file is in: floors that the file moves are not those that they make room for. */
  #floorAt(level: number, id?: string): Floor | undefined {
    const { floors } = this.#target.into;
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
    return this.#target.into.floors.find(({ objectId }) => objectId === id)?.level;
  }

  /**
   * Each level has one floor: one that the file moves elsewhere goes first, as where all floors above a new one are numbered anew. Of
   * floors that change places, the service says that it cannot be.
   */
  async #makeRoom(level: number, coming: readonly string[]): Promise<void> {
    const there = this.#target.into.floors.find((floor) => floor.level === level);
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
    return changeFloorNow(this.#target.appId, objectId, { change, mayPlace: this.#target.into.mayPlace !== false });
  }

  #makeFloor(level: number, name: string): Promise<string> {
    const found = this.#levelAt(level);
    const floor = {
      venueId: pointer('Venue', this.#target.into.venue.objectId),
      name: (found && labelOf(found.properties['name'])) || name,
      level,
      ...(found && northOf(found)),
    };
    const making =
      this.#made.get(level) ??
      this.#makeRoom(level, [])
        .then(() => dataOf(this.#target.appId).floors.create(floor))
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

/** A level, and what is there. */
export interface Place {
  readonly level: number;
  readonly floor: Floor | undefined;
  /** Makes the floor where there is none. */
  readonly floorId: () => Promise<string>;
}

export const noPlace = (found: Found) =>
  refused(found, t('Its level_id is no level of this file and no floor of the venue.'));
