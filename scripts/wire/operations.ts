import type { TSchema } from 'typebox';
import type { ConsoleEndpoint } from '../../server/src/http/console/console-endpoint.ts';
import type { OpenApiDocument } from '../../server/src/http/openapi/openapi.ts';
import { asInput, type JsonSchema } from './schema-type.ts';

/** What a client has to know about one endpoint. */
export interface WireOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly method: string;
  /** With `{name}` for parameters, below the prefix that all endpoints share. */
  readonly path: string;
  readonly query: readonly { readonly name: string; readonly description: string; readonly schema: JsonSchema }[];
  readonly body: JsonSchema | 'stream' | undefined;
  readonly answer: JsonSchema;
  /** It takes an `Idempotency-Key`. */
  readonly takesKey?: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: JsonSchema;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

export function operationsOfDocument(document: OpenApiDocument, prefix: string): WireOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): WireOperation => {
      const body = (operation['requestBody'] as Content | undefined)?.content;
      const parameters = (operation['parameters'] ?? []) as Parameter[];
      const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1] as Content;
      return {
        operationId: operation.operationId,
        summary: operation.summary,
        method: method.toUpperCase(),
        path: path.slice(prefix.length),
        query: parameters.filter((parameter) => parameter.in === 'query'),
        body: body && (body['application/json'] ? asInput(body['application/json'].schema) : 'stream'),
        answer: success.content?.['application/json']?.schema ?? {},
        takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
      };
    }),
  );
}

/** The management interface has no OpenAPI document of its own; its endpoints are the same kind of data. */
export function operationsOfConsole(endpoints: readonly ConsoleEndpoint[]): WireOperation[] {
  return endpoints.map(({ operationId, summary, method, path, query = [], body, answer }) => ({
    operationId,
    summary,
    method,
    path: path.replace(/:(\w+)/g, '{$1}'),
    query: query.map((parameter) => ({ ...parameter, schema: plain(parameter.schema) })),
    body: body && asInput(plain(body.schema)),
    answer: plain(answer.schema),
  }));
}

/** TypeBox marks its schemas with hidden members; a JSON round trip leaves the JSON Schema. */
function plain(schema: TSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema;
}
