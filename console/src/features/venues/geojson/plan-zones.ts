import type { Body, CallOptions, Zone } from '@pharos/sdk';
import { changeAsPreviewed, holds } from '../../../components/import/as-previewed.ts';
import { createOnce } from '../../../components/import/create-once.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { pointer } from '../../../lib/data/venue-queries.ts';
import { canonical } from '../../../lib/text/json-compare.ts';
import { t } from '../../../lib/words/words.ts';
import { kindTexts } from '../venue-fields.ts';
import { type FloorRows, noPlace } from './plan-floors.ts';
import {
  capacityOf,
  compared,
  type Members,
  maxAlike,
  type PlannedFeature,
  refused,
  rowOf,
  type Target,
} from './planned.ts';
import { type Found, isSameOutline, labelOf, type Point, polygonOf } from './read.ts';

const maxCorners = 200;

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

interface Wanted {
  readonly name: string;
  readonly polygon: readonly Point[];
  readonly floorId: string | undefined;
}

/** What a file would change of the zones of a venue. */
export class ZoneRows {
  readonly #target: Target;
  readonly #floors: FloorRows;
  /** Zones that are said to be in the file by their ids, or were found by their names. */
  readonly #taken: Set<string>;
  /** Those that come with this file. */
  readonly #ownZones = new Set<string>();
  /** How many of them are the same in everything. */
  readonly #copies = new Map<string, number>();
  /** Zones under way, by floor and name. */
  readonly #making = new Map<string, Promise<unknown>>();

  constructor(target: Target, floors: FloorRows, all: readonly Found[]) {
    this.#target = target;
    this.#floors = floors;
    this.#taken = new Set(all.flatMap(({ id, featureType }) => (featureType === 'unit' && id ? [id] : [])));
  }

  row(found: Found): PlannedFeature {
    const name = labelOf(found.properties['name']);
    if (name === '') return refused(found, t('A zone needs a name.'));
    const polygon = polygonOf(found.geometry);
    if (typeof polygon === 'string') return refused(found, polygon);
    if (polygon.length > maxCorners)
      return refused(
        found,
        t('It has {count} corners, and a zone may have {maxCorners}.', { count: polygon.length, maxCorners }),
      );
    const place = this.#floors.placeOf(found);
    if (!place) return noPlace(found);
    const { floor } = place;
    const category = String(found.properties['category'] ?? '');
    const kind = category in kindTexts ? (category as Zone['kind']) : (categories[category] ?? 'room');
    const limit = capacityOf(found);
    const known = this.#zoneOf(found, { name, polygon, floorId: floor?.objectId });
    const data = dataOf(this.#target.appId);
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
        const floorId = await place.floorId();
        await this.#makeZone({ floorId: pointer('Floor', floorId), name, kind, polygon: [...polygon], ...limit });
      },
    };
  }

  /** Somebody else may have taken the same file in since the preview. Zones of one name go in one after the other, to know one's own. */
  #makeZone(zone: Body<'createZone'>): Promise<void> {
    const { zones } = dataOf(this.#target.appId);
    const { floorId, name } = zone;
    const make = async () => {
      const { results } = await zones.list({ where: { floorId, name }, limit: maxAlike });
      const known = new Set([...this.#target.into.zones.map(({ objectId }) => objectId), ...this.#ownZones]);
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

  /** Several zones of a floor may have one name: each is found once, that with the same outline first. */
  #zoneOf({ id }: Found, { name, polygon, floorId }: Wanted): Zone | undefined {
    const { zones } = this.#target.into;
    const byId = zones.find(({ objectId }) => objectId === id);
    if (byId) return byId;
    const alike = zones.filter(
      (zone) => zone.floorId.objectId === floorId && zone.name === name && !this.#taken.has(zone.objectId),
    );
    const found = alike.find((zone) => isSameOutline(zone.polygon, polygon)) ?? alike[0];
    if (found) this.#taken.add(found.objectId);
    return found;
  }
}
