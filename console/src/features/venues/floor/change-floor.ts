import { type Body, entityTag, type Floor, operations } from '@pharos/sdk';
import { asItIsNow } from '../../../components/form/use-one-click.ts';
import { dataOf } from '../../../lib/data/api.ts';

type Lists = Partial<Pick<Floor, 'walls' | 'gateways'>>;
type Changed = { readonly [member in keyof Lists]: readonly object[] };

/** What is being stored here, by floor. */
const turns = new Map<string, Promise<void>>();

/**
 * Changes a list that is a member of a floor as it is now, so that what somebody else adds at the same time stays. What this page
 * changes goes one after the other: a file with a hundred walls would only stand in its own way.
 *
 * @throws Error, PharosError
 */
export function changeFloor(appId: string, floorId: string, change: (floor: Lists) => Changed): Promise<void> {
  const key = `${appId} ${floorId}`;
  const before = turns.get(key) ?? Promise.resolve();
  const turn = before.catch(() => undefined).then(() => changeNow(appId, floorId, change));
  turns.set(key, turn);
  const end = () => {
    if (turns.get(key) === turn) turns.delete(key);
  };
  turn.then(end, end);
  return turn;
}

function changeNow(appId: string, floorId: string, change: (floor: Lists) => Changed): Promise<void> {
  const data = dataOf(appId);
  return asItIsNow(async () => {
    const floor = await data.floors.get(floorId);
    const lists = Object.entries(change(floor)).map(([member, list]) => [member, list.length > 0 ? list : null]);
    const body = Object.fromEntries(lists) as Body<'updateFloor'>;
    await data.call(operations.updateFloor, { params: { objectId: floorId }, body, ifMatch: entityTag(floor) });
  });
}
