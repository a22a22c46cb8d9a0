import { type Body, entityTag, type Floor, PharosError } from '@pharos/sdk';
import { dataOf } from '../../../lib/data/api.ts';

const mostTries = 4;

type Lists = Partial<Pick<Floor, 'walls' | 'gateways'>>;
type Changed = { readonly [member in keyof Lists]: readonly object[] };

/**
 * Changes a list that is a member of a floor as it is now, so that what somebody else adds at the same time stays.
 *
 * @throws Error, PharosError
 */
export async function changeFloor(appId: string, floorId: string, change: (floor: Lists) => Changed): Promise<void> {
  const data = dataOf(appId);
  for (let tries = 1; ; tries++) {
    const floor = await data.floors.get(floorId);
    const lists = Object.entries(change(floor)).map(([member, list]) => [member, list.length > 0 ? list : null]);
    const body = Object.fromEntries(lists) as Body<'updateFloor'>;
    try {
      await data.call('updateFloor', { params: { objectId: floorId }, body, ifMatch: entityTag(floor) });
      return;
    } catch (error) {
      if (!(error instanceof PharosError && error.status === 412) || tries === mostTries) throw error;
    }
  }
}
