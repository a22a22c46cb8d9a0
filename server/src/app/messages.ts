import type { Caller } from '../access/caller.ts';
import type { AssertGoal, Goal } from '../access/experiment.ts';
import { isForgetful } from '../access/policy.ts';
import type { Clock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import type { Database, Db } from '../db/db.ts';
import { findBucket } from '../features/data/buckets/definition/bucket-store.ts';
import { recordsMade } from '../features/data/buckets/definition/made-records.ts';
import type { MessageName } from '../features/insights/analytics/messages/answer.ts';
import { MessageCounts } from '../features/insights/analytics/messages/counts.ts';
import { notifications as notificationResource } from '../features/messages/notifications/resource.ts';
import * as notifications from '../features/messages/notifications/store.ts';
import { looseDetails } from '../features/messages/storylines/resource.ts';
import * as scenarios from '../features/messages/storylines/store.ts';
import { findAppAccess } from '../features/operate/apps/store.ts';
import { installationsNamed, withdrawnSince } from '../features/people/installations/opt-outs.ts';
import { beaconsIn } from '../features/places/beacons/place.ts';
import { findUnreadableBeacons } from '../features/places/beacons/store.ts';
import { assertPlaceReadable } from '../features/places/venues/readable.ts';
import type { ReadableTriggers } from '../features/sightings/rehearse/simulation.ts';
import { firstEventIn, firstVisitIn } from '../features/sightings/traces/reported.ts';
import { allowedTo, findAllowed, type RuledTable } from '../resources/allowed.ts';

/** What counts the effects of messages, with what it needs of other features. */
export function createMessageCounts({ db, now }: { readonly db: Database; readonly now: Clock }): MessageCounts {
  return new MessageCounts({
    db,
    now,
    goals: {
      list: async (db, appId) => [
        ...(await notifications.listGoals(db, appId)),
        ...(await scenarios.listGoals(db, appId)),
      ],
      beaconsOf: beaconsIn,
      firstVisit: firstVisitIn,
      firstEvent: firstEventIn,
      records: recordsMade,
      installationsOf: installationsNamed,
    },
    withdrawals: withdrawnSince,
    findApp: async (appId) => {
      const app = await findAppAccess(db, appId);
      if (!app) return undefined;
      const { policy } = app;
      return { timeZone: policy.timeZone, eventDays: policy.retentionDays.events, isForgetful: isForgetful(policy) };
    },
  });
}

/** What messages are called, and their goals. */
export async function messageNames(
  db: Db,
  appId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, MessageName>> {
  const ofNotifications = await notifications.findNames(db, appId, ids);
  const ofScenarios = await scenarios.findNames(db, appId, ids);
  const named = (kind: MessageName['kind']) => (row: { triggerId: string; name: string; goal: Goal | undefined }) =>
    [row.triggerId, { kind, name: row.name, goal: row.goal }] as const;
  return new Map([...ofNotifications.map(named('notification')), ...ofScenarios.map(named('scenario'))]);
}

export const assertGoal: AssertGoal = async (db, caller, { beaconId, zoneId, venueId, bucket }) => {
  const [missing] = beaconId === undefined ? [] : await findUnreadableBeacons(db, caller, [beaconId]);
  if (missing !== undefined) throw fail('ObjectNotFound', `goal.beaconId: there is no beacon ${missing}.`);
  await assertPlaceReadable(db, caller, {
    ...(zoneId === undefined ? {} : { zoneId: { objectId: zoneId } }),
    ...(venueId === undefined ? {} : { venueId: { objectId: venueId } }),
  });
  if (bucket !== undefined && (await findBucket(db, caller.app.appId, bucket)) === undefined)
    throw fail('ObjectNotFound', `goal.bucket: there is no bucket ${bucket}.`);
};

const messageTables = {
  notification: notificationResource,
  scenario: { rules: 'scenarios', records: looseDetails },
} as const satisfies Readonly<Record<MessageName['kind'], RuledTable>>;

/** Of these messages those that the caller may get. */
export async function readableTriggers(db: Db, caller: Caller, asked: Parameters<ReadableTriggers>[1]) {
  const kinds = new Map(asked.map(({ triggerId, kind }) => [triggerId, kind]));
  const readable = new Set<string>();
  for (const [triggerId, kind] of kinds) {
    const table = messageTables[kind];
    const key = { app_id: caller.app.appId, object_id: triggerId };
    const isOpen = (await allowedTo(table, 'get', caller)) === undefined;
    if (isOpen || (await findAllowed(db, table, { key, verb: 'get', caller }))) readable.add(triggerId);
  }
  return readable;
}
