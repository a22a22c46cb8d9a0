import { type Static, Type } from 'typebox';
import { type Change, recordChange } from '../../access/audit.ts';
import type { AppContext } from '../../access/context.ts';
import { isAllowed } from '../../access/roles.ts';
import { Failure, fail } from '../../base/errors.ts';
import type { Database } from '../../db/db.ts';
import { exampleId, exampleUpdated, otherExampleId, recordAnswer } from '../../http/answers.ts';
import {
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleEndpoint,
  signedIn,
} from '../../http/console/console-endpoint.ts';
import { dataPermission } from '../../http/console/console-roles.ts';
import { carryOut, dataCall } from '../../http/console/data-call.ts';
import { type Endpoint, JsonText } from '../../http/endpoint.ts';
import { isByVenue } from '../../http/grants.ts';
import type { AssertRoom, HandlerAnswer } from '../../http/mount-endpoints.ts';
import { defineShape } from '../../http/shape.ts';

export interface BulkDeps {
  readonly db: Database;
  /** Also an app that is switched off. @throws Failure ObjectNotFound */
  readonly findApp: (appId: string) => Promise<AppContext>;
  readonly assertRoom: AssertRoom;
  readonly endpoints: () => readonly Endpoint[];
}

/** What can be done with many records at once: their own PATCH, PUT or DELETE. */
const operations = [
  'patchNotification',
  // Replaces rules as a whole, where PATCH would merge them.
  'updateNotification',
  'deleteNotification',
  'patchStoryline',
  'deleteStoryline',
  'patchBeacon',
  'deleteBeacon',
  'patchDevice',
  'deleteDevice',
  'patchVenue',
  'deleteFile',
  'patchRecord',
  'deleteRecord',
] as const;

/** More would take longer than a person waits for. */
const mostRecords = 500;
/** Ids that the audit names. */
const mostNamed = 100;

const idSchema = Type.String({ minLength: 1, maxLength: 64 });
const changeSchema = (description: string) =>
  Type.Optional(Type.Object({}, { additionalProperties: true, description }));

const oneSchema = Type.Object({
  objectId: idSchema,
  updatedAt: Type.Optional(
    Type.String({ maxLength: 40, description: 'As the caller has seen it; a record changed since is not touched' }),
  ),
  change: changeSchema('In place of the common change'),
});

const shape = defineShape(
  Type.Object({
    operation: Type.Enum([...operations]),
    ids: Type.Array(idSchema, { minItems: 1, maxItems: mostRecords }),
    bucketName: Type.Optional(Type.String({ maxLength: 30, description: 'Of records' })),
    change: changeSchema('What to merge into each, as its PATCH takes it'),
    records: Type.Optional(
      Type.Array(oneSchema, { maxItems: mostRecords, description: 'Changes that apply to single records' }),
    ),
  }),
);
type Bulk = Static<typeof shape.schema>;
type One = Static<typeof oneSchema>;

const changedSchema = Type.Object({ objectId: Type.String(), updatedAt: Type.String() });
const failedSchema = Type.Object({
  objectId: Type.String(),
  error: Type.String({ description: 'Its name in the catalogue; `PreconditionFailed`: changed since `updatedAt`' }),
  message: Type.String(),
});
type Failed = Static<typeof failedSchema>;

/** One change of many records. Each is its own transaction, so that a long list delays nobody; what is refused is told. */
export function bulkConsoleEndpoints(deps: BulkDeps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint<Bulk>({
      method: 'POST',
      path: '/apps/:appId/bulk',
      operationId: 'changeMany',
      tag: 'History',
      summary: 'Change or delete many records at once',
      description:
        'At most 500. Each record is changed by itself: one that is refused is in `failed`, and the others are done. If the service cannot ' +
        'go on, the rest is in `failed`. The audit has one entry. With `updatedAt`, a record that somebody has changed since is neither changed nor deleted. The role needs the permission for the operation.',
      permission: 'apps.read',
      narrows: 'venues',
      locate: async ({ appId = '' }) => void (await deps.findApp(appId)),
      body: {
        schema: shape.schema,
        example: { operation: 'patchNotification', ids: [exampleId, otherExampleId], change: { isEnabled: false } },
        read: (body) => shape.readCreate(body) as Bulk,
      },
      answer: recordAnswer(
        Type.Object({
          done: Type.Array(Type.String()),
          changed: Type.Array(changedSchema, { description: 'When each of them was changed by this' }),
          failed: Type.Array(failedSchema),
        }),
        {
          done: [exampleId],
          changed: [{ objectId: exampleId, updatedAt: exampleUpdated }],
          failed: [{ objectId: otherExampleId, error: 'ObjectNotFound', message: 'The object does not exist.' }],
        },
      ),
      errors: ['ValidationError', 'ObjectNotFound'],
      handle: async (call) => ({ result: await changeMany(deps, call) }),
    }),
  ];
}

async function changeMany(deps: BulkDeps, call: ConsoleCall<Bulk>) {
  const { ids, records = [] } = call.body;
  const target = await targetOf(deps, call);
  const particular = new Map(records.map((one) => [one.objectId, one]));
  const done: string[] = [];
  const changed: Static<typeof changedSchema>[] = [];
  const failed: Failed[] = [];
  const all = [...new Set(ids)];
  for (const [place, objectId] of all.entries()) {
    try {
      const updatedAt = await changeOne(target, call, particular.get(objectId) ?? { objectId });
      done.push(objectId);
      if (updatedAt !== undefined) changed.push({ objectId, updatedAt });
    } catch (error) {
      const { isForAll, name, message } = reasonOf(error);
      // A failure that does not concern this record would recur with the next. What is done by then is reported, so that it can be undone.
      if (isForAll && done.length === 0) throw error;
      const refused = isForAll ? all.slice(place) : [objectId];
      failed.push(...refused.map((objectId) => ({ objectId, error: name, message })));
      if (isForAll) break;
    }
  }
  if (done.length > 0) await record(deps, call, target.endpoint, done);
  return { done, changed, failed };
}

/** Why a record is refused. @throws what is no reason, but a defect */
function reasonOf(error: unknown) {
  if (!(error instanceof Failure)) throw error;
  const { name, message, entry } = error;
  return { isForAll: entry.status >= 500, name, message };
}

interface Target {
  readonly app: AppContext;
  readonly endpoint: Endpoint;
  /** Its GET. */
  readonly reading: Endpoint;
}

/** @throws Failure OperationForbidden, ObjectNotFound */
async function targetOf(deps: BulkDeps, call: ConsoleCall<Bulk>): Promise<Target> {
  const { operation } = call.body;
  const named = (id: string) => deps.endpoints().find(({ operationId }) => operationId === id) as Endpoint;
  const endpoint = named(operation);
  const { role, venues } = signedIn(call.admin);
  const permission = dataPermission(endpoint);
  if (!permission || !isAllowed(role, permission))
    throw fail('OperationForbidden', `The role ${role} does not include this (${permission}).`);
  if (venues && !isByVenue(endpoint))
    throw fail('OperationForbidden', 'You are limited to some venues of this app, and these records belong to none.');
  if (endpoint.body) deps.assertRoom('change');
  const app = await deps.findApp(call.params['appId'] ?? '');
  return { app, endpoint, reading: named(operation.replace(/^(patch|update|delete)/, 'get')) };
}

/** Answers when it was changed. @throws Failure as the operation does */
async function changeOne({ app, endpoint, reading }: Target, call: ConsoleCall<Bulk>, one: One) {
  const { bucketName, change } = call.body;
  // Files are named otherwise in their path.
  const params = { objectId: one.objectId, file: one.objectId, ...(bucketName === undefined ? {} : { bucketName }) };
  const headers: Record<string, string> = {};
  if (one.updatedAt !== undefined) {
    const seen = await carryOut(reading, dataCall(call, app, { params }), undefined);
    if (updatedAtOf(seen) !== one.updatedAt) throw fail('PreconditionFailed');
    // Nobody comes in between.
    headers['if-match'] = (seen as JsonText).headers?.['etag'] ?? '*';
  }
  const answer = await carryOut(endpoint, dataCall(call, app, { params, headers }), one.change ?? change ?? {});
  return updatedAtOf(answer);
}

/** Of the record in an answer; some are in an array. */
function updatedAtOf(answer: HandlerAnswer): string | undefined {
  const { result } = (answer instanceof JsonText ? JSON.parse(answer.text) : answer) as { readonly result?: unknown };
  const [row] = Array.isArray(result) ? result : [result];
  return (row as { readonly updatedAt?: string } | undefined)?.updatedAt;
}

/** One entry for all of them. What was changed in records that may be personal is left out. */
async function record({ db }: BulkDeps, call: ConsoleCall<Bulk>, { tag, method }: Endpoint, done: readonly string[]) {
  const { change, bucketName, records = [] } = call.body;
  const changes = records.flatMap(({ objectId, change }) => (change ? [{ objectId, change }] : [])).slice(0, mostNamed);
  const about = {
    count: done.length,
    ids: done.slice(0, mostNamed),
    ...(bucketName === undefined ? {} : { bucketName }),
    ...(change && !tag.isPersonal ? { change } : {}),
    ...(changes.length > 0 && !tag.isPersonal ? { changes } : {}),
  };
  const common: Omit<Change, 'action'> = {
    by: call.by,
    subject: `${done.length} of ${bucketName ?? tag.name}`,
    appId: call.params['appId'] ?? '',
    now: call.now,
  };
  await recordChange(
    db,
    method === 'DELETE'
      ? { ...common, action: 'many.delete', before: about }
      : { ...common, action: 'many.change', after: about },
  );
}
