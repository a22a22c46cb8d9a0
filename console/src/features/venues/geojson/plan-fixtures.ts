import { assertAsPreviewed, changedSince, holds } from '../../../components/import/as-previewed.ts';
import { t } from '../../../lib/words/words.ts';
import { changeGateways, type GatewayEdit, withChanged, withGateway } from '../floor/gateways.ts';
import { changeWalls, type Wall, withWall } from '../floor/walls.ts';
import { type FloorRows, noPlace } from './plan-floors.ts';
import { compared, type Members, type PlannedFeature, refused, rowOf, type Target } from './planned.ts';
import { type Found, isSameLine, labelOf, lineOf, pointOf } from './read.ts';

/** What a file would change of the walls and gateways, which are members of their floor. */
export class FixtureRows {
  readonly #target: Target;
  readonly #floors: FloorRows;

  constructor(target: Target, floors: FloorRows) {
    this.#target = target;
    this.#floors = floors;
  }

  wall(found: Found): PlannedFeature {
    const points = lineOf(found.geometry);
    if (typeof points === 'string') return refused(found, points);
    const place = this.#floors.placeOf(found);
    if (!place) return noPlace(found);
    const { floor, level } = place;
    const row = { ...rowOf(found), name: t('Wall of level {level}', { level }) };
    if (floor?.walls?.some((wall) => isSameLine(wall.points, points)))
      return { ...row, kind: 'unchanged', apply: async () => undefined };
    return {
      ...row,
      kind: 'new',
      apply: async () => {
        const floorId = await place.floorId();
        // Somebody else may have drawn it since the preview.
        const isThere = (wall: Wall) => isSameLine(wall.points, points);
        await changeWalls(this.#target.appId, floorId, (walls) =>
          walls.some(isThere) ? walls : withWall({ points })(walls),
        );
      },
    };
  }

  /** By its name on its level, or by its secret key, where no other gateway there has it: then it has another name. */
  gateway(found: Found): PlannedFeature {
    const name = labelOf(found.properties['name']);
    const at = pointOf(found.geometry);
    if (name === '') return refused(found, t('A gateway needs a name.'));
    if (!at) return refused(found, t('A gateway needs a point.'));
    const place = this.#floors.placeOf(found);
    if (!place) return noPlace(found);
    const { floor } = place;
    const keyId = String(found.properties['key_id'] ?? '');
    const hung = floor?.gateways ?? [];
    const withKey = keyId === '' ? [] : hung.filter((one) => one.keyId === keyId);
    const known = hung.find((one) => one.name === name) ?? (withKey.length === 1 ? withKey[0] : undefined);
    // Of another app, or revoked; what the gateway has stays.
    const isKnown = keyId === '' || keyId === known?.keyId || this.#target.into.keyIds?.has(keyId) !== false;
    const unread = isKnown ? {} : { unread: [t('There is no secret key {keyId} in this app.', { keyId })] };
    if (!isKnown && !this.#target.into.isLenient) return { ...refused(found, unread.unread?.[0] ?? ''), ...unread };
    const tie = keyId !== '' && isKnown ? { keyId } : {};
    if (known && floor) {
      const row = compared(found, known, { name, ...at, ...tie }, (after: GatewayEdit, before) =>
        changeGateways(this.#target.appId, floor.objectId, (gateways) => {
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
        const floorId = await place.floorId();
        const gateway = { name, ...at, ...tie };
        await changeGateways(this.#target.appId, floorId, (gateways) => {
          const now = gateways.find((one) => one.name === name);
          if (now && !holds(now, gateway)) throw changedSince();
          return now ? gateways : withGateway(gateway)(gateways);
        });
      },
    };
  }
}
