import { type Static, Type } from 'typebox';
import { type Change, recordChange } from '../../access/audit.ts';
import { Failure } from '../../base/errors.ts';
import { exampleId, exampleUpdated, otherExampleId, recordAnswer } from '../../http/answers.ts';
import { type ConsoleCall, type ConsoleEndpoint, consoleEndpoint } from '../../http/console/console-endpoint.ts';
import { type Bulk, shape } from './schemas.ts';
import { type BulkDeps, type Done, type Target, targetOf } from './target.ts';

/** Ids that the audit names. */
const mostNamed = 100;

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
        'go on, the rest is in `failed`. The audit has one entry; of users it names each, with what was before. With `updatedAt`, or `seen` for users and webhooks, a record that somebody has changed since is neither changed nor deleted. The role needs the permission for the operation.',
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
      errors: ['ValidationError', 'ObjectNotFound', 'ConfirmationNeeded'],
      handle: async (call) => ({ result: await changeMany(deps, call) }),
    }),
  ];
}

async function changeMany(deps: BulkDeps, call: ConsoleCall<Bulk>) {
  const { ids, records = [] } = call.body;
  const target = await targetOf(deps, call);
  const particular = new Map(records.map((one) => [one.objectId, one]));
  const done: Done[] = [];
  const failed: Failed[] = [];
  const all = [...new Set(ids)];
  for (const [place, objectId] of all.entries()) {
    try {
      const { was, updatedAt } = await target.change(particular.get(objectId) ?? { objectId });
      done.push({ objectId, updatedAt, was });
    } catch (error) {
      const { isForAll, name, message } = reasonOf(error);
      // A failure that does not concern this record would recur with the next. What is done by then is reported, so that it can be undone.
      if (isForAll && done.length === 0) throw error;
      const refused = isForAll ? all.slice(place) : [objectId];
      failed.push(...refused.map((objectId) => ({ objectId, error: name, message })));
      if (isForAll) break;
    }
  }
  if (done.length > 0) await record(deps, call, { target, done });
  const changed = done.flatMap(({ objectId, updatedAt }) => (updatedAt === undefined ? [] : [{ objectId, updatedAt }]));
  return { done: done.map(({ objectId }) => objectId), changed, failed };
}

/** Why a record is refused. @throws what is no reason, but a defect */
function reasonOf(error: unknown) {
  if (!(error instanceof Failure)) throw error;
  const { name, message, entry } = error;
  return { isForAll: entry.status >= 500, name, message };
}

interface Recorded {
  readonly target: Target;
  readonly done: readonly Done[];
}

/** One entry for all of them. What was changed in records that may be personal is left out. */
async function record({ db }: BulkDeps, call: ConsoleCall<Bulk>, { target, done }: Recorded): Promise<void> {
  const { change, bucketName, records = [] } = call.body;
  const { name, deletes, isPersonal, isPeople } = target;
  const some = isPeople ? done : done.slice(0, mostNamed);
  const ids = some.map(({ objectId }) => objectId);
  const changes = records.flatMap(({ objectId, change }) =>
    change && ids.includes(objectId) ? [{ objectId, change }] : [],
  );
  const about = {
    count: done.length,
    ids,
    ...(bucketName === undefined ? {} : { bucketName }),
    ...(change && !isPersonal ? { change } : {}),
    ...(changes.length > 0 && !isPersonal ? { changes } : {}),
  };
  const common: Omit<Change, 'action'> = {
    by: call.by,
    subject: `${done.length} of ${name}`,
    appId: call.params['appId'] ?? '',
    now: call.now,
  };
  const was = some.flatMap(({ objectId, was }) => (was ? [{ objectId, ...was }] : []));
  const before = was.length > 0 ? { before: { was } } : {};
  await recordChange(
    db,
    deletes
      ? { ...common, action: 'many.delete', before: { ...about, ...before.before } }
      : { ...common, action: 'many.change', ...before, after: about },
  );
}
