import { Type } from 'typebox';
import type { Db } from '../../db/db.ts';
import { fail } from '../../errors.ts';
import { listAnswer, recordAnswer } from '../../http/answers.ts';
import { type Endpoint, endpoint, JsonText } from '../../http/endpoint.ts';
import { listParameters, listRecords } from '../../http/list.ts';
import { newObjectId } from '../../id.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { FieldLookup } from '../../query/fields.ts';
import { expandJob } from './expand.ts';
import { type Push, pushDetail, pushExample, pushRecord, pushSchema, readPush, timesOf } from './schemas.ts';
import * as store from './store.ts';

export interface PushDeps {
  readonly db: Db;
  readonly enqueue: (db: Db, job: NewJob) => Promise<void>;
  /** What an audience may be chosen by. */
  readonly audienceFields: FieldLookup;
}

const tag = 'Push';
const path = '/push/notification';
const acceptedAnswer = {
  status: 200,
  description: 'Accepted. The header Location leads to what becomes of it.',
  schema: Type.Object({ result: Type.Object({ result: Type.Boolean() }) }),
  example: { result: { result: true } },
} as const;

export function pushEndpoints(deps: PushDeps): Endpoint[] {
  return [accept(deps), list(deps), get(deps), cancel(deps)];
}

function accept({ db, enqueue, audienceFields }: PushDeps): Endpoint {
  return endpoint<Push>({
    method: 'POST',
    path,
    operationId: 'sendPush',
    tag,
    summary: 'Send a push notification',
    description: 'Answers once it is durably accepted, also when nobody matches. It is delivered in the background.',
    grant: ({ push }) => push,
    body: { schema: pushSchema, example: pushExample, read: (body) => readPush(body, audienceFields) },
    answer: acceptedAnswer,
    errors: ['ValidationError', 'InvalidQuery'],
    handle: async ({ app, user, body, now }) => {
      const pushId = newObjectId(now);
      const { sendAt, expiresAt } = timesOf(body, now);
      const push: store.NewPush = {
        appId: app.appId,
        pushId,
        data: JSON.stringify(body.data),
        audience: body.audience,
        userId: user?.userId ?? null,
        sendAt: sendAt > now ? sendAt : null,
        expiresAt,
        now,
      };
      await db.transaction(async (db) => {
        await store.insertPush(db, push);
        await enqueue(db, { appId: app.appId, kind: expandJob, payload: { pushId }, runAt: sendAt });
      });
      return new JsonText('{"result":{"result":true}}', { location: `notification/${pushId}` });
    },
  });
}

function list({ db }: PushDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/push/notifications',
    operationId: 'listPushes',
    tag,
    summary: 'List push notifications',
    description: 'Newest first, with how many recipients came to each state.',
    grant: ({ push }) => push,
    query: listParameters,
    answer: listAnswer(pushRecord.schema, pushRecord.example),
    errors: ['InvalidQuery', 'Timeout'],
    handle: ({ app, query }) =>
      listRecords(db, store.pushTable, {
        scope: store.pushTable.match({ app_id: app.appId }),
        query,
        defaultLimit: 100,
        defaultOrder: '-createdAt',
        idsFollowCreation: true,
        share: app.appId,
      }),
  });
}

const locate =
  (db: Db) =>
  async ({
    app,
    params,
  }: {
    readonly app: { readonly appId: string };
    readonly params: Readonly<Record<string, string>>;
  }) => {
    const row = await store.findPush(db, app.appId, params['objectId'] ?? '');
    if (!row) throw fail('ObjectNotFound', 'There is no push notification with this objectId.');
    return row;
  };

function get({ db }: PushDeps): Endpoint {
  return endpoint<undefined, store.PushRow>({
    method: 'GET',
    path: `${path}/:objectId`,
    operationId: 'getPush',
    tag,
    summary: 'What became of a push notification',
    description: 'Counts of its recipients by state, and the reasons. `GET /deliveries` lists the recipients.',
    grant: ({ push }) => push,
    answer: recordAnswer(pushDetail.schema, pushDetail.example),
    errors: ['ObjectNotFound', 'Timeout'],
    locate: locate(db),
    handle: async ({ app, located }) => {
      const pushId = located.object_id;
      const [reasons, receipts] = await Promise.all([
        store.countReasons(db, app.appId, pushId),
        store.countReceipts(db, app.appId, pushId),
      ]);
      // Read once more, after the others: counts only grow, so that what is queued is never below nothing.
      const row = (await store.findPush(db, app.appId, pushId)) ?? located;
      return {
        result: {
          ...store.pushTable.decode(row),
          queued: row.audience_count - store.endedOf(row),
          ...receipts,
          reasons: reasons.map(({ state, reason, n }) => ({ state, reason, count: n })),
        },
      };
    },
  });
}

function cancel({ db }: PushDeps): Endpoint {
  return endpoint<undefined, store.PushRow>({
    method: 'POST',
    path: `${path}/:objectId/cancel`,
    operationId: 'cancelPush',
    tag,
    summary: 'Cancel a push notification',
    description:
      'Nobody who is still queued receives it; what is on its way to the push service at this moment may arrive. ' +
      'Cancelling twice is fine.',
    grant: ({ push }) => push,
    answer: recordAnswer(pushRecord.schema, { ...pushRecord.example, state: 'cancelled' }),
    errors: ['ObjectNotFound', 'OperationForbidden'],
    locate: locate(db),
    handle: async ({ app, located, now }) => {
      const pushId = located.object_id;
      const isCancelled = await store.cancelPush(db, app.appId, pushId, now);
      const row = (await store.findPush(db, app.appId, pushId)) ?? located;
      if (!isCancelled && row.state !== 'cancelled')
        throw fail('OperationForbidden', 'It cannot be cancelled any more: something has become of every recipient.');
      return { result: store.pushTable.decode(row) };
    },
  });
}
