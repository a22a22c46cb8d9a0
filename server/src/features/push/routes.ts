import { Type } from 'typebox';
import { type Caller, seesAll } from '../../access/caller.ts';
import { fail } from '../../base/errors.ts';
import { newObjectId } from '../../base/id.ts';
import { isObject } from '../../base/is-object.ts';
import type { Db, Row } from '../../db/db.ts';
import { recordAnswer } from '../../http/answers.ts';
import { type Endpoint, endpoint, JsonText } from '../../http/endpoint.ts';
import { assertNotAskedBy } from '../../http/hidden-members.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { ClientQuotas } from '../../limits/client-quotas.ts';
import type { Creation } from '../../limits/idempotency.ts';
import type { FieldLookup } from '../../query/fields.ts';
import { getEndpoint, listEndpoint, locateRow, type ReadOptions } from '../../resources/read-endpoints.ts';
import { expandJob } from './expand.ts';
import { pushes } from './resource.ts';
import { type Push, pushDetail, pushExample, pushRecord, pushSchema, readPush, timesOf } from './schemas.ts';
import * as store from './store.ts';

export interface PushDeps {
  readonly db: Db;
  readonly enqueue: (db: Db, job: NewJob) => Promise<void>;
  readonly quotas: ClientQuotas;
  /** What an audience may be chosen by. */
  readonly audienceFields: FieldLookup;
}

const { tag, path } = pushes;
const acceptedAnswer = {
  status: 200,
  description: 'Accepted. The header Location leads to what becomes of it.',
  schema: Type.Object({ result: Type.Object({ result: Type.Boolean() }) }),
  example: { result: { result: true } },
} as const;

const accepted = ({ objectId }: Pick<Creation, 'objectId'>) =>
  new JsonText('{"result":{"result":true}}', { location: `notification/${objectId}` });

export function pushEndpoints(deps: PushDeps): Endpoint[] {
  return [accept(deps), list(deps), get(deps), cancel(deps)];
}

function accept({ db, enqueue, quotas, audienceFields }: PushDeps): Endpoint {
  return endpoint<Push>({
    method: 'POST',
    path,
    operationId: 'sendPush',
    tag,
    summary: 'Send a push notification',
    description: 'Answers once it is durably accepted, also when nobody matches. It is delivered in the background.',
    grant: { of: 'pushes', verb: 'create' },
    body: { schema: pushSchema, example: pushExample, read: (body) => readPush(body, audienceFields) },
    answer: acceptedAnswer,
    errors: ['ValidationError', 'InvalidQuery', 'APICallLimit'],
    repeat: accepted,
    handle: async (call) => {
      const { app, user, body, now } = call;
      if (!seesAll(call)) assertWholeIds(body.audience);
      quotas.takePush(call);
      const { objectId: pushId = newObjectId(now) } = call;
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
      return accepted({ objectId: pushId });
    },
  });
}

const ids: ReadonlySet<string> = new Set(['installationId', 'objectId']);

/**
 * Whoever knows an id may address it. A pattern or a range would find out ids that one does not know.
 *
 * @throws Failure InvalidQuery
 */
function assertWholeIds(audience: string | null): void {
  if (audience !== null) checkIds(JSON.parse(audience));
}

function checkIds(where: unknown): void {
  if (Array.isArray(where)) for (const part of where) checkIds(part);
  if (!isObject(where)) return;
  for (const [field, asked] of Object.entries(where)) {
    if (field.startsWith('$')) checkIds(asked);
    else if (ids.has(field) && isObject(asked) && Object.keys(asked).some((operator) => operator !== '$in'))
      throw fail('InvalidQuery', {
        message: `${field} can only be compared with whole ids: {"${field}": "…"} or $in.`,
        details: [{ field, problem: 'takes a whole id or $in, unless a manager asks' }],
      });
  }
}

const hidesCounts = (caller: Caller, row: Row) => !seesAll(caller) && store.hasChosenAudience(row);

const shownTo = (caller: Caller) => (row: Row) =>
  pushes.records.render(hidesCounts(caller, row) ? store.withoutCounts(row) : row);

function readable(db: Db): ReadOptions {
  return {
    ...pushes,
    db,
    showTo: shownTo,
  };
}

function list({ db }: PushDeps): Endpoint {
  const options = { ...readable(db), path: `${path}s` };
  const description =
    'Newest first, with the number of recipients in each state. Users see their own pushes, with counts only for those ' +
    'sent to everyone; managers see all.';
  const all = listEndpoint(options, { description, defaultOrder: '-createdAt', idsFollowCreation: true });
  return {
    ...all,
    handle: async (call) => {
      if (!seesAll(call)) assertNotAskedBy(call.query, store.countMembers);
      return all.handle(call);
    },
  };
}

function get({ db }: PushDeps): Endpoint {
  return getEndpoint(readable(db), {
    summary: 'What became of a push notification: counts of its recipients by state, and the reasons',
    record: pushDetail,
    errors: ['ObjectNotFound', 'Timeout'],
    render: async (located, caller) => {
      const { appId } = caller.app;
      const pushId = String(located['object_id']);
      if (hidesCounts(caller, located)) return shownTo(caller)(located);
      const [reasons, receipts] = await Promise.all([
        store.countReasons(db, appId, pushId),
        store.countReceipts(db, appId, pushId),
      ]);
      // Read once more, after the others: the page shows one moment, not two.
      const row = (await store.findPush(db, appId, pushId)) ?? (located as store.PushRow);
      return JSON.stringify({
        ...pushes.records.decode(row),
        queued: row.audience_count - store.endedOf(row),
        ...receipts,
        reasons: reasons.map(({ state, reason, n }) => ({ state, reason, count: n })),
      });
    },
  });
}

function cancel({ db }: PushDeps): Endpoint {
  return endpoint<undefined, Row>({
    method: 'POST',
    path: `${path}/:objectId/cancel`,
    operationId: 'cancelPush',
    needsNoRoom: true,
    tag,
    summary: 'Cancel a push notification',
    description:
      'Nobody who is still queued receives it; what is on its way to the push service at this moment may arrive. ' +
      'Cancelling twice is fine.',
    grant: { of: 'pushes', verb: 'update' },
    answer: recordAnswer(pushRecord.schema, { ...pushRecord.example, state: 'cancelled' }),
    errors: ['ObjectNotFound', 'OperationForbidden'],
    locate: locateRow(readable(db), 'update'),
    handle: async (call) => {
      const { app, located, now } = call;
      const pushId = String(located['object_id']);
      const isCancelled = await store.cancelPush(db, app.appId, pushId, now);
      const row = (await store.findPush(db, app.appId, pushId)) ?? located;
      if (!isCancelled && row['state'] !== 'cancelled')
        throw fail('OperationForbidden', 'It cannot be cancelled any more: something has become of every recipient.');
      return { result: JSON.parse(shownTo(call)(row)) as object };
    },
  });
}
