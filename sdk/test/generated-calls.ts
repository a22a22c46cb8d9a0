import type { OpenApiDocument, Operation } from '../../server/src/http/openapi/openapi.ts';

/** What paths name. */
type Parameter =
  | 'objectId'
  | 'detailId'
  | 'bucketName'
  | 'file'
  | 'channelId'
  | 'gatewayId'
  | 'surveyId'
  | 'tag'
  | 'uuid';

/** The input of a call. */
export interface Where {
  readonly headers: Readonly<Record<string, string>>;
  readonly path: Readonly<Record<Parameter, string>>;
  /** Of existing records, by the className of pointers. */
  readonly ids: Readonly<Record<'Beacon' | 'Venue' | 'Floor' | '_Installation' | '_User', string>>;
  readonly email: string;
  readonly password: string;
}

export interface GeneratedCall {
  readonly id: string;
  readonly path: string;
  /** Which of the bodies. */
  readonly body: string;
  readonly call: (at: Where) => Promise<{ readonly status: number; readonly data: unknown }>;
}

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly anyOf?: readonly { readonly type?: string }[] }>>;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
}

/** Members that the rules of an installation do not let a client clear. */
const kept = new Set(['installationId', 'deviceToken']);

/** TypeScript that calls each operation with its example, and with null for each member that can be cleared. */
export function renderCalls(generator: 'fetch' | 'hey' | 'orval', document: OpenApiDocument, baseUrl: string): string {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      bodiesOf(operation).map(([name, body]) => {
        const call = write[generator]({ path, method, operation, body });
        const head = `id: '${operation.operationId}', path: '${path}', body: '${name}'`;
        return `  { ${head}, call: async (at: Where) => {\n    const { data, status } = ${call};\n    return { data, status };\n  } },`;
      }),
    ),
  );
  return `${heads[generator](baseUrl)}\n${shared}\nexport const calls = [\n${calls.join('\n')}\n];\n`;
}

interface One {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly body: string | undefined;
}

/** Operations that remove a token or a record come last; every call has its own record, so the order is free. */
function bodiesOf({ operationId, ...operation }: Operation): [name: string, text: string | undefined][] {
  const content = (operation['requestBody'] as Content | undefined)?.content;
  if (!content) return [['no body', undefined]];
  const json = content['application/json'];
  if (!json) return [['a file', 'new Blob(["text"])']];
  const cleared = Object.entries(json.schema.properties ?? {}).filter(
    ([name, { anyOf = [] }]) => anyOf.some(({ type }) => type === 'null') && !kept.has(name),
  );
  const nothing = Object.fromEntries(cleared.map(([name]) => [name, null]));
  const bodies: [string, string][] = [['its example', literal(operationId, json.example)]];
  if (cleared.length > 0) bodies.push(['nulls', JSON.stringify(nothing)]);
  return [...bodies, ...further(operationId)];
}

/** What a type that is too narrow would refuse. */
function further(operationId: string): [string, string][] {
  if (operationId === 'sendPush')
    return [['where as text', `{ data: { alert: 'a', hall: 3 }, where: '{"channels":"news"}' }`]];
  if (operationId === 'patchBeacon') return [['a part of an object', '{ location: { x: 3, y: 4 } }']];
  if (operationId === 'patchSchema') return [['a column more', `{ column: { a: null, b: { type: 'String' } } }`]];
  if (operationId === 'updateBeacon') return [['more of a place', '{ location: { x: 3, y: 4, floor: 2 } }']];
  return [];
}

/** The example as a literal, with existing records in place of those that it names. */
function literal(operationId: string, example: unknown): string {
  const text = JSON.stringify(example)
    .replace(/"className":"(\w+)","objectId":"[^"]+"/g, `"className":"$1","objectId":at.ids["$1"]`)
    .replace(/"beacons":\["[^"]+"\]/g, `"beacons":[at.ids["Beacon"]]`)
    .replace(/"beacon":"[^"]+"/g, `"beacon":at.ids["Beacon"]`)
    .replace(/"installationId":"[^"]+"/g, `"installationId":at.email`);
  if (operationId === 'signIn') return '{ email: at.email, password: at.password }';
  if (['signUp', 'forgotPassword', 'requestSignInLink', 'requestVerification'].includes(operationId))
    return text.replace(/"email":"[^"]+"/, '"email":"new-".concat(at.email)');
  if (/^(update|patch)Installation$/.test(operationId)) return text.replace(/"installationId":[^,]+,/, '');
  return text;
}

const paramsOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

function queryOf({ operation }: One): string | undefined {
  const names = ((operation['parameters'] ?? []) as { name: string; in: string }[]).filter((one) => one.in === 'query');
  if (names.some(({ name }) => name === 'interval')) return `{ interval: 'day' as const }`;
  if (names.some(({ name }) => name === 'skip')) return `{ where: '{}', skip: 0, limit: 1, count: 1 as const }`;
  return names.length > 0 ? '{}' : undefined;
}

const objectOf = (parts: Readonly<Record<string, string | undefined>>) =>
  `{ ${Object.entries(parts)
    .flatMap(([name, text]) => (text === undefined ? [] : [`${name}: ${text}`]))
    .join(', ')} }`;

const pathOf = (path: string) =>
  paramsOf(path).length > 0
    ? objectOf(Object.fromEntries(paramsOf(path).map((name) => [name, `at.path.${name}`])))
    : undefined;

const isFile = ({ body }: One): boolean => body?.startsWith('new Blob') ?? false;
const headersOf = (one: One) => (isFile(one) ? `{ ...at.headers, 'Content-Type': 'image/png' }` : 'at.headers');

const write: Readonly<Record<'fetch' | 'hey' | 'orval', (one: One) => string>> = {
  fetch(one) {
    const params = objectOf({ path: pathOf(one.path), query: queryOf(one) });
    const options = objectOf({
      headers: headersOf(one),
      params: params === '{  }' ? undefined : params,
      // openapi-typescript knows no type for bytes; its documentation says to send them like this.
      body: isFile(one) ? `${one.body} as never, bodySerializer: (body: unknown) => body as never` : one.body,
    });
    const parse = one.operation.operationId === 'streamEvents' ? `parseAs: 'stream', ` : '';
    return `told(await client.${one.method.toUpperCase()}('${one.path}', { ${parse}${options.slice(2)}))`;
  },
  hey(one) {
    const options = objectOf({
      client: 'client',
      headers: headersOf(one),
      path: pathOf(one.path),
      query: queryOf(one),
      body: one.body,
    });
    const call = `await sdk.${one.operation.operationId}(${options})`;
    return one.operation.operationId === 'streamEvents' ? `{ data: ${call}, status: 200 }` : `told(${call})`;
  },
  orval(one) {
    const query = one.operation.operationId === 'streamEvents' ? '{}' : queryOf(one);
    const args = [...paramsOf(one.path).map((name) => `at.path.${name}`), one.body, query];
    return `await sdk.${one.operation.operationId}(${[...args.filter(Boolean), `{ headers: ${headersOf(one)} }`].join(', ')})`;
  },
};

const heads: Readonly<Record<'fetch' | 'hey' | 'orval', (baseUrl: string) => string>> = {
  fetch: (baseUrl) =>
    `import createClient from 'openapi-fetch';\nimport type { paths } from './schema';\n` +
    `const client = createClient<paths>({ baseUrl: '${baseUrl}' });`,
  hey: (baseUrl) =>
    `import { createClient } from './hey/client';\nimport * as sdk from './hey/sdk.gen';\n` +
    `const client = createClient({ baseUrl: '${baseUrl}' });`,
  orval: () => `import * as sdk from './orval/client';`,
};

const shared = `
type Parameter = 'objectId' | 'detailId' | 'bucketName' | 'file' | 'channelId' | 'gatewayId' | 'surveyId' | 'tag' | 'uuid';
interface Where {
  readonly headers: Readonly<Record<string, string>>;
  readonly path: Readonly<Record<Parameter, string>>;
  readonly ids: Readonly<Record<'Beacon' | 'Venue' | 'Floor' | '_Installation' | '_User', string>>;
  readonly email: string;
  readonly password: string;
}
const told = ({ data, error, response }: { data?: unknown; error?: unknown; response?: Response }) =>
  ({ data: data ?? error, status: response?.status ?? 0 });
`;
