import { type Operations, operations } from './wire.ts';

export type OperationId = keyof Operations;
export type Answer<Id extends OperationId> = Operations[Id]['answer'];

/** What an operation wants to be given: path parameters, a query, a body, or nothing. */
export type Input<Id extends OperationId> = {
  readonly [Part in 'params' | 'query' | 'body' as Operations[Id][Part] extends undefined
    ? never
    : Part]: Operations[Id][Part];
};

export interface Problem {
  readonly field: string;
  readonly problem: string;
}

/** What the service, or the way to it, had against a request. The message is a sentence for people. */
export class ApiError extends Error {
  readonly status: number;
  readonly details: readonly Problem[];
  readonly requestId: string;

  constructor(
    name: string,
    message: string,
    rest: { status: number; details?: readonly Problem[]; requestId?: string },
  ) {
    super(message);
    this.name = name;
    this.status = rest.status;
    this.details = rest.details ?? [];
    this.requestId = rest.requestId ?? '';
  }
}

interface Loose {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** Calls one operation of the management interface. @throws ApiError */
export async function call<Id extends OperationId>(
  id: Id,
  ...[input]: keyof Input<Id> extends never ? [] : [input: Input<Id>]
): Promise<Answer<Id>> {
  const { method, path } = operations[id];
  const { params = {}, query = {}, body } = (input ?? {}) as Loose;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  const response = await send(`/console/api${filled}${search}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw asError(response.status, answer);
  return answer as Answer<Id>;
}

async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch {
    throw new ApiError('Unreachable', 'The service does not answer. Is it running, and are you online?', { status: 0 });
  }
}

function asError(status: number, answer: unknown): ApiError {
  const { error } = (answer ?? {}) as {
    error?: { name: string; error: string; details?: readonly Problem[]; requestId?: string };
  };
  if (!error)
    return new ApiError('Unreadable', `The service answered with ${status} and nothing readable.`, { status });
  const { name, error: message, details = [], requestId = '' } = error;
  return new ApiError(name, message, { status, details, requestId });
}
