import { Type } from 'typebox';
import { version } from '../../../config/version.ts';
import { type Endpoint, endpoint, type Success } from '../../../http/endpoint.ts';
import { buildOpenApi, type Json, plain } from '../../../http/openapi/openapi.ts';
import type { Context } from '../../context.ts';
import { listAllSchemas, listBuckets } from './definition/bucket-store.ts';
import { mergeColumns } from './definition/directory.ts';
import type { DeclaredType, SlotColumns } from './definition/slots.ts';
import { recordTag, schemaTag } from './definition/tables.ts';

const date = {
  anyOf: [
    { type: 'string', format: 'date-time' },
    {
      type: 'object',
      properties: { __type: { const: 'Date' }, iso: { type: 'string', format: 'date-time' } },
      required: ['__type', 'iso'],
    },
    { type: 'null' },
  ],
};

/** As `assertFitsColumns` checks values: each may be absent or null. */
const columnSchemas: Readonly<Record<DeclaredType, Json>> = {
  Number: { type: ['number', 'null'] },
  String: { type: ['string', 'null'] },
  Boolean: { type: ['boolean', 'null'] },
  Date: date,
};

const columnExamples: Readonly<Record<DeclaredType, unknown>> = {
  Number: 2,
  String: 'Kestrel',
  Boolean: true,
  Date: '2026-05-04T09:30:00.000Z',
};

const mapColumns = <T>(columns: SlotColumns, to: Readonly<Record<DeclaredType, T>>) =>
  Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, to[type]]));

const componentOf = (bucket: string) => `Bucket_${bucket}`;

/** Replaces the value of each member called `metadata`. */
function withMetadata(value: unknown, metadata: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, member: unknown) => (name === 'metadata' ? metadata : member));
}

interface Described {
  readonly name: string;
  readonly columns: SlotColumns;
}

/** The general endpoint for records, described for one bucket. */
function ofBucket(general: Endpoint, { name, columns }: Described): Endpoint {
  const document = { $ref: `#/components/schemas/${componentOf(name)}` };
  const example = mapColumns(columns, columnExamples);
  const typed = <T extends Pick<Success, 'schema' | 'example'>>(of: T): T => ({
    ...of,
    schema: Type.Unsafe(withMetadata(plain(of.schema), document) as object),
    example: withMetadata(of.example, example),
  });
  const { body } = general;
  // Of a change the members of the document are sent.
  const isChange = general.method === 'PUT' || general.method === 'PATCH';
  return {
    ...general,
    path: general.path.replace(':bucketName', name),
    operationId: `${general.operationId}_${name}`,
    answer: typed(general.answer),
    ...(body ? { body: isChange ? { ...body, schema: Type.Unsafe(document), example } : typed(body) } : {}),
  };
}

/** The OpenAPI document of one app: the records of each bucket have its columns. */
export function documentEndpoint({ db, endpoints, publicUrl }: Context): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/data/openapi',
    operationId: 'getDocument',
    tag: schemaTag,
    summary: 'Get the OpenAPI document with the buckets of the app',
    description:
      'As `/openapi.json`, with operations for each bucket, such as `createRecord_birds`, whose records have the columns of its ' +
      'schemas. Generators of clients make typed ones from it.',
    grant: { of: 'schemas', verb: 'list' },
    answer: {
      status: 200,
      description: 'The document, in OpenAPI 3.1.',
      schema: Type.Object({
        openapi: Type.String(),
        info: Type.Object({}),
        paths: Type.Object({}),
        components: Type.Object({}),
      }),
      example: { openapi: '3.1.0', info: { title: 'Pharos', version: '1' }, paths: {}, components: { schemas: {} } },
    },
    errors: [],
    handle: async ({ app: { appId } }) => {
      const schemas = Map.groupBy(await listAllSchemas(db, appId), ({ bucket_id }) => bucket_id);
      const buckets = (await listBuckets(db, appId)).map(({ object_id, name }) => ({
        name,
        columns: mergeColumns(schemas.get(object_id) ?? []),
      }));
      const all = endpoints().flatMap((one) =>
        one.tag === recordTag ? buckets.map((bucket) => ofBucket(one, bucket)) : [one],
      );
      const document = buildOpenApi({ endpoints: all, version, serverUrl: publicUrl() });
      const components = document['components'] as { readonly schemas: Json };
      const own = buckets.map(({ name, columns }) => [
        componentOf(name),
        { type: 'object', properties: mapColumns(columns, columnSchemas), additionalProperties: true },
      ]);
      return {
        ...document,
        components: { ...components, schemas: { ...components.schemas, ...Object.fromEntries(own) } },
      };
    },
  });
}
