import type { AppContext } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import { sql } from '../../../base/sql.ts';
import type { Database } from '../../../db/db.ts';
import {
  createdAnswer,
  deletedAnswer,
  inArray,
  isoTime,
  listAnswer,
  recordAnswer,
  updatedAnswer,
} from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { mergePatchSchema } from '../../../resources/change-schemas.ts';
import { readIfMatch, tagged, tagOfRow } from '../../../resources/entity-tag.ts';
import { listParameters, listRecords } from '../../../resources/lists/list.ts';
import { mergePatch } from '../../../resources/merge-patch.ts';
import { makerOf } from '../../../resources/past.ts';
import type { Bucket, BucketDirectory } from './definition/directory.ts';
import {
  assertBucketName,
  type ColumnMap,
  readColumnMap,
  schemaBody,
  schemaRecordExample,
  schemaRecordSchema,
} from './definition/schemas.ts';
import { schemaTable, schemaTag } from './definition/tables.ts';
import { isKept } from './records/record-writing.ts';
import type { BucketService, SchemaKey } from './service.ts';

export interface SchemaDeps {
  readonly db: Database;
  readonly directory: BucketDirectory;
  readonly service: BucketService;
}

type PathCall = { readonly app: AppContext; readonly params: Readonly<Record<string, string>> };

const common = {
  tag: schemaTag,
  parameters: { bucketName: 'The name of the bucket', objectId: 'The objectId of the schema record' },
} as const;
const path = '/data/schema/:bucketName';

export function schemaEndpoints(deps: SchemaDeps): Endpoint[] {
  return [list(deps), create(deps), get(deps), put(deps), patch(deps), remove(deps)];
}

async function findBucket({ directory }: SchemaDeps, { app, params }: PathCall): Promise<Bucket> {
  const name = params['bucketName'] ?? '';
  assertBucketName(name);
  const bucket = directory.known(app.appId, name) ?? (await directory.reload(app.appId, name));
  if (!bucket) throw fail('ObjectNotFound', 'There is no bucket with this name.');
  return bucket;
}

async function findSchema(deps: SchemaDeps, call: PathCall) {
  const bucket = await findBucket(deps, call);
  const row = await schemaTable.find(deps.db, {
    app_id: bucket.appId,
    bucket_id: bucket.bucketId,
    object_id: call.params['objectId'] ?? '',
  });
  if (!row) throw fail('ObjectNotFound', 'There is no schema with this objectId.');
  return { bucket, row };
}

async function schemaKey(deps: SchemaDeps, call: PathCall): Promise<SchemaKey> {
  const { bucket } = await findSchema(deps, call);
  return { appId: bucket.appId, bucketId: bucket.bucketId, objectId: call.params['objectId'] ?? '' };
}

function list(deps: SchemaDeps): Endpoint {
  return endpoint<undefined, Bucket>({
    ...common,
    method: 'GET',
    path,
    operationId: 'listSchemas',
    summary: 'List the schema records of a bucket',
    grant: { of: 'schemas', verb: 'list' },
    query: listParameters,
    answer: listAnswer(schemaRecordSchema, schemaRecordExample),
    errors: ['InvalidBucketName', 'ObjectNotFound', 'InvalidQuery', 'Timeout'],
    locate: (call) => findBucket(deps, call),
    handle: ({ query, located: bucket }) => {
      const scope = sql`app_id = ${bucket.appId} and bucket_id = ${bucket.bucketId}`;
      return listRecords(deps.db, schemaTable, {
        scope,
        query,
        defaultLimit: 100,
        idsFollowCreation: true,
        tenant: bucket.appId,
      });
    },
  });
}

function create({ service }: SchemaDeps): Endpoint {
  return endpoint<ColumnMap, void>({
    ...common,
    method: 'POST',
    path,
    operationId: 'createSchema',
    summary: 'Create a schema record',
    description: 'Several schema records of one bucket add up. A bucket that does not exist yet is created.',
    grant: { of: 'schemas', verb: 'create' },
    body: { ...schemaBody, read: readColumnMap },
    answer: createdAnswer,
    errors: ['InvalidBucketName', 'InvalidSchema'],
    locate: async ({ params }) => assertBucketName(params['bucketName'] ?? ''),
    handle: async ({ app, params, body }) => {
      const { objectId, createdAt } = await service.addSchema(app.appId, params['bucketName'] ?? '', body);
      return { result: { createdAt: isoTime(createdAt), objectId } };
    },
  });
}

function get(deps: SchemaDeps): Endpoint {
  return endpoint<undefined, Awaited<ReturnType<typeof findSchema>>>({
    ...common,
    method: 'GET',
    path: `${path}/:objectId`,
    operationId: 'getSchema',
    summary: 'Get a schema record',
    grant: { of: 'schemas', verb: 'get' },
    answer: recordAnswer(schemaRecordSchema, schemaRecordExample),
    errors: ['InvalidBucketName', 'ObjectNotFound'],
    locate: (call) => findSchema(deps, call),
    hasEntityTag: true,
    handle: async ({ located: { row } }) => tagged(`{"result":${schemaTable.render(row)}}`, tagOfRow(schemaTable, row)),
  });
}

function put(deps: SchemaDeps): Endpoint {
  return endpoint<ColumnMap, SchemaKey>({
    ...common,
    method: 'PUT',
    path: `${path}/:objectId`,
    operationId: 'updateSchema',
    summary: 'Replace the columns of a schema record',
    grant: { of: 'schemas', verb: 'update' },
    body: { ...schemaBody, read: readColumnMap },
    answer: inArray(updatedAnswer),
    errors: ['InvalidBucketName', 'InvalidSchema', 'ObjectNotFound'],
    takesIfMatch: true,
    locate: (call) => schemaKey(deps, call),
    handle: async ({ located, body, headers }) =>
      changed(await deps.service.changeSchema(located, () => body, readIfMatch(headers))),
  });
}

function patch(deps: SchemaDeps): Endpoint {
  return endpoint<unknown, SchemaKey>({
    ...common,
    method: 'PATCH',
    path: `${path}/:objectId`,
    operationId: 'patchSchema',
    summary: 'Merge columns into a schema record',
    description: 'JSON Merge Patch (RFC 7396): null removes a column.',
    grant: { of: 'schemas', verb: 'update' },
    body: { ...schemaBody, schema: mergePatchSchema(schemaBody.schema), read: (body) => body },
    answer: inArray(updatedAnswer),
    errors: ['InvalidBucketName', 'InvalidSchema', 'ObjectNotFound'],
    takesIfMatch: true,
    locate: (call) => schemaKey(deps, call),
    handle: async ({ located, body, headers }) => {
      const merge = (column: ColumnMap) => readColumnMap(mergePatch({ column }, body));
      return changed(await deps.service.changeSchema(located, merge, readIfMatch(headers)));
    },
  });
}

const changed = ({ updatedAt, tag }: { readonly updatedAt: number; readonly tag: string }) =>
  tagged(JSON.stringify({ result: [{ updatedAt: isoTime(updatedAt) }] }), tag);

function remove(deps: SchemaDeps): Endpoint {
  return endpoint<undefined, SchemaKey>({
    ...common,
    method: 'DELETE',
    path: `${path}/:objectId`,
    operationId: 'deleteSchema',
    summary: 'Delete a schema record',
    description: 'Its columns are no longer checked, unless another schema of the bucket declares them.',
    grant: { of: 'schemas', verb: 'delete' },
    answer: inArray(deletedAnswer),
    errors: ['InvalidBucketName', 'ObjectNotFound'],
    takesIfMatch: true,
    locate: (call) => schemaKey(deps, call),
    handle: async (call) => {
      const keptFor = isKept(call) ? makerOf(call) : undefined;
      await deps.service.removeSchema(call.located, readIfMatch(call.headers), keptFor);
      return { result: [{}] };
    },
  });
}
