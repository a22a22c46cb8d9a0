import { type Static, Type } from 'typebox';
import { fail, failureOf } from '../../../base/errors.ts';
import { exampleId, otherExampleId, recordAnswer } from '../../../http/answers.ts';
import { type ConsoleCall, type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import { Entry } from './entry.ts';
import { type Bulk, shape } from './schemas.ts';
import { type BulkDeps, type Done, targetOf } from './target.ts';

const changedSchema = Type.Object({ objectId: Type.String(), updatedAt: Type.String() });
const failedSchema = Type.Object({
  objectId: Type.String(),
  error: Type.String({ description: 'Its name in the catalogue; `PreconditionFailed`: changed since `updatedAt`' }),
  message: Type.String(),
  isAlready: Type.Optional(
    Type.Boolean({
      description:
        'Changed or deleted since, but as this request wants it: by somebody else, or by the same request when its answer was lost',
    }),
  ),
});
type Failed = Static<typeof failedSchema>;

/** One change of many records. Each is its own transaction, so that a long list delays nobody; what is refused is told. */
export function bulkConsoleEndpoints(deps: BulkDeps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint<Bulk>({
      method: 'POST',
      path: '/apps/:appId/bulk',
      operationId: 'changeMany',
      summary: 'Change, delete or restore many records at once',
      description:
        'At most 500. Each record is changed by itself: one that is refused is in `failed`, and the others are done. If the service cannot ' +
        'go on, the rest is in `failed`. The audit has one entry, also for a change in several requests (`continues`); of users it names each, with what was before. With `updatedAt`, or `seen` for users and webhooks, a record that somebody has changed since is neither changed nor deleted. The role needs the permission for the operation.',
      permission: 'apps.read',
      narrows: 'venues',
      query: [
        {
          name: 'continues',
          description:
            'The `entry` of an earlier request of the same change, to which the audit adds this one. An entry of another change, of somebody ' +
            'else, from another address or of more than an hour ago is left alone, and this request gets an entry of its own.',
          schema: Type.String(),
        },
      ],
      body: shape.body({
        operation: 'patchNotification',
        ids: [exampleId, otherExampleId],
        change: { isEnabled: false },
      }),
      answer: recordAnswer(
        Type.Object({
          done: Type.Array(Type.String()),
          changed: Type.Array(changedSchema, { description: 'When each of them was changed by this' }),
          failed: Type.Array(failedSchema),
          entry: Type.Optional(Type.String({ description: 'The `auditId` of the entry; absent if nothing was done' })),
        }),
      ),
      handle: async (call) => ({ result: await changeMany(deps, call) }),
    }),
  ];
}

async function changeMany(deps: BulkDeps, call: ConsoleCall<Bulk>) {
  const { ids, records = [] } = call.body;
  const target = await targetOf(deps, call);
  const entry = new Entry(deps.db, call, target);
  const particular = new Map(records.map((one) => [one.objectId, one]));
  const done: Done[] = [];
  const failed: Failed[] = [];
  const all = [...new Set(ids)];
  try {
    for (const [place, objectId] of all.entries()) {
      try {
        const { was, updatedAt, isAlready } = await target.change(particular.get(objectId) ?? { objectId });
        if (isAlready) {
          const { name: error, message } = fail(target.does === 'delete' ? 'ObjectNotFound' : 'PreconditionFailed');
          failed.push({ objectId, error, message, isAlready });
          continue;
        }
        done.push({ objectId, updatedAt, was });
      } catch (error) {
        const { isForAll, name, message } = reasonOf(error);
        // A failure that does not concern this record would recur with the next. What is done by then is reported, so that it can be undone.
        if (isForAll && done.length === 0) throw error;
        const refused = isForAll ? all.slice(place) : [objectId];
        failed.push(...refused.map((objectId) => ({ objectId, error: name, message })));
        if (isForAll) break;
        continue;
      }
      try {
        await entry.add(done.at(-1) as Done);
      } catch (error) {
        // Nothing more is changed while the audit cannot have it. It is tried once more below, and what is done is reported if that works.
        const { name, message } = reasonOf(error);
        failed.push(...all.slice(place + 1).map((objectId) => ({ objectId, error: name, message })));
        break;
      }
    }
  } finally {
    // Also if a defect ends it: what is done is in the audit.
    await entry.write();
  }
  const changed = done.flatMap(({ objectId, updatedAt }) => (updatedAt === undefined ? [] : [{ objectId, updatedAt }]));
  const { id } = entry;
  return { done: done.map(({ objectId }) => objectId), changed, failed, ...(id === undefined ? {} : { entry: id }) };
}

/** Why a record is refused. @throws what is no reason, but a defect */
function reasonOf(error: unknown) {
  const failure = failureOf(error);
  if (!failure) throw error;
  const { name, message, entry } = failure;
  return { isForAll: entry.status >= 500, name, message };
}
