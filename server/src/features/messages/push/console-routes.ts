import { Type } from 'typebox';
import { recordChange } from '../../../access/audit.ts';
import { isAllowed } from '../../../access/roles.ts';
import { fail } from '../../../base/errors.ts';
import { recordAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import type { Tag } from '../../../http/endpoint.ts';
import { assertNotAskedBy, hiddenMembers } from '../../../http/hidden-members.ts';
import type { Context } from '../../context.ts';
import { expandJob } from './expand.ts';
import { type ReachDeps, reachRecord, readReach } from './reach.ts';
import { pushes } from './resource.ts';
import { pushRecord } from './schemas.ts';
import * as store from './store.ts';

export interface PushConsoleDeps extends ReachDeps, Pick<Context, 'now' | 'enqueue'> {
  readonly findApp: (appId: string) => Promise<Parameters<typeof hiddenMembers>[1]>;
  /** Members of installations by which some roles may not search. */
  readonly hidden: Tag['hides'];
}

export function pushConsoleEndpoints(deps: PushConsoleDeps): readonly ConsoleEndpoint[] {
  return [reach(deps), resume(deps)];
}

/** Tells before sending whom a push would reach. */
function reach(deps: PushConsoleDeps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'GET',
    path: '/apps/:appId/reach',
    operationId: 'getReach',
    summary: 'Count whom a push would reach now, by push service, and why others are not reached',
    permission: 'push.send',
    query: [
      {
        name: 'where',
        description: 'The audience: a condition on installations, as JSON; everyone without it',
        schema: Type.String(),
      },
    ],
    answer: recordAnswer(reachRecord),
    handle: async ({ admin, params: { appId = '' }, query }) => {
      const { hidden } = deps;
      if (hidden && admin && !isAllowed(admin.role, hidden.permission))
        assertNotAskedBy(query, hiddenMembers(hidden, await deps.findApp(appId)));
      return { result: await readReach(deps, appId, query['where']) };
    },
  });
}

/** Takes back the cancellation of a push whose recipients had not been found yet, before its time has come. */
function resume({ db, now, enqueue }: PushConsoleDeps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'POST',
    path: '/apps/:appId/pushes/:pushId/resume',
    operationId: 'resumePush',
    summary: 'Take back the cancellation of a push whose time has not come',
    permission: 'push.send',
    answer: recordAnswer(pushRecord.schema),
    handle: async ({ params: { appId = '', pushId = '' }, by }) => {
      const row = await db.transaction(async (db) => {
        const current = await store.lockPush(db, appId, pushId);
        if (!current) throw fail('ObjectNotFound', 'There is no push notification with this objectId.');
        if (current.state !== 'cancelled') return current;
        const at = now();
        const runAt = nextTime(current, at);
        await store.resumePush(db, { appId, pushId, now: Math.max(at, Number(current['updated_at'])) });
        const isBlind = current.is_blind === null ? current['user_id'] !== null : current.is_blind === 1;
        await enqueue(db, {
          appId,
          kind: expandJob,
          payload: { pushId, edition: current.edition + 1, isBlind },
          runAt,
        });
        await recordChange(db, { by, action: 'push.resume', subject: pushId, appId, now: at });
        return (await pushes.records.find(db, { app_id: appId, object_id: pushId })) ?? current;
      });
      return { result: pushes.records.decode(row) };
    },
  });
}

/**
 * When it goes on: at its time, or for one that waits for a second person when it expires.
 *
 * @throws Failure TooLate
 */
function nextTime(push: store.PushRow, now: number): number {
  const { send_at: sendAt, expires_at: expiresAt, expanded_to: expandedTo, waits } = push;
  const time = waits === 1 ? expiresAt : sendAt;
  if (expandedTo !== null || time === null || time <= now)
    throw fail('TooLate', 'Its time has come while it was cancelled. Duplicate it to send it now.');
  return time;
}
