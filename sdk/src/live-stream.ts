import { following, pause, unlessAborted, within } from './abort.ts';
import { addressOf, type Connection, defaultTimeout, isAnothers, joined, readJson, signedInAsAnother } from './call.ts';
import type { PharosClient } from './client.ts';
import { errorOfAnswer, PharosError } from './error.ts';
import { report, safely } from './report.ts';
import type { JsonObject } from './wire.ts';

/** Something that has just happened in the app. */
export interface LiveEvent {
  /** For managers it counts up by one with each event of the app; for others it only tells where to continue. */
  readonly id: number;
  /** `presence.enter`, `message.fired`, `push.progress` and so on. */
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The same as in lists and webhooks. */
  readonly data: JsonObject;
}

export interface StreamOptions {
  /** `open`: events are coming. `waiting`: the connection is lost and is being tried again. `closed`: it is over. */
  readonly onState?: (state: 'open' | 'waiting' | 'closed') => void;
  /** The service has refused the stream (signed out, no permission); nothing more comes. */
  readonly onRefused?: (error: PharosError) => void;
  /**
   * Receives the exceptions of these functions, and events that could not be read. The stream continues. Without it
   * they reach the platform's `reportError` or its error log.
   */
  readonly onError?: (error: unknown) => void;
}

export interface LiveOptions extends StreamOptions {
  readonly onEvent: (event: LiveEvent) => void;
  /** Some events between two connections are no longer there: read the lists again. */
  readonly onLost?: () => void;
  /** Continues after this event. */
  readonly after?: number;
  /** Only these. Without it all but `position.changed`, which comes as often as phones report. */
  readonly kinds?: readonly string[];
}

/** An open stream; `close` ends it for good. */
export interface LiveStream {
  close(): void;
}

/** The service sends a comment every 15 s; a connection that is silent for this long is broken. */
const silenceMs = 45_000;
const firstPauseMs = 1_000;
const maxPauseMs = 30_000;
/** If the service asks for a longer delay, it is tried again after this one. */
const maxAskedMs = 300_000;
/** Too many streams are open, or the service is restarting: worth another try. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whose streams they are. */
export type Streaming = Pick<PharosClient, 'connection'>;

/**
 * Listens to what happens in an app (`GET /stream`, server-sent events) until it is closed; after every interruption it continues
 * after the last event, and no event comes twice. It reads with `fetch`, because a browser's EventSource cannot send the app's headers; on
 * React Native pass a `fetch` that streams, such as Expo's.
 */
export function openLiveStream(client: Streaming, options: LiveOptions): LiveStream {
  const { after, kinds, onLost, onError } = options;
  return openStream(client, { query: { kinds: kinds?.join(',') }, after: after?.toString() }, options, (event) => {
    if (event.type === 'lost') safely(() => onLost?.(), onError);
    else if (event.type !== 'ready' && event.id !== undefined) tell(options, event, Number(event.id));
  });
}

/** What a stream is asked for, and the event after which it continues. */
export interface Asked {
  readonly query: Readonly<Record<string, unknown>>;
  readonly after?: string | undefined;
}

/** Reads `GET /stream` until it is closed, and after every interruption from the last event that had an id. */
export function openStream(
  { connection }: Streaming,
  asked: Asked,
  options: StreamOptions,
  onRaw: (event: RawEvent) => void,
): LiveStream {
  const ending = new AbortController();
  void listen(connection, asked, options, { signal: ending.signal, onRaw });
  return { close: () => ending.abort() };
}

interface Listening {
  readonly signal: AbortSignal;
  readonly onRaw: (event: RawEvent) => void;
}

async function listen(
  connection: Connection,
  { query, after: first }: Asked,
  options: StreamOptions,
  { signal, onRaw }: Listening,
): Promise<void> {
  const { onError } = options;
  const tellState = (state: 'open' | 'waiting' | 'closed') => safely(() => options.onState?.(state), onError);
  let after = first;
  let failures = 0;
  const owner: Owner = { userId: undefined };
  while (!signal.aborted) {
    let askedMs = 0;
    try {
      let isOpen = false;
      await connect(connection, { after, query, owner }, signal, (event) => {
        failures = 0;
        if (event.id !== undefined) after = event.id;
        if (!isOpen && (event.type === 'ready' || event.type === 'list')) {
          isOpen = true;
          tellState('open');
        }
        safely(() => onRaw(event), onError);
      });
    } catch (error) {
      if (error instanceof PharosError && isFinal(error)) {
        tellState('closed');
        safely(() => options.onRefused?.(error), onError);
        return;
      }
      if (error instanceof PharosError) askedMs = Math.min(maxAskedMs, (error.retryAfter ?? 0) * 1000);
    }
    if (signal.aborted) break;
    tellState('waiting');
    const bound = Math.min(maxPauseMs, firstPauseMs * 2 ** failures++);
    await pause(askedMs + Math.random() * bound, signal);
  }
  tellState('closed');
}

/** Refused by the service itself. Answers of anything else, such as the sign-in page of a network, are temporary. */
const isFinal = ({ name, code, status }: PharosError) =>
  name === 'NotStreaming' || (code !== 0 && status >= 400 && !passing.has(status));

function tell({ onEvent, onError }: LiveOptions, { type, text }: RawEvent, id: number): void {
  let event: LiveEvent;
  try {
    const { timestamp, data } = JSON.parse(text) as Pick<LiveEvent, 'timestamp' | 'data'>;
    event = { id, type, timestamp, data };
  } catch (error) {
    report(error, onError);
    return;
  }
  safely(() => onEvent(event), onError);
}

/** Who has opened it, as soon as that is known: it is not continued as somebody else. */
interface Owner {
  userId: string | undefined;
}

interface Wanted {
  readonly owner: Owner;
  readonly after: string | undefined;
  readonly query: Asked['query'];
}

export interface RawEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly text: string;
}

/** One connection, until it ends. Every wait has a limit; what `onRaw` does is not awaited. */
async function connect(
  connection: Connection,
  wanted: Wanted,
  signal: AbortSignal,
  onRaw: (event: RawEvent) => void,
): Promise<void> {
  const { controller, release } = following(signal);
  const orSilence = <T>(milliseconds: number, work: Promise<T>) =>
    within(milliseconds, unlessAborted(work, signal), () => new Error('The stream is silent.'));
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const response = await orSilence(
      connection.timeout ?? defaultTimeout,
      openAs(connection, wanted, controller.signal),
    );
    if (!response.body)
      throw new PharosError("This platform's fetch cannot stream. Give the client another one.", {
        name: 'NotStreaming',
        code: 0,
        status: 400,
      });
    reader = response.body.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = await orSilence(silenceMs, reader.read());
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const event = parseEvent(part);
        if (event && !signal.aborted) onRaw(event);
      }
    }
  } finally {
    release();
    controller.abort();
    // A fetch that ignores the signal has to release the connection too.
    reader?.cancel().catch(() => undefined);
  }
}

/** As for calls: a token that is refused all the same, since clocks differ, is renewed once. */
async function openAs(connection: Connection, wanted: Wanted, signal: AbortSignal): Promise<Response> {
  const { session } = connection;
  const { owner } = wanted;
  owner.userId ??= session?.userId;
  await session?.ready();
  owner.userId ??= session?.userId;
  const assertOwn = () => {
    if (session && isAnothers(session, owner.userId)) throw signedInAsAnother();
  };
  if (session?.isDue) await session.renew(session.token);
  assertOwn();
  const token = session?.token;
  try {
    return await openOnce(connection, wanted, signal);
  } catch (error) {
    const isOver = error instanceof PharosError && error.name === 'InvalidSessionToken';
    if (!isOver || token === undefined || !(await session?.renew(token))) throw error;
    assertOwn();
    return openOnce(connection, wanted, signal);
  }
}

async function openOnce(connection: Connection, wanted: Wanted, signal: AbortSignal): Promise<Response> {
  const fetch = connection.fetch ?? globalThis.fetch;
  const response = await fetch(
    joined(connection.url, addressOf('/stream', { query: { ...wanted.query, after: wanted.after } })),
    {
      headers: { ...connection.headers?.(), Accept: 'text/event-stream' },
      ...(connection.credentials ? { credentials: connection.credentials } : {}),
      signal,
    },
  );
  if (!response.ok || !/^text\/event-stream\b/i.test(response.headers.get('Content-Type') ?? ''))
    throw errorOfAnswer(response.status, await readJson(response), response.headers.get('Retry-After'));
  return response;
}

/** One block of the stream; undefined for a comment. */
function parseEvent(block: string): RawEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  const [type, text, id] = [fields.get('event'), fields.get('data'), fields.get('id')];
  if (type === undefined || text === undefined) return undefined;
  return { id, type, text };
}
