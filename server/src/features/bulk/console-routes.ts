import { type Static, Type } from 'typebox';
import { type Change, recordChange } from '../../access/audit.ts';
import type { AppContext } from '../../access/context.ts';
import { isAllowed } from '../../access/roles.ts';
import { Failure, fail } from '../../base/errors.ts';
import type { Database } from '../../db/db.ts';
import { exampleId, otherExampleId, recordAnswer } from '../../http/answers.ts';
import {
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleEndpoint,
  signedIn,
} from '../../http/console/console-endpoint.ts';
import { dataPermission } from '../../http/console/console-roles.ts';
import { carryOut, dataCall } from '../../http/console/data-call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { isByVenue } from '../../http/grants.ts';
import type { AssertRoom } from '../../http/mount-endpoints.ts';
import { defineShape } from '../../http/shape.ts';

export interface BulkDeps {
  readonly db: Database;
  /** Also an app that is switched off. @throws Failure ObjectNotFound */
  readonly findApp: (appId: string) => Promise<AppContext>;
  readonly assertRoom: AssertRoom;
  readonly endpoints: () => readonly Endpoint[];
}

/** What can be done with many records at once: their own PATCH or DELETE. */
const operations = [
  'patchNotification',
  'deleteNotification',
  'patchStoryline',
  'deleteStoryline',
  'patchBeacon',
  'deleteBeacon',
  'deleteRecord',
] as const;

/** More would take longer than a person waits for. */
const mostRecords = 500;
/** Ids that the audit names. */
const mostNamed = 100;

const shape = defineShape(
  Type.Object({
    operation: Type.Enum([...operations]),
    ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: mostRecords }),
    bucketName: Type.Optional(Type.String({ maxLength: 30, description: 'Of records' })),
    change: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'What to merge into each, as its PATCH takes it' }),
    ),
  }),
);
type Bulk = Static<typeof shape.schema>;

interface Failed {
  readonly objectId: string;
  readonly message: string;
}

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
        'At most 500. Each record is changed by itself: one that is refused is in `failed`, and the others are done. The audit has one ' +
        'entry. The role needs the permission for the operation.',
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
          failed: Type.Array(Type.Object({ objectId: Type.String(), message: Type.String() })),
        }),
        { done: [exampleId], failed: [{ objectId: otherExampleId, message: 'The object does not exist.' }] },
      ),
      errors: ['ValidationError', 'ObjectNotFound'],
      handle: async (call) => ({ result: await changeMany(deps, call) }),
    }),
  ];
}

async function changeMany(deps: BulkDeps, call: ConsoleCall<Bulk>) {
  const { operation, ids, bucketName, change } = call.body;
  const endpoint = deps.endpoints().find(({ operationId }) => operationId === operation) as Endpoint;
  const { role, venues } = signedIn(call.admin);
  const permission = dataPermission(endpoint);
  if (!permission || !isAllowed(role, permission))
    throw fail('OperationForbidden', `The role ${role} does not include this (${permission}).`);
  if (venues && !isByVenue(endpoint))
    throw fail('OperationForbidden', 'You are limited to some venues of this app, and these records belong to none.');
  if (endpoint.body) deps.assertRoom('change');
  const app = await deps.findApp(call.params['appId'] ?? '');
  const done: string[] = [];
  const failed: Failed[] = [];
  for (const objectId of new Set(ids)) {
    const params = { objectId, ...(bucketName === undefined ? {} : { bucketName }) };
    try {
      await carryOut(endpoint, dataCall(call, app, { params }), change ?? {});
      done.push(objectId);
    } catch (error) {
      // What is no answer to this record would be none to the next one.
      if (!(error instanceof Failure) || error.entry.status >= 500) {
        if (done.length > 0) await record(deps, call, endpoint, done);
        throw error;
      }
      failed.push({ objectId, message: error.message });
    }
  }
  if (done.length > 0) await record(deps, call, endpoint, done);
  return { done, failed };
}

/** One entry for all of them. What was changed in records that may be personal is left out. */
async function record({ db }: BulkDeps, call: ConsoleCall<Bulk>, { tag, method }: Endpoint, done: readonly string[]) {
  const { change, bucketName } = call.body;
  const about = {
    count: done.length,
    ids: done.slice(0, mostNamed),
    ...(bucketName === undefined ? {} : { bucketName }),
    ...(change && !tag.isPersonal ? { change } : {}),
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
