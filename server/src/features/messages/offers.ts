import type { Caller } from '../../access/caller.ts';
import type { Goal } from '../../access/experiment.ts';
import type { Db } from '../../db/db.ts';
import { allowedTo, findAllowed, type RuledTable } from '../../resources/allowed.ts';
import { notifications as notificationResource } from './notifications/resource.ts';
import * as notifications from './notifications/store.ts';
import { deliveries, pushes } from './push/resource.ts';
import { senders } from './senders/tables.ts';
import { looseDetails } from './storylines/resource.ts';
import * as scenarios from './storylines/store.ts';

export { countFailures, countProximityStates, pushDeliveryId } from './push/delivery-store.ts';
export { pushNotice } from './push/notice.ts';
export { readReach } from './push/reach.ts';
export { deliveries } from './push/resource.ts';
export { hasChosenAudience, listWaiting, withoutCounts } from './push/store.ts';
export { wakeSending } from './push/wake.ts';
export { listSenders } from './senders/store.ts';
export { findStorylineOf } from './storylines/store.ts';

type Kind = 'notification' | 'scenario';

export const listMessageGoals = async (db: Db, appId: string) => [
  ...(await notifications.listGoals(db, appId)),
  ...(await scenarios.listGoals(db, appId)),
];

/** Enabled messages that are valid only for a time. */
export const listTimedMessages = async (db: Db, appId: string) => [
  ...(await notifications.listTimed(db, appId)),
  ...(await scenarios.listTimed(db, appId)),
];

export async function findMessageNames(db: Db, appId: string, ids: readonly string[]) {
  const ofNotifications = await notifications.findNames(db, appId, ids);
  const ofScenarios = await scenarios.findNames(db, appId, ids);
  const named = (kind: Kind) => (row: { triggerId: string; name: string; goal: Goal | undefined }) =>
    [row.triggerId, { kind, name: row.name, goal: row.goal }] as const;
  return new Map([...ofNotifications.map(named('notification')), ...ofScenarios.map(named('scenario'))]);
}

const ruledMessages: Readonly<Record<Kind, RuledTable>> = {
  notification: notificationResource,
  scenario: { rules: 'scenarios', records: looseDetails },
};

/** The ids of those of the messages that the caller may get. */
export async function readableTriggers(
  db: Db,
  caller: Caller,
  asked: readonly { readonly triggerId: string; readonly kind: Kind }[],
) {
  const kinds = new Map(asked.map(({ triggerId, kind }) => [triggerId, kind]));
  const readable = new Set<string>();
  for (const [triggerId, kind] of kinds) {
    const table = ruledMessages[kind];
    const key = { app_id: caller.app.appId, object_id: triggerId };
    const isOpen = (await allowedTo(table, 'get', caller)) === undefined;
    if (isOpen || (await findAllowed(db, table, { key, verb: 'get', caller }))) readable.add(triggerId);
  }
  return readable;
}

export const messageTables = { deliveries: deliveries.table, pushes: pushes.table, senders };
