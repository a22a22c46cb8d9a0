import { newObjectId } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import type { Context } from '../../context.ts';
import { type StrangersOfApp, writtenUuid } from './heard-nearby.ts';
import { listRules, lockRule } from './store.ts';

interface Numbers {
  readonly uuid: string;
  readonly major: number;
  readonly minor: number;
}

/** Adds the beacons that were heard and have a UUID for which there is a rule, each once, until the rule has enough. */
export async function adoptByRules(deps: Context, appId: string, heard: StrangersOfApp): Promise<void> {
  const found = new Map<string, Numbers>();
  for (const { identity } of [...heard.values()].flat())
    if (identity?.kind === 'ibeacon' || identity?.kind === 'altbeacon')
      found.set(`${identity.uuid} ${identity.major} ${identity.minor}`, identity);
  if (found.size === 0) return;
  const rules = new Set((await listRules(deps.db, appId)).map((rule) => rule.uuid_key));
  for (const [uuid, numbers] of Map.groupBy(found.values(), (one) => one.uuid))
    if (rules.has(uuid)) await deps.db.transaction((db) => adoptOf(deps, db, { appId, uuid, numbers }));
}

async function adoptOf(
  { now, findBeaconsByAddress, countBeaconsWithUuid, insertBeacon, noteChange }: Context,
  db: Db,
  { appId, uuid, numbers }: { readonly appId: string; readonly uuid: string; readonly numbers: readonly Numbers[] },
): Promise<void> {
  const rule = await lockRule(db, appId, uuid);
  if (!rule) return;
  const there = await findBeaconsByAddress(db, appId, numbers);
  const isThere = new Set(there.map(({ major, minor }) => `${major} ${minor}`));
  const room = rule.max_beacons - (await countBeaconsWithUuid(db, appId, uuid));
  const missing = numbers.filter(({ major, minor }) => !isThere.has(`${major} ${minor}`));
  for (const { major, minor } of missing.slice(0, Math.max(0, room))) {
    const createdAt = now();
    const body = { name: `${major}/${minor}`, uuid: writtenUuid(uuid), major, minor };
    await insertBeacon(db, { appId, objectId: newObjectId(createdAt), body, createdAt }, noteChange);
  }
}
