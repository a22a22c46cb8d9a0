import { errorOfAnswer, PharosError } from './error.ts';
import { type JsonObject, type Operations, operations } from './wire.ts';

export type OperationId = keyof Operations;
export type Answer<Id extends OperationId> = Operations[Id]['answer'];
export type Body<Id extends OperationId> = Operations[Id]['body'];

/** What one operation wants to be given. */
export type Input<Id extends OperationId> = {
  readonly [Part in 'params' | 'body' as Operations[Id][Part] extends undefined ? never : Part]: Operations[Id][Part];
} & (Operations[Id]['query'] extends undefined ? unknown : { readonly query?: Query }) & {
    /** The MIME type of a body that is not JSON. */
    readonly contentType?: string;
  };

/** A query; `where` is an object here and JSON text on the wire. */
export interface Query {
  readonly where?: JsonObject;
  /** Fields joined by commas; a leading minus sign means descending. */
  readonly order?: string;
  readonly skip?: number;
  readonly limit?: number;
  /** 1 asks for `count`, the number of all matches. */
  readonly count?: 0 | 1;
}

/** Calls one operation by its id in the OpenAPI document. @throws PharosError */
export type Call = <Id extends OperationId>(id: Id, input: Input<Id>) => Promise<Answer<Id>>;

export interface Connection {
  /** Where the service is, without `/api/v2`. */
  readonly baseUrl: string;
  readonly appId: string;
  readonly appKey: string;
  readonly token: () => string | undefined;
  readonly fetch: typeof fetch;
}

interface Loose {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
}

export function createCall(connection: Connection): Call {
  return async (id, input) => {
    const { method, path } = operations[id];
    const { params = {}, query = {}, body, contentType } = input as Loose;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const url = `${connection.baseUrl.replace(/\/+$/, '')}/api/v2${filled}${queryText(query)}`;
    const isJson = body !== undefined && contentType === undefined;
    const response = await send(connection, url, {
      method,
      headers: {
        ...headersOf(connection),
        ...(isJson ? { 'Content-Type': 'application/json' } : {}),
        ...typeHeader(contentType),
      },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as RequestInit['body']) }),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw errorOfAnswer(response.status, answer);
    return answer as Answer<typeof id>;
  };
}

function headersOf({ appId, appKey, token }: Connection): Readonly<Record<string, string>> {
  const bearer = token();
  return {
    'X-Service-AppId': appId,
    'X-Service-AppKey': appKey,
    ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
  };
}

function typeHeader(contentType: string | undefined): Readonly<Record<string, string>> {
  return contentType === undefined ? {} : { 'Content-Type': contentType };
}

/** Written by hand, because React Native's URLSearchParams is incomplete. */
function queryText(query: Query): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `${name}=${encodeURIComponent(text)}`;
    });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

async function send(connection: Connection, url: string, request: RequestInit): Promise<Response> {
  try {
    // Called without the object, because a browser's fetch refuses any other `this` than the window.
    const { fetch } = connection;
    return await fetch(url, request);
  } catch (cause) {
    throw new PharosError('The service did not answer.', { name: 'Unreachable', code: 0, status: 0, cause });
  }
}
