import type { BlobStore } from '../../blobs/blob-store.ts';
import type { ClientQuotas } from '../../client-quotas.ts';
import type { Db, Row } from '../../db/db.ts';
import type { Table } from '../../db/table.ts';
import { fail } from '../../errors.ts';
import { deletedAnswer, inArray, listAnswer, recordAnswer } from '../../http/answers.ts';
import { type Call, type Endpoint, endpoint, JsonText } from '../../http/endpoint.ts';
import { listParameters, listRecords } from '../../http/list.ts';
import { newObjectId } from '../../id.ts';
import type { UsageMeter } from '../../usage.ts';
import { blobKeyOf, fileUrl, newStoredName, readFileName } from './file-name.ts';
import { readMediaType } from './media-type.ts';
import { fileRecord, uploadedAnswer } from './schemas.ts';
import { fileTable, insertFile } from './store.ts';
import { storeBody, tooLarge } from './upload.ts';

export interface FileDeps {
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly maxFileBytes: number;
  /** The address under which clients reach the service, without a slash at the end. */
  readonly publicUrl: () => string;
  readonly usage: UsageMeter;
  readonly quotas: ClientQuotas;
  /** Does work whose failure does not change the answer: it is logged, and a sweep makes up for it. */
  readonly attempt: (what: string, work: () => Promise<unknown>) => Promise<void>;
}

export function fileEndpoints(deps: FileDeps): Endpoint[] {
  const table = fileTable(deps.publicUrl);
  return [list(deps, table), upload(deps), get(deps, table), remove(deps, table)];
}

function list({ db }: FileDeps, table: Table): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/files',
    operationId: 'listFiles',
    tag: 'Files',
    summary: 'List files',
    grant: 'user',
    query: listParameters,
    answer: listAnswer(fileRecord.schema, fileRecord.example),
    errors: ['InvalidQuery', 'Timeout'],
    handle: ({ app, query }) =>
      listRecords(db, table, {
        scope: table.match({ app_id: app.appId }),
        query,
        defaultLimit: 100,
        idsFollowCreation: true,
        share: app.appId,
      }),
  });
}

/** One path in the OpenAPI document: a name where something is uploaded, an objectId everywhere else. */
const onePath = '/files/:file';

interface Announced {
  readonly name: string;
  readonly contentType: string;
}

/** All that the head of the request tells, so that a refusal costs nobody the transfer. */
function readHead(
  { params, headers }: Pick<Call<undefined, undefined>, 'params' | 'headers'>,
  maxBytes: number,
): Announced {
  const name = readFileName(params['file'] ?? '');
  const contentType = readMediaType(headers['content-type'] as string | undefined);
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return { name, contentType };
}

function upload({ db, blobs, maxFileBytes, publicUrl, usage, quotas, attempt }: FileDeps): Endpoint {
  return endpoint<undefined, Announced>({
    method: 'POST',
    path: onePath,
    operationId: 'uploadFile',
    tag: 'Files',
    summary: 'Upload a file',
    description:
      `The body is the file, of any type and at most ${maxFileBytes} bytes; an empty body is an empty file. Without a ` +
      'Content-Type, and with the range of all types, it is application/octet-stream. Everybody who has the answered address can read the file.',
    grant: ({ uploadNeedsUser }) => (uploadNeedsUser ? 'user' : 'visitor'),
    parameters: {
      file: 'With its extension, percent-encoded: 1 to 128 characters of any script, without control characters, slashes and backslashes',
    },
    takesStream: true,
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
    locate: async (call) => {
      const announced = readHead(call, maxFileBytes);
      // Before the body: a refusal costs nobody the transfer. Who does not say how much is coming may send the most.
      const bytes = Number(call.headers['content-length'] ?? maxFileBytes);
      await usage.assertRoom(call.app.appId, call.app.policy, { files: 1, fileBytes: bytes });
      quotas.takeUpload(call, bytes);
      return announced;
    },
    handle: async ({ app, user, located: { name, contentType }, stream, now }) => {
      const [objectId, storedName] = [newObjectId(now), newStoredName(name)];
      const key = blobKeyOf(app.appId, storedName);
      const bytes = await storeBody(blobs, key, { stream, maxBytes: maxFileBytes });
      try {
        // Only now: a row without its file would be an address that leads nowhere.
        await insertFile(db, {
          appId: app.appId,
          objectId,
          name,
          storedName,
          contentType,
          ...bytes,
          userId: user?.userId,
          now,
        });
      } catch (error) {
        await attempt('removing a file whose record could not be written', () => blobs.remove(key));
        throw error;
      }
      usage.add(app.appId, { files: 1, fileBytes: bytes.size });
      return { objectId, name: storedName, url: fileUrl(publicUrl(), app.appId, storedName) };
    },
  });
}

function locateFile({ db }: FileDeps, table: Table) {
  return async ({ app, params }: Pick<Call<undefined, undefined>, 'app' | 'params'>): Promise<Row> => {
    const row = await table.find(db, { app_id: app.appId, object_id: params['file'] ?? '' });
    if (!row) throw notFound();
    return row;
  };
}

const notFound = () => fail('ObjectNotFound', 'There is no file with this objectId.');

function get(deps: FileDeps, table: Table): Endpoint {
  return endpoint<undefined, Row>({
    method: 'GET',
    path: onePath,
    parameters: { file: 'The objectId of the file' },
    operationId: 'getFile',
    tag: 'Files',
    summary: "Get a file's record",
    grant: 'user',
    answer: recordAnswer(fileRecord.schema, fileRecord.example),
    errors: ['ObjectNotFound'],
    locate: locateFile(deps, table),
    handle: async ({ located }) => new JsonText(`{"result":${table.render(located)}}`),
  });
}

function remove(deps: FileDeps, table: Table): Endpoint {
  return endpoint<undefined, Row>({
    method: 'DELETE',
    path: onePath,
    parameters: { file: 'The objectId of the file' },
    operationId: 'deleteFile',
    tag: 'Files',
    summary: 'Delete a file',
    description: 'Its address stops working at once; copies in caches of browsers and proxies stay.',
    grant: 'user',
    answer: inArray(deletedAnswer),
    errors: ['ObjectNotFound'],
    locate: locateFile(deps, table),
    handle: async ({ app, located }) => {
      const key = { app_id: app.appId, object_id: located['object_id'] as string };
      // The row first: a blob without a row is swept up later, a row without a blob would never be mended.
      if (!(await table.remove(deps.db, key))) throw notFound();
      deps.usage.add(app.appId, { files: -1, fileBytes: -Number(located['size']) });
      const blob = blobKeyOf(app.appId, String(located['stored_name']));
      await deps.attempt('removing the bytes of a deleted file', () => deps.blobs.remove(blob));
      return { result: [{}] };
    },
  });
}
