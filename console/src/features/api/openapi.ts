import { queryOptions } from '@tanstack/react-query';
import { t } from '../../lib/words/words.ts';

/** The parts of JSON Schema that the API uses. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Described {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface DocumentOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Described>>;
}

interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
}

export interface ApiOperation extends DocumentOperation {
  readonly method: string;
  /** From the root: `/api/v2/beacons/{objectId}`. */
  readonly path: string;
}

export interface ApiTag {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly ApiOperation[];
}

/** The service's own description of its interface, by tag. */
export const referenceQuery = queryOptions({
  queryKey: ['openapi'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<readonly ApiTag[]> => {
    const answer = await fetch('/openapi.json');
    if (!answer.ok) throw new Error(t('The service does not provide its OpenAPI document.'));
    return byTag((await answer.json()) as OpenApi);
  },
});

function byTag({ tags, paths }: OpenApi): readonly ApiTag[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
  return tags
    .map((tag) => ({ ...tag, operations: operations.filter((operation) => operation.tags.includes(tag.name)) }))
    .filter((tag) => tag.operations.length > 0);
}

/** A member's type and limits in a few words: `string, 1 to 50 characters`. */
export function ruleOf(schema: Schema): string {
  if (schema.enum) return t('one of {list}', { list: schema.enum.join(', ') });
  if (schema.type === 'array') return t('array of {items}', { items: ruleOf(schema.items ?? {}) || t('values') });
  const parts = [schema.type ?? '', lengths(schema.minLength, schema.maxLength), range(schema.minimum, schema.maximum)];
  return parts.filter((part) => part !== '').join(', ');
}

function range(from: number | undefined, to: number | undefined): string {
  if (from !== undefined && to !== undefined) return t('{from} to {to}', { from, to });
  if (to !== undefined) return t('at most {to}', { to });
  return from === undefined ? '' : t('at least {from}', { from });
}

function lengths(from: number | undefined, to: number | undefined): string {
  if (from !== undefined && to !== undefined) return t('{from} to {to} characters', { from, to });
  if (to !== undefined) return t('at most {to} characters', { to });
  return from === undefined ? '' : t('at least {from} characters', { from });
}

/** What an app sends. That a server may send a secret key in its place is not the matter here. */
export function needsOf({ security = [] }: ApiOperation): 'app' | 'maybe' | 'user' {
  const ofApps = security.filter((scheme) => !('secretKey' in scheme));
  const withBearer = ofApps.filter((scheme) => 'bearer' in scheme).length;
  return withBearer === 0 ? 'app' : withBearer === ofApps.length ? 'user' : 'maybe';
}

export const requestBodyOf = ({ requestBody }: ApiOperation): (Media & { readonly type: string }) | undefined => {
  const [first] = Object.entries(requestBody?.content ?? {});
  return first && { type: first[0], ...first[1] };
};

/** A request in the form: parameter values and body text. */
export interface RequestDraft {
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Path and query after `/api/v2`, with the parameters filled in. */
export function requestPath({ path, parameters = [] }: ApiOperation, { values }: RequestDraft): string {
  const filled = path
    .replace(/^\/api\/v2/, '')
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && (values[parameter.name] ?? '') !== '')
    .map(({ name }) => `${name}=${encodeURIComponent(values[name] ?? '')}`);
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

/** In single quotes of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The request as an app sends it, with its own credentials. */
export function draftCurl(
  operation: ApiOperation,
  draft: RequestDraft,
  { origin, appId }: { origin: string; appId: string },
) {
  const body = requestBodyOf(operation);
  const needs = needsOf(operation);
  return [
    `curl${operation.method === 'GET' ? '' : ` -X ${operation.method}`} ${quoted(`${origin}/api/v2${requestPath(operation, draft)}`)}`,
    `-H ${quoted(`X-Service-AppId: ${appId}`)}`,
    "-H 'X-Service-AppKey: YOUR-APP-KEY'",
    ...(needs === 'user' ? ["-H 'Authorization: Bearer ACCESS-TOKEN'"] : []),
    ...(body?.type === 'application/json'
      ? ["-H 'Content-Type: application/json'", `-d ${quoted(compact(draft.body))}`]
      : []),
    ...(body && body.type !== 'application/json' ? ["-H 'Content-Type: image/png'", '--data-binary @FILE'] : []),
  ].join(' \\\n  ');
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
