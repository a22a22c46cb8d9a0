import type { Caller } from '../../../access/caller.ts';
import { fail } from '../../../base/errors.ts';
import type { Row } from '../../../db/db.ts';
import { deletedAnswer, inArray, listAnswer, recordAnswer } from '../../../http/answers.ts';
import { type Call, type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { allowedTo, findAllowed } from '../../../resources/allowed.ts';
import { readIfMatch, tagged, tagOfRow } from '../../../resources/entity-tag.ts';
import { type ListOptions, listParameters } from '../../../resources/lists/list.ts';
import { listing } from '../../../resources/lists/listing.ts';
import { makerOf, type Past } from '../../../resources/past.ts';
import type { RecordTable } from '../../../resources/table.ts';
import { type Announced, type FileDeps, fileIntake } from './intake.ts';
import { blobKeyOf } from './place/file-name.ts';
import { files, uploadedAnswer } from './resource.ts';
import { fileTable, findStoredFile, type StoredFile } from './store.ts';
import { assertFileUnchanged, moveToTrash } from './trash.ts';

interface Deps extends FileDeps {
  readonly past: Past;
}

export function fileEndpoints(deps: Deps): Endpoint[] {
  const table = fileTable(deps.publicUrl);
  return [list(deps, table), upload(deps), get(deps, table), remove(deps, table)];
}

function list({ db }: FileDeps, table: RecordTable): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/files',
    operationId: 'listFiles',
    tag: files.tag,
    summary: 'List files',
    grant: { of: 'files', verb: 'list' },
    query: listParameters,
    answer: listAnswer(files.record.schema, files.record.example),
    errors: ['InvalidQuery', 'Timeout'],
    description: 'Users see the files that they have uploaded; managers see all.',
    ...listing(async (call) => {
      const { app, query } = call;
      const options: ListOptions = {
        allowed: await allowedTo(ruled(table), 'list', call),
        scope: table.match({ app_id: app.appId }),
        query,
        defaultLimit: 100,
        idsFollowCreation: true,
        tenant: app.appId,
      };
      return { db, table: table, options };
    }),
  });
}

/** One path in the OpenAPI document: a name for uploads, an objectId everywhere else. */
const onePath = '/files/:file';

function upload(deps: FileDeps): Endpoint {
  const { maxFileBytes } = deps;
  const intake = fileIntake(deps);
  return endpoint<undefined, Announced>({
    method: 'POST',
    path: onePath,
    operationId: 'uploadFile',
    tag: files.tag,
    summary: 'Upload a file',
    description:
      `The body is the file, of any type and at most ${maxFileBytes} bytes; an empty body is an empty file. Without a ` +
      'Content-Type, or with `*/*`, it is application/octet-stream. Anybody who knows the returned address can read the file.',
    grant: { of: 'files', verb: 'create' },
    parameters: {
      file: 'With its extension, percent-encoded: 1 to 128 characters of any script, without control characters, slashes and backslashes',
    },
    takesStream: true,
    takesKey: true,
    answer: uploadedAnswer,
    errors: [
      'InvalidFileName',
      'UnsupportedMediaType',
      'ObjectTooLarge',
      'InvalidJSON',
      'OperationForbidden',
      'APICallLimit',
      'Timeout',
    ],
    locate: (call) => intake.announce(call, { name: call.params['file'] ?? '', maxBytes: maxFileBytes }),
    handle: (call) => intake.keep(call, call.located),
  });
}

type Locating = Caller & Pick<Call<undefined, undefined>, 'params'>;

const keyOf = (appId: string, params: Locating['params']) => ({ app_id: appId, object_id: params['file'] ?? '' });

const ruled = (records: RecordTable) => ({ rules: 'files', records, venue: files.venue }) as const;

const notFound = () => fail('ObjectNotFound', 'There is no file with this objectId.');

function get(deps: FileDeps, table: RecordTable): Endpoint {
  return endpoint<undefined, Row>({
    method: 'GET',
    path: onePath,
    parameters: { file: 'The objectId of the file' },
    operationId: 'getFile',
    tag: files.tag,
    summary: "Get a file's record",
    grant: { of: 'files', verb: 'get' },
    answer: recordAnswer(files.record.schema, files.record.example),
    hasEntityTag: true,
    errors: ['ObjectNotFound'],
    description: 'Users can get the files that they have uploaded; managers can get all.',
    locate: async (call) => {
      const key = keyOf(call.app.appId, call.params);
      const row = await findAllowed(deps.db, ruled(table), { key, verb: 'get', caller: call });
      if (!row) throw notFound();
      return row;
    },
    handle: async ({ located }) => tagged(`{"result":${table.render(located)}}`, tagOfRow(files.records, located)),
  });
}

function remove(deps: Deps, table: RecordTable): Endpoint {
  return endpoint<undefined, StoredFile>({
    method: 'DELETE',
    path: onePath,
    parameters: { file: 'The objectId of the file' },
    operationId: 'deleteFile',
    tag: files.tag,
    summary: 'Delete a file',
    description:
      'Its address stops working at once; a browser may show its cached copy for another minute. Deleted in the console, it is kept ' +
      'in the trash for 30 days.',
    grant: { of: 'files', verb: 'delete' },
    answer: inArray(deletedAnswer),
    takesIfMatch: true,
    errors: ['ObjectNotFound', 'OperationForbidden'],
    locate: async (call) => {
      const { app, params } = call;
      // Also a file that is hidden because its bytes are gone.
      const key = keyOf(app.appId, params);
      const found = await findAllowed(deps.db, ruled(files.records), { key, verb: 'delete', caller: call });
      const row = found && (await findStoredFile(deps.db, app.appId, params['file'] ?? ''));
      if (!row) throw notFound();
      return row;
    },
    handle: async (call) => {
      const { app, located, administrator, now } = call;
      const key = { app_id: app.appId, object_id: located.object_id };
      const assertUnchanged = readIfMatch(call.headers);
      // What an app deletes is gone: its users may have asked for that.
      if (administrator !== undefined) {
        const removal = { appId: app.appId, objectId: located.object_id, by: makerOf(call), now, assertUnchanged };
        if (!(await moveToTrash(deps.db, deps.past, removal))) throw notFound();
        return { result: [{}] };
      }
      // The row first: a blob without a row is swept later, a row without a blob would never be repaired.
      const removed = assertUnchanged
        ? await deps.db.transaction(async (db) => {
            await assertFileUnchanged(db, key, assertUnchanged);
            return table.remove(db, key);
          })
        : await table.remove(deps.db, key);
      if (!removed) throw notFound();
      const less = { files: -1, fileBytes: -located.size };
      deps.usage.add(app.appId, less);
      deps.usage.users.add(app.appId, located.created_by, less);
      const blob = blobKeyOf(app.appId, located.stored_name);
      await deps.attempt('removing the bytes of a deleted file', () => deps.blobs.remove(blob));
      return { result: [{}] };
    },
  });
}
