import type { Static } from 'typebox';
import { type Caller, type FindHeld, ownTraces, seesAll } from '../../../access/caller.ts';
import { isProven, notProven, type ProvingCaller, proofOf } from '../../../access/installation-proof.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import { fail } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import type { Db, Row } from '../../../db/db.ts';
import { createdAnswer, isoTime, listAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { askedFields } from '../../../http/hidden-members.ts';
import { sentence } from '../../../http/shape.ts';
import { allowedTo } from '../../../resources/allowed.ts';
import { type ListOptions, listParameters } from '../../../resources/lists/list.ts';
import { listing } from '../../../resources/lists/listing.ts';
import { phoneViewOf } from '../../../resources/members/phone-view.ts';
import type { Context } from '../../context.ts';
import { logExample, logShape, logs, readOccurredAt } from './resource.ts';
import { findByEventId, insertLog, type NewLog, type RecordedEvent } from './store.ts';

export interface LogDeps extends Pick<Context, 'findMissingBeacons' | 'findProvable' | 'findHeld' | 'mayBeNamed'> {
  readonly db: Db;
  /** Makes what a client recorded part of its visits; called in the transaction that writes the record. */
  readonly noteVisit: (db: Db, log: Parameters<Context['noteClientLog']>[1]) => Promise<void>;
}

export function logEndpoints(deps: LogDeps): Endpoint[] {
  return [list(deps), create(deps)];
}

/** Whose record it is stands only in her own, and managers see it. A filter or an order by it finds no others. */
async function shownTo(caller: Caller, query: Query, findHeld: FindHeld) {
  if (seesAll(caller)) return {};
  const narrow = ownTraces(findHeld, 'logs_installation', ['created_at']);
  const allowed = await allowedTo({ ...logs, narrow }, 'list', caller);
  const held = new Map(
    (await findHeld(caller.app.appId, caller.user?.userId ?? '')).map((one) => [one.objectId, one.heldSince]),
  );
  const isOwn = (row: Row) => Number(row['created_at']) >= (held.get(String(row['installation_id'])) ?? Infinity);
  const render = (row: Row) => logs.records.render(isOwn(row) ? row : { ...row, installation_id: null });
  if (allowed || !askedFields(query).includes('installationId')) return { render, allowed };
  const visible = await narrow(caller);
  return { render, ...(visible ? { allowed: { visible } } : {}) };
}

type Query = Readonly<Record<string, string | undefined>>;

function list({ db, findHeld }: LogDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/logs',
    operationId: 'listLogs',
    tag: logs.tag,
    summary: 'List log records',
    description:
      'Newest first. `where` takes `moduleType` (PRESENCE or STORYLINE; both kinds without it), `event`, `beaconId` and ' +
      '`installationId` (pointers), `objectId`, `createdAt` and `updatedAt`, with the operators. Users are shown the ' +
      '`installationId` of their own installations, and find nothing else by it; managers all.',
    grant: { of: 'logs', verb: 'list' },
    query: listParameters,
    answer: listAnswer(logs.record.schema, logs.record.example),
    errors: ['InvalidQuery', 'Timeout'],
    ...listing(async (call) => {
      const { app, query } = call;
      const options: ListOptions = {
        ...(await shownTo(call, query, findHeld)),
        phones: await phoneViewOf(logs.records, call),
        scope: logs.records.match({ app_id: app.appId }),
        query,
        defaultLimit: logs.defaultLimit,
        defaultOrder: '-objectId',
        idsFollowCreation: true,
        tenant: app.appId,
      };
      return { db, table: logs.records, options };
    }),
  });
}

function create(deps: LogDeps): Endpoint {
  return endpoint<Static<typeof logShape.schema>>({
    method: 'POST',
    path: '/logs',
    operationId: 'createLog',
    tag: logs.tag,
    summary: 'Record an enter or exit',
    description:
      'For apps that decide themselves when somebody enters or leaves. It becomes part of visits and statistics and never ' +
      'pushes a message. With an `eventId` it can be sent again safely: the answer is that of the first time.',
    grant: { of: 'logs', verb: 'create' },
    takesInstallationSecret: true,
    body: logShape.body(logExample),
    answer: createdAnswer,
    errors: ['ValidationError', 'ObjectNotFound', 'Timeout'],
    handle: async (call) => {
      const { app, body, now } = call;
      const occurredAt = readOccurredAt(body.occurredAt, now);
      if (typeof occurredAt === 'object') {
        throw fail('ValidationError', { message: sentence([occurredAt]), details: [occurredAt] });
      }
      const log: NewLog = {
        appId: app.appId,
        objectId: newObjectId(now),
        moduleType: body.moduleType,
        event: body.event,
        beaconId: body.beaconId.objectId,
        installationId: body.installationId?.objectId,
        occurredAt,
        eventId: body.eventId,
        now,
      };
      const { object_id: objectId, created_at: createdAt } = await record(deps, log, call);
      return { result: { createdAt: isoTime(createdAt), objectId } };
    },
  });
}

/** The record of the event: the first one, when it was sent before or is being sent twice at once. */
async function record(deps: LogDeps, log: NewLog, caller: ProvingCaller): Promise<RecordedEvent> {
  // Looked up first: a repetition is answered even when the beacon is gone by now.
  const earlier = await findEarlier(deps, log);
  if (earlier) return earlier;
  await assertPointers(deps, log, caller);
  if (await insertWithVisit(deps, log, caller.app.policy)) return { object_id: log.objectId, created_at: log.now };
  const winner = await findEarlier(deps, log);
  if (!winner) throw fail('Timeout', { message: 'The event is being removed. Try again.', retryAfter: 1 });
  return winner;
}

function insertWithVisit({ db, mayBeNamed, noteVisit }: LogDeps, log: NewLog, policy: AppPolicy): Promise<boolean> {
  const { appId, installationId, beaconId, occurredAt, now } = log;
  // Nobody's visit: who it was is not known.
  if (installationId === undefined) return insertLog(db, log);
  const event = log.event === 'ENTER' ? 'ENTER' : 'EXIT';
  return db.transaction(async (db) => {
    if (!(await mayBeNamed(db, { appId, policy, installationId })))
      return insertLog(db, { ...log, installationId: undefined });
    if (!(await insertLog(db, log))) return false;
    await noteVisit(db, { appId, policy, installationId, beaconId, event, occurredAt, now });
    return true;
  });
}

async function findEarlier({ db }: LogDeps, { appId, eventId }: NewLog): Promise<RecordedEvent | undefined> {
  return eventId === undefined ? undefined : findByEventId(db, appId, eventId);
}

async function assertPointers(deps: LogDeps, log: NewLog, caller: ProvingCaller): Promise<void> {
  const { db, findMissingBeacons, findProvable } = deps;
  const { appId, beaconId, installationId } = log;
  const [missing] = await findMissingBeacons(db, appId, [beaconId]);
  if (missing !== undefined) throw fail('ObjectNotFound', `beaconId: there is no beacon ${missing}.`);
  if (installationId === undefined) return;
  const found = await findProvable(db, appId, installationId);
  const { userId = null } = found ?? {};
  const isOthers = caller.user && !seesAll(caller) && userId !== null && userId !== caller.user.userId;
  if (found === undefined || isOthers)
    throw fail('ObjectNotFound', `installationId: there is no installation ${installationId}.`);
  if (!isProven(found, proofOf(caller))) throw notProven();
}
