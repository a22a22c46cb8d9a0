import { addressOf, type Connection } from './call.ts';
import { errorOfAnswer, PharosError } from './error.ts';
import type { JsonObject } from './wire.ts';

/** Something that has just happened in the app. */
export interface LiveEvent {
  /** Counts up by one for each event of the app. */
  readonly id: number;
  /** `presence.enter`, `message.fired`, `push.progress` and so on. */
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The same as in lists and webhooks. */
  readonly data: JsonObject;
}

export interface LiveOptions {
  readonly onEvent: (event: LiveEvent) => void;
  /** `open`: events come. `waiting`: the connection is gone and is tried again. `closed`: it is over. */
  readonly onState?: (state: 'open' | 'waiting' | 'closed') => void;
  /** Some events between two connections are no longer there: read the lists again. */
  readonly onLost?: () => void;
  /** The service has refused the stream (signed out, no permission); nothing more comes. */
  readonly onRefused?: (error: PharosError) => void;
  /** Goes on behind this event. */
  readonly after?: number;
}

/** An open stream; `close` ends it for good. */
export interface LiveStream {
  close(): void;
}

/** The service sends a comment every 15 s; who hears nothing for so long is not connected any more. */
const silenceMs = 45_000;
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** Too many streams are open, or the service restarts: worth another try. Other refusals are final. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Listens to what happens in an app (`GET /stream`, server-sent events), and goes on after every interruption behind the
 * last event. It reads with `fetch`, because a browser's EventSource cannot send the app's headers; on React Native pass
 * a `fetch` that streams, such as Expo's.
 */
export function openLiveStream(connection: Connection, options: LiveOptions): LiveStream {
  const ending = new AbortController();
  void listen(connection, options, ending.signal);
  return { close: () => ending.abort() };
}

async function listen(connection: Connection, options: LiveOptions, signal: AbortSignal): Promise<void> {
  let after = options.after;
  let failures = 0;
  while (!signal.aborted) {
    try {
      for await (const event of connect(connection, after, signal)) {
        failures = 0;
        if (event.id !== undefined) after = event.id;
        if (event.type === 'ready') options.onState?.('open');
        else if (event.type === 'lost') options.onLost?.();
        else if (event.id !== undefined) tell(options, { ...event, id: event.id });
      }
    } catch (error) {
      if (error instanceof PharosError && error.status >= 400 && !passing.has(error.status)) {
        options.onState?.('closed');
        options.onRefused?.(error);
        return;
      }
    }
    if (signal.aborted) break;
    options.onState?.('waiting');
    const bound = Math.min(longestPauseMs, firstPauseMs * 2 ** failures++);
    await pause(Math.random() * bound, signal);
  }
  options.onState?.('closed');
}

function tell({ onEvent }: LiveOptions, { id, type, text }: RawEvent & { readonly id: number }): void {
  const { timestamp, data } = JSON.parse(text) as Pick<LiveEvent, 'timestamp' | 'data'>;
  onEvent({ id, type, timestamp, data });
}

interface RawEvent {
  readonly id: number | undefined;
  readonly type: string;
  readonly text: string;
}

async function* connect(
  connection: Connection,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<RawEvent> {
  const fetch = connection.fetch ?? globalThis.fetch;
  const watchdog = new AbortController();
  let timer = setTimeout(() => watchdog.abort(), silenceMs);
  const stop = () => watchdog.abort();
  signal.addEventListener('abort', stop);
  try {
    const response = await fetch(connection.url.replace(/\/+$/, '') + addressOf('/stream', { query: { after } }), {
      headers: { ...connection.headers?.(), Accept: 'text/event-stream' },
      ...(connection.credentials ? { credentials: connection.credentials } : {}),
      signal: watchdog.signal,
    });
    if (!response.ok) {
      const answer: unknown = await response.json().catch(() => undefined);
      throw errorOfAnswer(response.status, answer, response.headers.get('Retry-After'));
    }
    if (!response.body)
      throw new PharosError("This platform's fetch cannot stream. Give the client another one.", {
        name: 'NotStreaming',
        code: 0,
        status: 400,
      });
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(stop, silenceMs);
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const event = parseEvent(part);
        if (event) yield event;
      }
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    watchdog.abort();
  }
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
  return { id: id === undefined ? undefined : Number(id), type, text };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
