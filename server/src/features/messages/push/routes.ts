import { isObject } from '@pharos/query';
import { Type } from 'typebox';
import { type Caller, seesAudiences } from '../../../access/caller.ts';
import { isAllowed } from '../../../access/roles.ts';
import { fail } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import type { Db, Row } from '../../../db/db.ts';
import { recordAnswer } from '../../../http/answers.ts';
import type { Tag } from '../../../http/endpoint.ts';
import { type Endpoint, endpoint, JsonText } from '../../../http/endpoint.ts';
import { assertGranted, assertInScope, grantOf } from '../../../http/grants.ts';
import { assertNotAskedBy, hiddenMembers } from '../../../http/hidden-members.ts';
import { assertMayChooseBy } from '../../../http/member-rules.ts';
import type { Creation } from '../../../limits/idempotency.ts';
import { entityTag, readIfMatch, tagged } from '../../../resources/entity-tag.ts';
import { getEndpoint, listEndpoint, locateRow, type ReadOptions } from '../../../resources/read-endpoints.ts';
import type { Context } from '../../context.ts';
import { type AddressesOf, approvalFor, approveEndpoint, authorsOf, writersOf } from './approval.ts';
import { expandJob } from './expand.ts';
import { pushes } from './resource.ts';
import { type Push, pushDetail, pushExample, pushRecord, pushSchema, readPush, timesOf } from './schemas.ts';
import * as store from './store.ts';

/** Choosing the audience of a push reveals no more about installations than their list does. */

/**
 * @param audience a condition as JSON; null for everyone
 * @param hides what of installations some roles of administrators do not see
 * @throws Failure InvalidQuery
 */
function assertMayAddress(caller: Caller, audience: string | null, hides: Tag['hides']): void {
  if (audience === null) return;
  const { role } = caller;
  if (hides && role && !isAllowed(role, hides.permission))
    assertNotAskedBy({ where: audience }, hiddenMembers(hides, caller.app));
  const where: unknown = JSON.parse(audience);
  assertMayChooseBy(where, caller.app.rules.of('installations'), caller);
  if (!seesAudiences(caller)) assertWholeIds(where);
}

const ids: ReadonlySet<string> = new Set(['installationId', 'objectId']);

/** Somebody who knows an id may address it. A pattern or a range would find unknown ids. */
function assertWholeIds(where: unknown): void {
  if (Array.isArray(where)) for (const part of where) assertWholeIds(part);
  if (!isObject(where)) return;
  for (const [field, asked] of Object.entries(where)) {
    if (field.startsWith('$')) assertWholeIds(asked);
    else if (ids.has(field) && isObject(asked) && Object.keys(asked).some((operator) => operator !== '$in'))
      throw fail('InvalidQuery', {
        message: `${field} can only be compared with whole ids: {"${field}": "…"} or $in.`,
        details: [{ field, problem: 'takes a whole id or $in, unless a manager asks' }],
      });
  }
}

export interface PushDeps extends Pick<Context, 'enqueue' | 'quotas' | 'audienceFields' | 'countAudience'> {
  readonly db: Db;
  readonly addressesOf: AddressesOf;
  /** What of installations some roles may not ask by. */
  readonly hidden: Tag['hides'];
}

const { tag, path } = pushes;
const acceptedAnswer = {
  status: 200,
  description: 'Accepted. The header Location leads to what becomes of it.',
  schema: Type.Object({ result: Type.Object({ result: Type.Boolean() }) }),
  example: { result: { result: true } },
} as const;

const exampleSendAt = '2026-05-04T18:00:00.000Z';

const accepted = ({ objectId }: Pick<Creation, 'objectId'>) =>
  new JsonText('{"result":{"result":true}}', { location: `notification/${objectId}` });

export function pushEndpoints(deps: PushDeps): Endpoint[] {
  return [accept(deps), list(deps), get(deps), change(deps), approve(deps), cancel(deps)];
}

/** What is stored of a push as it was sent. */
const writtenOf = ({ data, options, audience, language, translations }: Push) => ({
  data: JSON.stringify(data),
  ...{ options, audience, language, translations },
});

function accept(deps: PushDeps): Endpoint {
  const { db, enqueue, quotas, audienceFields } = deps;
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
      const isBlind = !seesAudiences(call);
      assertMayAddress(call, body.audience, deps.hidden);
      quotas.takePush(call);
      const approval = await approvalFor(deps, app, { audience: body.audience, isBlind });
      const { objectId: pushId = newObjectId(now) } = call;
      const { sendAt, expiresAt } = timesOf(body, now);
      const push: store.NewPush = {
        appId: app.appId,
        pushId,
        ...writtenOf(body),
        userId: user?.userId ?? null,
        approval: approval && JSON.stringify(approval),
        authors: JSON.stringify(writersOf(call)),
        isBlind,
        sendAt: sendAt > now ? sendAt : null,
        expiresAt,
        now,
      };
      await db.transaction(async (db) => {
        await store.insertPush(db, push);
        await enqueue(db, {
          appId: app.appId,
          kind: expandJob,
          payload: { pushId, isBlind },
          runAt: approval ? expiresAt : sendAt,
        });
      });
      return accepted({ objectId: pushId });
    },
  });
}

const hidesCounts = (caller: Caller, row: Row) => !seesAudiences(caller) && store.hasChosenAudience(row);

const shownTo = (caller: Caller) => (row: Row) =>
  pushes.records.render(hidesCounts(caller, row) ? store.withoutCounts(row) : row);

/** Of what the caller is shown: from a tag of all of it, counts that are hidden could be guessed. */
const tagFor = (row: Row, caller: Caller) => entityTag(shownTo(caller)(row));

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
      if (!seesAudiences(call)) assertNotAskedBy(call.query, store.countMembers);
      return all.handle(call);
    },
  };
}

function get({ db }: PushDeps): Endpoint {
  return getEndpoint(readable(db), {
    summary: 'What became of a push notification: counts of its recipients by state, and the reasons',
    record: pushDetail,
    errors: ['ObjectNotFound', 'Timeout'],
    tagFor,
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

/**
 * Only while nobody has been found to send it to. It is locked meanwhile: either the sender sees the change, or the change is
 * refused.
 */
function change(deps: PushDeps): Endpoint {
  const { db, enqueue, audienceFields } = deps;
  return endpoint<Push, Row>({
    method: 'PUT',
    path: `${path}/:objectId`,
    operationId: 'updatePush',
    tag,
    summary: 'Change a push notification that waits for its time',
    description:
      'Takes the body of a new one, which replaces message, audience and times. Once it is being sent, nothing can be changed any ' +
      'more: the answer is 409, and it goes out as it was. The caller needs the right to send one as well.',
    grant: { of: 'pushes', verb: 'update' },
    body: { schema: pushSchema, example: pushExample, read: (body) => readPush(body, audienceFields) },
    answer: recordAnswer(pushRecord.schema, { ...pushRecord.example, state: 'accepted', sendAt: exampleSendAt }),
    errors: ['ValidationError', 'InvalidQuery', 'ObjectNotFound', 'OperationForbidden', 'TooLate'],
    takesIfMatch: true,
    locate: locateRow(readable(db), 'update'),
    handle: async (call) => {
      const { app, located, body, now, headers } = call;
      assertMaySend(call);
      const isBlind = !seesAudiences(call);
      // Somebody else may have chosen it.
      const isSame = body.audience === located['audience'];
      assertMayAddress(call, body.audience, isSame ? undefined : deps.hidden);
      const pushId = String(located['object_id']);
      const key = { app_id: app.appId, object_id: pushId };
      const { sendAt, expiresAt } = timesOf(body, now);
      const approval = await approvalFor(deps, app, { audience: body.audience, isBlind });
      const row = await db.transaction(async (db) => {
        const current = await store.lockPush(db, app.appId, pushId);
        if (!current) throw fail('ObjectNotFound', 'There is no push notification with this objectId.');
        readIfMatch(headers)?.(tagFor(current, call));
        assertWaits(current, now);
        await store.changePush(db, {
          appId: app.appId,
          pushId,
          ...writtenOf(body),
          approval: approval && JSON.stringify(approval),
          authors: JSON.stringify([...new Set([...authorsOf(current), ...writersOf(call)])]),
          isBlind,
          sendAt: sendAt > now ? sendAt : null,
          expiresAt,
          now: Math.max(now, Number(current['updated_at'])),
        });
        const payload = { pushId, edition: current.edition + 1, isBlind };
        await enqueue(db, { appId: app.appId, kind: expandJob, payload, runAt: approval ? expiresAt : sendAt });
        return (await pushes.records.find(db, key)) ?? current;
      });
      return tagged(`{"result":${shownTo(call)(row)}}`, tagFor(row, call));
    },
  });
}

const sending = { operationId: 'sendPush', tag, grant: { of: 'pushes', verb: 'create' } } as const;

/**
 * Otherwise somebody who may only cancel could send anything to anybody, in a push that waits.
 *
 * @throws Failure OperationForbidden
 */
function assertMaySend({ app, user, secretKey, isAdministrator }: Caller): void {
  if (isAdministrator) return;
  if (secretKey) assertInScope(sending, secretKey, {});
  else assertGranted(grantOf(sending, app.rules), user);
}

/** @throws Failure TooLate */
function assertWaits(push: store.PushRow, now: number): void {
  const { state, waits, send_at: sendAt, expanded_to: expandedTo } = push;
  if (state === 'cancelled') throw fail('TooLate', 'It was cancelled. Send a new one.');
  if (state === 'accepted' && waits === 1) return;
  if (state !== 'accepted' || expandedTo !== null || sendAt === null || sendAt <= now)
    throw fail(
      'TooLate',
      'It is being sent already, as it was. It can still be cancelled for those who have not been reached.',
    );
}

/** A push to many goes out when a second person has said so. */
function approve({ db, addressesOf, enqueue }: PushDeps): Endpoint {
  return approveEndpoint({ db, addressesOf, enqueue, readable: readable(db), show: shownTo, assertMaySend });
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
