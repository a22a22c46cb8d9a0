import type { Scope, Scopes } from '../../access/keys/scopes.ts';
import { apiPrefix } from '../api.ts';
import type { OpenApiDocument } from '../openapi/openapi.ts';

/** An operation of `/api/v2` as a tool of the Model Context Protocol. */
interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The path's and the query's parameters by their names, and `body`. */
  readonly inputSchema: { readonly type: 'object'; readonly properties: object; readonly [keyword: string]: unknown };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
}

export interface ToolOperation {
  readonly tool: Tool;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly isWrite: boolean;
  readonly isForKeys: boolean;
  /** Whether a key with these scopes may call it; the interface decides about each call anew. */
  isFor(scopes: Scopes): boolean;
  /** The path below `/api/v2` with its query, and the body. @throws TypeError for a parameter that is not there, is missing, or a step */
  requestOf(input: Readonly<Record<string, unknown>>): { readonly url: string; readonly payload?: string };
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required?: boolean;
  readonly schema: object;
}

interface JsonContent {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

/** One tool for each operation that speaks JSON and that a secret key, or one of `others`, is for. */
export function toolsOf(document: OpenApiDocument, others: ReadonlyMap<string, unknown>): readonly ToolOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const tool = toolOf(path, method, operation);
      return tool && (tool.isForKeys || others.has(tool.tool.name)) ? [tool] : [];
    }),
  );
}

type Operation = OpenApiDocument['paths'][string][string];

function toolOf(path: string, lowerMethod: string, operation: Operation): ToolOperation | undefined {
  const scopes = scopesOf(operation);
  const body = operation['requestBody'] as JsonContent | undefined;
  const bodySchema = body?.content?.['application/json']?.schema;
  const answers = Object.values(operation.responses) as JsonContent[];
  if ((body && !bodySchema) || !answers[0]?.content?.['application/json']) return undefined;
  const parameters = ((operation['parameters'] ?? []) as Parameter[]).filter((one) => one.in !== 'header');
  const method = lowerMethod.toUpperCase() as ToolOperation['method'];
  const isWrite = method !== 'GET';
  const schema = inputSchema(parameters, bodySchema);
  return {
    tool: {
      name: operation.operationId,
      title: operation.summary,
      description: [operation.summary, operation['description']].filter(Boolean).join('. '),
      inputSchema: schema,
      annotations: {
        readOnlyHint: !isWrite,
        destructiveHint: method === 'DELETE' || method === 'PUT',
        idempotentHint: method !== 'POST',
        openWorldHint: false,
      },
    },
    method,
    isWrite,
    isForKeys: scopes.length > 0,
    isFor: (own) => scopes.some((scope) => own.has(scope)),
    requestOf(input) {
      // A filter by another name would be none.
      const others = Object.keys(input).filter((name) => !Object.hasOwn(schema.properties, name));
      if (others.length > 0)
        throw new TypeError(`${others.join(', ')}: not taken. It takes ${Object.keys(schema.properties).join(', ')}.`);
      return {
        url: urlOf(path.slice(apiPrefix.length), parameters, input),
        ...(bodySchema ? { payload: JSON.stringify(input['body'] ?? {}) } : {}),
      };
    },
  };
}

/** The document names them with the secret key, as `visits:list`. */
function scopesOf(operation: Operation): Scope[] {
  const texts = (operation['security'] as readonly { readonly secretKey?: readonly string[] }[]).flatMap(
    ({ secretKey = [] }) => secretKey,
  );
  return texts.map((text) => {
    const [of, verb] = text.split(':');
    return { of, verb } as Scope;
  });
}

function inputSchema(parameters: readonly Parameter[], body: object | undefined): Tool['inputSchema'] {
  const properties = parameters.map(({ name, description, schema }) => [name, { description, ...schema }] as const);
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...(body ? { body } : {}) },
    required: [...required, ...(body ? ['body'] : [])],
    additionalProperties: false,
  };
}

function urlOf(path: string, parameters: readonly Parameter[], input: Readonly<Record<string, unknown>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input[name];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing: it is a text.`);
    // To a URL they are steps, also as %2E: the request would be another operation's (WHATWG URL, "single-dot" and "double-dot").
    if (value === '.' || value === '..') throw new TypeError(`${name} cannot be ${value}.`);
    return encodeURIComponent(value.toWellFormed());
  });
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) {
    const value = input[name];
    if (place === 'query' && value !== undefined && value !== null)
      query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const text = query.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
