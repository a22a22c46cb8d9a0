import { errorOfAnswer, PharosError } from './error.ts';
import { delayBefore, isRepeatable, type RetryOptions, withDefaults } from './retry.ts';
import type { Where } from './where.ts';
import type { JsonObject, Operations } from './wire.ts';

/** The types of one operation; a generated module has an interface of them. */
export interface OperationTypes {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly answer: unknown;
}

/** Method and path of each operation, `{name}` standing for parameters. */
export type OperationTable = Readonly<Record<string, { readonly method: string; readonly path: string }>>;

export type OperationId = keyof Operations;
export type Answer<Id extends OperationId> = Operations[Id]['answer'];
export type Body<Id extends OperationId> = Operations[Id]['body'];

/** A query of a list; `where` is an object here and JSON text on the wire. */
export interface Query {
  readonly where?: JsonObject | Where;
  /** Fields joined by commas; a leading minus sign means descending. */
  readonly order?: string;
  readonly skip?: number;
  readonly limit?: number;
  /** 1 asks for `count`, the number of all matches. */
  readonly count?: 0 | 1;
}

type QueryOf<Q> = Q extends { readonly where?: unknown } ? Query : Q;

/** What one operation wants to be given. */
export type InputOf<Types extends OperationTypes> = {
  readonly [Part in 'params' | 'body' as Types[Part] extends undefined ? never : Part]: Types[Part];
} & (Types['query'] extends undefined ? unknown : { readonly query?: QueryOf<Types['query']> }) & {
    /** The MIME type of a body that is not JSON. */
    readonly contentType?: string;
    readonly signal?: AbortSignal;
  };

export type Input<Id extends OperationId> = InputOf<Operations[Id]>;

/** Calls one operation of a table by its id. @throws PharosError */
export type Caller<Ops extends { readonly [Id in keyof Ops]: OperationTypes }> = <Id extends keyof Ops & string>(
  id: Id,
  ...input: Record<never, never> extends InputOf<Ops[Id]> ? [input?: InputOf<Ops[Id]>] : [input: InputOf<Ops[Id]>]
) => Promise<Ops[Id]['answer']>;

/** Calls one operation by its id in the OpenAPI document. @throws PharosError */
export type Call = Caller<Operations>;

export interface Connection {
  /** Where the operations' paths begin, such as `https://pharos.example.org/api/v2`. */
  readonly url: string;
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly credentials?: 'omit' | 'same-origin' | 'include';
  readonly fetch?: typeof fetch;
  readonly retry?: RetryOptions | false;
}

interface Loose {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** The one way to the service: addresses, headers, bodies, repetitions, and errors as {@link PharosError}. */
export function createCaller<Ops extends { readonly [Id in keyof Ops]: OperationTypes }>(
  table: OperationTable,
  connection: Connection,
): Caller<Ops> {
  const retry = withDefaults(connection.retry);
  const call = async (id: string, input: Loose = {}): Promise<unknown> => {
    const operation = table[id];
    if (!operation) throw new TypeError(`There is no operation ${id}.`);
    const attempts = isRepeatable(id, operation.method, input.body) ? retry.attempts : 1;
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendOnce(connection, operation, input);
      } catch (error) {
        const delay = attempt < attempts ? delayBefore(attempt, error, retry) : undefined;
        if (delay === undefined || input.signal?.aborted) throw error;
        await retry.sleep(delay);
      }
    }
  };
  return call as Caller<Ops>;
}

/** Path and query of a call, below the connection's address. */
export function addressOf(path: string, { params = {}, query = {} }: Pick<Loose, 'params' | 'query'>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return filled + queryText(query);
}

async function sendOnce(connection: Connection, { method, path }: OperationTable[string], input: Loose) {
  const { body, contentType, signal } = input;
  const isJson = body !== undefined && contentType === undefined;
  const type = isJson ? 'application/json' : contentType;
  const response = await send(connection, connection.url.replace(/\/+$/, '') + addressOf(path, input), {
    method,
    headers: { ...connection.headers?.(), ...(type === undefined ? {} : { 'Content-Type': type }) },
    ...(connection.credentials ? { credentials: connection.credentials } : {}),
    ...(signal ? { signal } : {}),
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as RequestInit['body']) }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw errorOfAnswer(response.status, answer, response.headers.get('Retry-After'));
  return answer;
}

/** Written by hand, because React Native's URLSearchParams is incomplete. */
function queryText(query: Readonly<Record<string, unknown>>): string {
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
    // Called without an object, because a browser's fetch refuses any other `this` than the window.
    const fetch = connection.fetch ?? globalThis.fetch;
    return await fetch(url, request);
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new PharosError('The service does not answer. Is it running, and are you online?', {
      name: 'Unreachable',
      code: 0,
      status: 0,
      cause,
    });
  }
}
