import { Type } from 'typebox';
import { recordChange } from '../../access/audit.ts';
import type { AppContext } from '../../access/context.ts';
import { fail } from '../../base/errors.ts';
import { raw, sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';
import { isoTime, updatedAnswer } from '../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../http/console/console-endpoint.ts';
import { dataCall } from '../../http/console/data-call.ts';
import { tagOfRow } from '../../resources/entity-tag.ts';
import { notFound } from '../../resources/read-endpoints.ts';
import type { Key } from '../../resources/table.ts';
import type { Context } from '../context.ts';
import type { Feature } from '../feature.ts';
import { notifications } from './notifications/resource.ts';
import { detailExample, detailShape, storylineExample, storylineShape } from './storylines/resource.ts';

interface Sent {
  readonly storyline: object;
  readonly scenario: ReturnType<typeof detailShape.readCreate>;
}

interface Deps extends Pick<Context, 'assertGoal' | 'db' | 'findUnreadableBeacons' | 'noteChange' | 'storylineParts'> {
  /** Also an app that is switched off. @throws Failure ObjectNotFound */
  readonly findApp: (appId: string) => Promise<AppContext>;
}

/** Messages that an editor changes into what only a storyline can say. */
export const toStorylineFeature = (context: Context): Feature => ({
  consoleEndpoints: [toStoryline({ ...context, findApp: context.findConsoleApp })],
});

/**
 * A notification becomes a storyline with one scenario. Both get its objectId: by it the engine knows what a visitor was shown already,
 * and analytics what belongs to the message.
 */
function toStoryline({
  db,
  noteChange,
  storylineParts,
  findApp,
  findUnreadableBeacons,
  assertGoal,
}: Deps): ConsoleEndpoint {
  return consoleEndpoint<Sent>({
    method: 'POST',
    path: '/apps/:appId/notifications/:objectId/storyline',
    operationId: 'makeStoryline',
    summary: 'Turn a notification into a storyline with one scenario',
    description:
      'The storyline and its scenario get the objectId of the notification, which goes. So nobody is shown it again who has been, and its ' +
      'numbers go on.',
    permission: 'content.write',
    takesIfMatch: true,
    body: {
      schema: Type.Object({ ...storylineShape.schema.properties, ...detailShape.schema.properties }),
      example: { ...storylineExample, ...detailExample },
      read: (body) => ({ storyline: storylineShape.readCreate(body), scenario: detailShape.readCreate(body) }),
    },
    answer: updatedAnswer,
    handle: async (call) => {
      const { params, body, now, by, assertUnchanged } = call;
      const { appId = '', objectId = '' } = params;
      const caller = dataCall(call, await findApp(appId), { params: {} });
      const key = { app_id: appId, object_id: objectId };
      await db.transaction(async (db) => {
        const row = await lockNotification(db, key);
        assertUnchanged?.(tagOfRow(notifications.records, row));
        // What is restored may name what is gone; what is written, as here, may not.
        const { beacons = [], goal } = body.scenario;
        const [missing] = await findUnreadableBeacons(db, caller, beacons);
        if (missing !== undefined) throw fail('ObjectNotFound', `beacons: there is no beacon ${missing}.`);
        if (goal) await assertGoal(db, caller, goal);
        await notifications.records.remove(db, key);
        await noteChange(db, key);
        const past = {
          appId,
          objectId,
          title: '',
          createdBy: row.created_by,
          createdAt: Number(row.created_at),
          updatedAt: now,
        };
        const { storylines, scenarios } = storylineParts;
        await storylines(db, caller, { ...past, kind: 'storylines', withinId: '', state: body.storyline }, now);
        await scenarios(db, caller, { ...past, kind: 'scenarios', withinId: objectId, state: body.scenario }, now);
        await recordChange(db, { by, action: 'notification.toStoryline', subject: objectId, appId, now });
      });
      return { result: { updatedAt: isoTime(now) } };
    },
  });
}

async function lockNotification(db: Db, key: Key) {
  const { records } = notifications;
  const row = await db.one<{ created_by: string | null; created_at: number }>(
    sql`select ${records.selection} from ${raw(records.name)} where ${records.match(key)}${raw(db.dialect.lockRow)}`,
  );
  if (!row) throw notFound(notifications);
  return row;
}
