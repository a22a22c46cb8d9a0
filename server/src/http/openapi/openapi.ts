import { type TSchema, Type } from 'typebox';
import { catalogue, type ErrorEntry, type ErrorName } from '../../base/errors.ts';
import type { ConsoleAnswer } from '../answers.ts';
import { apiPrefix } from '../api.ts';
import { consolePrefix } from '../console/console-api.ts';
import type { ConsoleEndpoint } from '../console/console-endpoint.ts';
import type { Endpoint, Grant } from '../endpoint.ts';
import { grantOf, scopesOf } from '../grants.ts';

export interface OpenApiOptions {
  readonly endpoints: readonly Endpoint[];
  readonly version: string;
  readonly serverUrl: string;
  /** As `webhooksOf` makes them. */
  readonly webhooks?: Json;
}

export type Json = Readonly<Record<string, unknown>>;

export interface OpenApiDocument extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

export interface Operation extends Json {
  readonly operationId: string;
  readonly summary: string;
  readonly tags?: readonly string[];
  readonly responses: Readonly<Record<string, Json>>;
}

const always: readonly ErrorName[] = [
  'CredentialsMissing',
  'InvalidCredentials',
  'APICallLimit',
  // A secret key without the scope.
  'OperationForbidden',
  'Timeout',
  'InternalServerError',
];
const withJsonBody: readonly ErrorName[] = ['InvalidJSON', 'UnsupportedMediaType', 'ObjectTooLarge'];

const errorSchema = Type.Object({
  error: Type.Object({
    code: Type.Integer(),
    error: Type.String({ description: 'What is wrong and what to do, as a sentence' }),
    name: Type.String({ description: 'The name of the error in the catalogue' }),
    status: Type.Integer(),
    requestId: Type.String({ description: 'Finds the request in the log of the service' }),
    details: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), problem: Type.String() }), { description: 'Every broken rule' }),
    ),
    mayBeDone: Type.Optional(
      Type.Boolean({
        description:
          'True where the request may have been carried out all the same, because the database was lost before it confirmed this',
      }),
    ),
    challenge: Type.Optional(
      Type.String({
        description: 'Of a sign-in that needs a second factor: what POST /users/signin/factor goes on with',
      }),
    ),
  }),
  code: Type.Integer({ description: 'The same code again, for clients that read it here' }),
});

/** The OpenAPI 3.1 document of the interface, made from the same declarations that route and validate. */
export function buildOpenApi({ endpoints, version, serverUrl, webhooks }: OpenApiOptions): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pharos',
      version,
      summary: 'A backend for apps that use proximity beacons',
      description:
        'Every request carries the two credential headers of an app; servers send a secret key instead of the app key. Single records come as `{"result": …}`, lists as ' +
        '`{"results": […]}`. Changes to this version are additions only.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: tagsOf(endpoints),
    paths: pathsOf(
      apiPrefix,
      endpoints.map((endpoint) => ({
        ...endpoint,
        tags: [endpoint.tag.name],
        security: security(endpoint),
        failures: failures(errorsOf(endpoint)),
      })),
    ),
    ...(webhooks ? { webhooks } : {}),
    components: { schemas: { Error: plain(errorSchema) }, securitySchemes },
  };
}

export function buildConsoleOpenApi(endpoints: readonly ConsoleEndpoint[], version: string): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pharos console',
      version,
      summary: 'What the management console calls; it changes with it',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [],
    paths: pathsOf(
      consolePrefix,
      endpoints.map((endpoint) => ({
        ...endpoint,
        answer: { description: 'Done', ...endpoint.answer },
        security: endpoint.permission === 'public' ? [] : [{ session: [] }],
        failures: {
          '4XX': {
            description: endpoint.needsConfirmation ? 'Refused: ConfirmationNeeded, …' : 'Refused',
            content: errorContent,
          },
        },
      })),
    ),
    components: {
      schemas: { Error: plain(errorSchema) },
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'pharos', description: aboutSession } },
    },
  };
}

const aboutSession = "The session; the name ends in a dash and eight letters of the database's own";
const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

/** What an operation is documented from. */
interface Documented
  extends Pick<Endpoint, 'method' | 'path' | 'operationId' | 'summary' | 'description' | 'parameters' | 'query'>,
    Pick<Endpoint, 'takesIfMatch' | 'repeat' | 'takesKey' | 'takesInstallationSecret' | 'takesStream'>,
    Pick<Endpoint, 'otherAnswer' | 'hasEntityTag' | 'isKept'> {
  readonly answer: ConsoleAnswer & Pick<Endpoint['answer'], 'type' | 'description'>;
  readonly body?: { readonly schema: TSchema; readonly example: unknown } | undefined;
  readonly tags?: readonly string[];
  readonly security: readonly object[];
  readonly failures: Readonly<Record<string, Json>>;
}

function pathsOf(prefix: string, all: readonly Documented[]): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const one of all) {
    const path = prefix + one.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operation(one) };
  }
  return paths;
}

/** Each tag once, in the order of a reader's interest. */
function tagsOf(endpoints: readonly Endpoint[]): OpenApiDocument['tags'] {
  const tags = new Map(endpoints.map(({ tag }) => [tag.name, tag]));
  return [...tags.values()].sort((a, b) => a.place - b.place).map(({ name, description }) => ({ name, description }));
}

const securitySchemes = {
  appId: { type: 'apiKey', in: 'header', name: 'X-Service-AppId', description: 'The id of the app' },
  appKey: { type: 'apiKey', in: 'header', name: 'X-Service-AppKey', description: 'A key of the app' },
  secretKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-AppKey',
    description:
      'A secret key of a gateway, an integration or a server. What stands beside it is the scope that it needs.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The access token from signing in' },
};

const appOnly = { appId: [], appKey: [] };
const withBearer = { ...appOnly, bearer: [] };

function security(endpoint: Endpoint): readonly object[] {
  const withSecretKey = scopesOf(endpoint).map(({ of, verb }) => ({ appId: [], secretKey: [`${of}:${verb}`] }));
  return [...withoutSecretKey(grantOf(endpoint)), ...withSecretKey];
}

function withoutSecretKey(grant: Grant): readonly object[] {
  if (grant === 'app') return [appOnly];
  return grant === 'visitor' || grant === 'phone' ? [appOnly, withBearer] : [withBearer];
}

/** Every error that the endpoint can return, in the order of the checks. */
export function errorsOf(endpoint: Endpoint): readonly ErrorName[] {
  const names: ErrorName[] = [...always];
  // The app's rules can be stricter than the default.
  const isRuled = typeof endpoint.grant !== 'string';
  if (isRuled || !['app', 'phone'].includes(grantOf(endpoint))) names.push('InvalidSessionToken');
  names.push(...endpoint.errors);
  // A parameter that is given twice.
  if (endpoint.query?.length) names.push('InvalidQuery');
  if (endpoint.takesIfMatch) names.push('PreconditionFailed');
  if (endpoint.repeat || endpoint.takesKey) names.push('DuplicateValue');
  if (endpoint.takesKey) names.push('ValidationError');
  if (endpoint.body) names.push(...withJsonBody);
  return [...new Set(names)];
}

function operation(endpoint: Documented): Operation {
  const body = requestBody(endpoint);
  const parameters = [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)];
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    ...(endpoint.tags ? { tags: endpoint.tags } : {}),
    security: endpoint.security,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: { ...success(endpoint), ...endpoint.failures },
  };
}

function pathParameters(endpoint: Documented): Json[] {
  return [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: endpoint.parameters?.[name] ?? `The ${name} of the record`,
    schema: { type: 'string' },
  }));
}

function queryParameters(endpoint: Documented): Json[] {
  return (endpoint.query ?? []).map(({ name, description, schema, example }) => ({
    name,
    in: 'query',
    description,
    schema: plain(schema),
    ...(example === undefined ? {} : { example }),
  }));
}

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the version that the change is based on. If the record has changed since, nothing is done and the ' +
    'answer is 412. Without it, the change is made in any case.',
  schema: { type: 'string' },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A text of your own that names this request, such as a UUID. A request that is sent again with the same key and ' +
    'body within a day is done once; if it was done before, the answer has the header `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const installationSecret = {
  name: 'Installation-Secret',
  in: 'header',
  description:
    'The secret that the phone has made for its installation: 32 to 128 random letters, digits, dashes and underscores. It ' +
    'proves that the request comes from that phone.',
  schema: { type: 'string' },
};

function headerParameters({ takesIfMatch, repeat, takesKey, takesInstallationSecret }: Documented): Json[] {
  return [
    ...(takesIfMatch ? [ifMatch] : []),
    ...(repeat || takesKey ? [idempotencyKey] : []),
    ...(takesInstallationSecret ? [installationSecret] : []),
  ];
}

function requestBody(endpoint: Documented): Json | undefined {
  const { takesStream } = endpoint;
  if (takesStream) {
    return {
      required: true,
      description:
        takesStream !== true
          ? takesStream.description
          : 'The file itself. The Content-Type of the request is stored as the type of the file: send `image/png` for a ' +
            'picture, or the picture is offered for download instead of being shown.',
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    };
  }
  if (!endpoint.body) return undefined;
  return {
    required: true,
    content: { 'application/json': { schema: plain(endpoint.body.schema), example: endpoint.body.example } },
  };
}

const tagHeader = {
  ETag: { description: 'Names this version of the record, for If-Match', schema: { type: 'string' } },
};

function success({ method, answer, otherAnswer, ...endpoint }: Documented): Record<string, Json> {
  const hasTag = endpoint.hasEntityTag || (endpoint.takesIfMatch && method !== 'DELETE');
  const answers = otherAnswer ? [answer, otherAnswer] : [answer];
  const unchanged = { 304: { description: 'Unchanged since the version that If-None-Match names.' } };
  const said = Object.fromEntries(
    answers.map(({ status, description, schema, example, type = 'application/json' }) => [
      String(status),
      {
        description,
        ...(hasTag ? { headers: tagHeader } : {}),
        content: { [type]: { schema: plain(schema), example } },
      },
    ]),
  );
  return endpoint.isKept ? { ...said, ...unchanged } : said;
}

/** One response per status; each error with that status is an example. */
function failures(names: readonly ErrorName[]): Record<string, Json> {
  const byStatus = Map.groupBy(
    names.map((name) => catalogue[name]),
    ({ status }) => String(status),
  );
  return Object.fromEntries(
    [...byStatus].map(([status, entries]) => [
      status,
      {
        description: entries.map(({ name, code }) => `${name} (${code})`).join(', '),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(entries.map((entry) => [entry.name, { value: errorExample(entry) }])),
          },
        },
      },
    ]),
  );
}

function errorExample({ name, status, code, meaning }: ErrorEntry): object {
  return { error: { code, error: meaning, name, status, requestId: 'k3v9x1a' }, code };
}

/**
 * TypeBox marks its schemas with symbols and hidden members; a JSON round trip leaves the JSON Schema. An object that
 * names no members accepts any. The form of the names in a map is stated with `propertyNames`, because client
 * generators ignore `patternProperties`.
 */
export function plain(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema), (_name, value: unknown) => {
    const { type, properties, patternProperties, ...others } = (value ?? {}) as {
      type?: unknown;
      properties?: object;
      patternProperties?: object;
    };
    if (type !== 'object' || Object.keys(properties ?? {}).length > 0) return value;
    const [pattern] = Object.entries(patternProperties ?? {});
    if (pattern) return { type, ...others, propertyNames: { pattern: pattern[0] }, additionalProperties: pattern[1] };
    return { additionalProperties: true, ...(value as object) };
  }) as Json;
}
