import type { Beacon, Body } from '@pharos/sdk';
import { changeAsPreviewed, holds } from '../../../components/import/as-previewed.ts';
import { createBeaconOnce } from '../../../components/import/create-once.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { pointer } from '../../../lib/data/venue-queries.ts';
import { uuidWarning } from '../../../lib/text/uuid.ts';
import { t } from '../../../lib/words/words.ts';
import { compared, type Members, type PlannedFeature, refused, rowOf, type Target } from './planned.ts';
import { type Found, labelOf, pointOf } from './read.ts';

/** What a file would change of the beacons of a venue. */
export class BeaconRows {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  row(found: Found): PlannedFeature {
    const { uuid, major, minor, ordinal, name } = found.properties;
    const { beacons, venue } = this.#target.into;
    const known =
      beacons.find(({ objectId }) => objectId === found.id) ??
      beacons.find((one) => one.uuid === uuid && one.major === major && one.minor === minor);
    const at = pointOf(found.geometry);
    if (!at) return refused(found, t('A beacon needs a point.'));
    const floor = typeof ordinal === 'number' || typeof ordinal === 'string' ? { floor: ordinal } : {};
    const place = { venueId: pointer('Venue', venue.objectId), location: { ...known?.location, ...at, ...floor } };
    if (known) {
      const change = (after: Body<'updateBeacon'>, before: Members) =>
        this.#changeBeacon(known, { after, before, moved: { location: { ...known.location, ...floor } } });
      return compared(found, known, { ...place, name: labelOf(name) || known.name }, change);
    }
    if (typeof uuid !== 'string' || typeof major !== 'number' || typeof minor !== 'number')
      return refused(found, t('A new beacon needs uuid, major and minor.'));
    const body = { name: labelOf(name), uuid, major, minor, ...place } as unknown as Body<'createBeacon'>;
    const apply = () => createBeaconOnce(this.#target.appId, body);
    const warning = uuidWarning(uuid);
    return { ...rowOf(found), kind: 'new', ...(warning === undefined ? {} : { warning }), apply };
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
    const { beacons } = dataOf(this.#target.appId);
    const isMoved = 'location' in before && holds(await beacons.get(objectId), moved);
    await changeAsPreviewed({
      before: isMoved ? { ...before, ...moved } : before,
      after: after as Members,
      read: () => beacons.get(objectId),
      send: (ifMatch) => beacons.update(objectId, after, { ifMatch }),
    });
  }
}
