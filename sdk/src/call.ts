import { following, pause, reasonOf, unlessAborted, within } from './abort.ts';
import { notePlace, noteRepeated, noteTag } from './entity-tag.ts';
import { errorOfAnswer, PharosError } from './error.ts';
import { LostKeys } from './lost-keys.ts';
import { randomId } from './random-id.ts';
import { delayBefore, isRepeatable, type RetryOptions, withDefaults } from './retry.ts';
import type { Where } from './where.ts';
import type { JsonInput, Operations } from './wire.ts';

/** The types of one operation; a generated module has an interface for each. */
export interface OperationTypes {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly answer: unknown;
}

/** What it takes to call an operation, and its types. */
export interface Operation<Types extends OperationTypes = OperationTypes> {
  readonly method: string;
  /** `{name}` stands for parameters. */
  readonly path: string;
  /** The members that every answer has, and their JSON types. */
  readonly answer?: Readonly<Record<string, string>>;
  /** It takes an `Idempotency-Key`. */
  readonly takesKey?: boolean;
  /** It is what a phone reports about itself, with an `Installation-Secret`. */
  readonly takesSecret?: boolean;
  /** For the compiler alone. */
  readonly types?: Types;
}

export type OperationTable = Readonly<Record<string, Operation>>;

export type OperationId = keyof Operations;
export type Answer<Id extends OperationId> = Operations[Id]['answer'];
export type Body<Id extends OperationId> = Operations[Id]['body'];

/** A query of a list; `where` is an object here and JSON text on the wire. */
export interface Query {
  readonly where?: JsonInput | Where;
  /** Fields joined by commas; a leading minus sign means descending. */
  readonly order?: string;
  readonly skip?: number;
  readonly limit?: number;
  /** 1 asks for `count`, the number of all matches. */
  readonly count?: 0 | 1;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, including the waits between tries; it rejects with the signal's reason, as `fetch` does. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds for each try, from the connection to the last byte of the answer; 0 waits without a limit. The
   * client's by default: 30 000, and ten times as long for uploads.
   */
  readonly timeout?: number;
  /**
   * For changes and deletions: the tag of the version that they are based on, from `entityTag`. If the record has changed
   * since, nothing is done and the call fails with `PreconditionFailed`.
   */
  readonly ifMatch?: string | undefined;
  /**
   * For creating records, uploading files and sending pushes: names the request, so that the service carries it out once however often the call is
   * made with the same key and body within a day. Each call has its own key by default, with which it is
   * repeated if its answer is lost. Give one that outlives the process, such as the id of a job, to repeat it yourself.
   */
  readonly idempotencyKey?: string | undefined;
}

type QueryOf<Q> = Q extends { readonly where?: unknown } ? Query : Q;

/** The input of one operation. */
export type InputOf<Types extends OperationTypes> = {
  readonly [Part in 'params' | 'body' as Types[Part] extends undefined ? never : Part]: Types[Part];
} & (Types['query'] extends undefined ? unknown : { readonly query?: QueryOf<Types['query']> }) &
  CallOptions & {
    /** The MIME type of a body that is not JSON. */
    readonly contentType?: string;
  };

export type Input<Id extends OperationId> = InputOf<Operations[Id]>;

type Given<Types extends OperationTypes> =
  Record<never, never> extends InputOf<Types> ? [input?: InputOf<Types>] : [input: InputOf<Types>];

/** Calls one operation. @throws PharosError */
export type Call = <Types extends OperationTypes>(
  operation: Operation<Types>,
  ...input: Given<Types>
) => Promise<Types['answer']>;

/** Calls one operation of a table by its id. @throws PharosError */
export type Caller<Ops extends { readonly [Id in keyof Ops]: OperationTypes }> = <Id extends keyof Ops & string>(
  id: Id,
  ...input: Given<Ops[Id]>
) => Promise<Ops[Id]['answer']>;

export interface Connection {
  /** The start of every operation's address, such as `https://pharos.example.org/api/v2`. */
  readonly url: string;
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Sent with what this phone reports about itself. */
  readonly installationSecret?: () => Promise<string>;
  /** The access token, and how to get another one when it has expired. */
  readonly session?: RenewableSession;
  readonly credentials?: 'omit' | 'same-origin' | 'include';
  readonly fetch?: typeof fetch;
  readonly retry?: RetryOptions | false;
  /** Milliseconds for each try; see {@link CallOptions}. */
  readonly timeout?: number;
  /** Other words for an error, before it is thrown. */
  readonly reword?: (error: PharosError) => PharosError;
  /** See {@link SessionOptions}. */
  readonly repeatedByPeople?: boolean;
}

export interface RenewableSession {
  /** Has read the tokens where they are stored. @throws PharosError */
  ready(): Promise<void>;
  readonly token: string | undefined;
  /** Whose it is, if that is known. */
  readonly userId: string | undefined;
  /** Whether the token is to be renewed before it is sent. */
  readonly isDue: boolean;
  /**
   * Renews a token that the service has refused. Answers whether there is another one now. Calls that need it at the same
   * time wait for one renewal.
   *
   * @throws PharosError when the service does not answer
   */
  renew(refused: string | undefined): Promise<boolean>;
}

interface Loose extends CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly secret?: string | undefined;
}

export const defaultTimeout = 30_000;

/** Calls the operations of a table by their ids. */
export function createCaller<Ops extends { readonly [Id in keyof Ops]: OperationTypes }>(
  table: OperationTable,
  connection: Connection,
): Caller<Ops> {
  const call = createCall(connection) as (operation: Operation, input?: Loose) => Promise<unknown>;
  return (async (id: string, input?: Loose) => {
    const operation = table[id];
    if (!operation) throw new TypeError(`There is no operation ${id}.`);
    return call(operation, input);
  }) as Caller<Ops>;
}

/** Every request goes through here: addresses, headers, bodies, repetitions, and errors as {@link PharosError}. */
export function createCall(connection: Connection): Call {
  const retry = withDefaults(connection.retry);
  const lost = connection.repeatedByPeople ? new LostKeys() : undefined;
  const attemptOnce = async (operation: Operation, input: Loose) => {
    const { installationSecret } = connection;
    const secret =
      installationSecret && operation.takesSecret ? await unlessAborted(installationSecret(), input.signal) : undefined;
    return sendSignedIn(connection, operation, { ...input, secret });
  };
  const call = async (operation: Operation, input: Loose = {}): Promise<unknown> => {
    const { signal } = input;
    const isDeletion = operation.method === 'DELETE';
    // Whoever gives a key repeats the call with it. The service takes none for a deletion: that it was begun is enough.
    const isOwn = input.idempotencyKey === undefined && (operation.takesKey === true || isDeletion);
    const begun = isOwn ? lost?.take(operation, input) : undefined;
    const key = operation.takesKey ? (input.idempotencyKey ?? begun ?? randomId()) : undefined;
    // Repeated after a lost answer, a conditional change would fail because of itself.
    const mayRepeat = key !== undefined || (input.ifMatch === undefined && isRepeatable(operation, input.body));
    const attempts = mayRepeat && !isStream(input.body) ? retry.attempts : 1;
    let mayBeDone = begun !== undefined;
    try {
      for (let attempt = 1; ; attempt++) {
        if (signal?.aborted) throw reasonOf(signal);
        try {
          return await attemptOnce(operation, { ...input, idempotencyKey: key });
        } catch (error) {
          mayBeDone ||= signal?.aborted === true;
          if (signal?.aborted) throw reasonOf(signal);
          if (mayBeDone && isGone(error) && isDeletion) return emptyAnswer(operation);
          mayBeDone ||= error instanceof PharosError && error.mayBeDone;
          const delay = attempt < attempts ? delayBefore(attempt, error, retry) : undefined;
          if (delay === undefined) throw reworded(connection, error);
          await unlessAborted(retry.sleep ? retry.sleep(delay) : pause(delay, signal), signal);
        }
      }
    } catch (error) {
      if (mayBeDone && isOwn) lost?.keep(operation, input, key ?? '');
      throw error;
    }
  };
  return call as Call;
}

const reworded = ({ reword }: Connection, error: unknown) =>
  reword && error instanceof PharosError ? reword(error) : error;

/** After a deletion that may have been done, the next try finds nothing: it has succeeded. */
const isGone = (error: unknown) => error instanceof PharosError && error.status === 404 && error.code === 101;
const emptyAnswer = ({ answer }: Operation) => ({ result: answer?.['result'] === 'array' ? [{}] : {} });

/** Path and query of a call, below the connection's address. */
export function addressOf(path: string, { params = {}, query = {} }: Pick<Loose, 'params' | 'query'>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return filled + queryText(query);
}

/** To signing up and in, and to what is mailed for that, an access token means nothing. */
const isSignedOut = ({ method, path }: Operation) =>
  method === 'POST' && /^\/users(\/(signin|token|email|password)\b.*)?$/.test(path);

/**
 * Renews the access token before it expires: some calls ignore one that has expired, and would forget whose phone it is. If it
 * is refused all the same, nothing was done, and the call is sent once more: as the same user. Somebody else may have signed in meanwhile, here
 * or in another tab.
 */
async function sendSignedIn(connection: Connection, operation: Operation, input: Loose): Promise<unknown> {
  const { session } = connection;
  if (!session || isSignedOut(operation)) return sendOnce(connection, operation, input);
  const renewed = (refused: string | undefined) => unlessAborted(session.renew(refused), input.signal);
  const { userId: known } = session;
  await unlessAborted(session.ready(), input.signal);
  const userId = known ?? session.userId;
  if (session.isDue) await renewed(session.token);
  if (isAnothers(session, userId)) throw signedInAsAnother();
  const { token } = session;
  try {
    return await sendOnce(connection, operation, input);
  } catch (error) {
    const isOver = error instanceof PharosError && error.name === 'InvalidSessionToken';
    if (
      !isOver ||
      token === undefined ||
      isStream(input.body) ||
      !(await renewed(token)) ||
      isAnothers(session, userId)
    )
      throw error;
    return sendOnce(connection, operation, input);
  }
}

/** Whether somebody else is signed in than the user who began. */
export const isAnothers = (session: RenewableSession, userId: string | undefined): boolean =>
  userId !== undefined && session.userId !== undefined && session.userId !== userId;

export const signedInAsAnother = () =>
  new PharosError('Somebody else has signed in since. Nothing was sent.', {
    name: 'InvalidSessionToken',
    code: 209,
    status: 403,
    mayBeDone: false,
  });

/** It can be read once. */
const isStream = (body: unknown) => typeof (body as { readonly getReader?: unknown } | null)?.getReader === 'function';

async function sendOnce(connection: Connection, operation: Operation, input: Loose): Promise<unknown> {
  const { body, contentType, signal, ifMatch, idempotencyKey, secret } = input;
  const isJson = body !== undefined && contentType === undefined;
  const type = isJson ? 'application/json' : contentType;
  const usual = (connection.timeout ?? defaultTimeout) * (body === undefined || isJson ? 1 : 10);
  const address = joined(connection.url, addressOf(operation.path, input));
  const request = {
    method: operation.method,
    headers: {
      ...connection.headers?.(),
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      ...(secret === undefined ? {} : { 'Installation-Secret': secret }),
    },
    ...(connection.credentials ? { credentials: connection.credentials } : {}),
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as RequestInit['body']) }),
    ...(isStream(body) ? { duplex: 'half' as const } : {}),
  };
  return timed(input.timeout ?? usual, signal, async (signal) => {
    const response = await send(connection, address, { ...request, signal });
    const answer = await readJson(response);
    if (!response.ok) throw errorOfAnswer(response.status, answer, response.headers.get('Retry-After'));
    if (!hasShape(answer, operation.answer)) throw notTheService(response.status);
    noteTag(answer, response.headers.get('ETag'));
    noteRepeated(answer, response.headers.get('Idempotency-Replayed'));
    notePlace(answer, response.headers.get('Location'));
    return answer;
  });
}

/**
 * Gives `work` a signal that aborts with the caller's or after the time limit, and then rejects even if `work` continues.
 */
async function timed<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { controller, release } = following(signal);
  const late = () =>
    new PharosError(`The service did not answer within ${milliseconds / 1000} s.`, {
      name: 'TimedOut',
      code: 0,
      status: 0,
    });
  try {
    return await within(milliseconds, unlessAborted(work(controller.signal), signal), late);
  } finally {
    release();
    // Ends the work after a timeout; after an answer it does nothing.
    controller.abort();
  }
}

/** The address below the connection's, whether or not that ends with a slash. */
export const joined = (url: string, rest: string) => url.replace(/\/+$/, '') + rest;

/** Undefined for a body that is not JSON. @throws PharosError Unreachable when the body breaks off */
export async function readJson(response: Response): Promise<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    throw unreachable(cause);
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether an answer has the members that the service always sends for this operation. */
function hasShape(answer: unknown, shape: Operation['answer'] = {}): boolean {
  const isObject = typeof answer === 'object' && answer !== null;
  return (
    isObject && Object.entries(shape).every(([name, type]) => isOfType((answer as JsonInput)[name] as unknown, type))
  );
}

function isOfType(value: unknown, type: string): boolean {
  if (value === undefined) return false;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return typeof value === 'number';
  return type === 'any' || typeof value === type;
}

function notTheService(status: number): PharosError {
  const message =
    'Something other than the service has answered, such as the sign-in page of a network. Whether the call reached the service is unknown.';
  return new PharosError(message, { name: 'Unreadable', code: 0, status });
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
    // Called without an object, because a browser's fetch refuses any `this` other than the window.
    const fetch = connection.fetch ?? globalThis.fetch;
    return await fetch(url, request);
  } catch (cause) {
    throw unreachable(cause);
  }
}

function unreachable(cause: unknown): PharosError {
  return new PharosError('The service does not answer. Is it running, and are you online?', {
    name: 'Unreachable',
    code: 0,
    status: 0,
    cause,
  });
}
