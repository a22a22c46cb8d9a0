import { Type } from 'typebox';
import type { AppContext } from '../../../access/context.ts';
import {
  deletedAnswer,
  isoTime,
  listAnswer,
  objectIdSchema,
  recordAnswer,
  timestampSchema,
} from '../../../http/answers.ts';
import {
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleEndpoint,
  signedIn,
} from '../../../http/console/console-endpoint.ts';
import type { AssertRoom } from '../../../http/mount-endpoints.ts';
import type { HistoryService } from './service.ts';

export interface HistoryRouteDeps {
  readonly service: HistoryService;
  /** Finds an app, switched off or not. @throws Failure ObjectNotFound */
  readonly findApp: (appId: string) => Promise<AppContext>;
  readonly assertRoom: AssertRoom;
}

const by = Type.Object(
  { name: Type.Union([Type.String(), Type.Null()]), userId: Type.Union([Type.String(), Type.Null()]) },
  { description: "An administrator's e-mail or the name of a secret key, or a user; with neither, the app" },
);
const versionSchema = Type.Object({
  objectId: objectIdSchema,
  state: Type.Object({}, { additionalProperties: true, description: 'The record as it was' }),
  updatedAt: timestampSchema,
  replacedAt: timestampSchema,
  replacedBy: by,
});
const trashSchema = Type.Object({
  objectId: objectIdSchema,
  kind: Type.String(),
  recordId: objectIdSchema,
  withinId: Type.Optional(objectIdSchema),
  title: Type.String(),
  createdAt: timestampSchema,
  deletedAt: timestampSchema,
  deletedBy: by,
  goesAt: timestampSchema,
});
type Params = Readonly<Record<string, string>>;

const recordOf = ({ appId = '', kind = '', recordId = '' }: Params) => ({ appId, kind, recordId });

/** Earlier states of records, and those that were deleted. Which kinds a role may see and change follows from the kind. */
export function historyEndpoints(deps: HistoryRouteDeps): readonly ConsoleEndpoint[] {
  return [...versionEndpoints(deps), ...trashEndpoints(deps)];
}

async function historyCall({ findApp, assertRoom }: HistoryRouteDeps, call: ConsoleCall<unknown>) {
  assertRoom('create');
  return { call, app: await findApp(call.params['appId'] ?? '') };
}

function versionEndpoints(deps: HistoryRouteDeps): readonly ConsoleEndpoint[] {
  const { service } = deps;
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/history/:kind/:recordId',
      operationId: 'listVersions',
      summary: 'List what a record was before its last changes, newest first',
      description:
        'Kinds: notifications, storylines, scenarios, beacons, devices, records (as changed in the console) and settings (of the app, whose ' +
        'id is the recordId). The last 30 changes within a year, at most 1 MB.',
      permission: 'apps.read',
      answer: listAnswer(versionSchema),
      handle: async ({ admin, params }) => ({
        results: await service.listVersions(signedIn(admin).role, recordOf(params)),
      }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/apps/:appId/history/:kind/:recordId/:versionId/restore',
      operationId: 'restoreVersion',
      summary: 'Make an earlier state of a record the present one',
      description:
        'Like any change it has to be valid as of today; what it replaces becomes a version itself. Answers the `ETag` of the record, with ' +
        'which this is taken back unless somebody has changed the record since.',
      permission: 'apps.read',
      takesIfMatch: true,
      answer: deletedAnswer,
      async handle(call) {
        const { versionId = '' } = call.params;
        const tag = await service.bringBack(await historyCall(deps, call), recordOf(call.params), versionId);
        if (tag !== undefined) call.setTag(tag);
      },
    }),
  ];
}

function trashEndpoints(deps: HistoryRouteDeps): readonly ConsoleEndpoint[] {
  const { service } = deps;
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/trash',
      operationId: 'listTrash',
      summary: 'List what was deleted in the last 30 days, newest first',
      description: 'Fifty at a time. Only the kinds that the role may read.',
      permission: 'apps.read',
      query: [
        { name: 'kind', description: 'Only this kind', schema: Type.String() },
        { name: 'before', description: 'The objectId at which the last page ended', schema: objectIdSchema },
      ],
      answer: listAnswer(trashSchema),
      handle: async ({ admin, params: { appId = '' }, query: { kind, before } }) => ({
        results: await service.listTrash(signedIn(admin).role, appId, {
          ...(kind === undefined ? {} : { kind }),
          ...(before === undefined ? {} : { before }),
        }),
      }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/apps/:appId/trash/:trashId/restore',
      operationId: 'restoreDeleted',
      summary: 'Put a deleted record back, with its objectId',
      description: 'It has to be valid as of today, and there has to be room for it.',
      permission: 'apps.read',
      answer: recordAnswer(Type.Object({ kind: Type.String(), objectId: objectIdSchema, createdAt: timestampSchema })),
      async handle(call) {
        const row = await service.putBack(await historyCall(deps, call), call.params['trashId'] ?? '');
        return { result: { kind: row.kind, objectId: row.record_id, createdAt: isoTime(row.created_at) } };
      },
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/apps/:appId/trash/:trashId',
      operationId: 'deleteForGood',
      summary: 'Delete a record in the trash for good',
      permission: 'apps.read',
      answer: deletedAnswer,
      async handle(call) {
        const app = await deps.findApp(call.params['appId'] ?? '');
        await service.forget({ call, app }, call.params['trashId'] ?? '');
      },
    }),
  ];
}
