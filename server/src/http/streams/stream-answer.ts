import type { FastifyReply } from 'fastify';

export const eventStreamType = 'text/event-stream';

export interface StreamHead {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An answer that is produced while it is sent: server-sent events (WHATWG HTML, 9.2), which continue until one side
 * disconnects, or with another `head` a document that is too long to be held.
 */
export class StreamAnswer {
  readonly open: (signal: AbortSignal) => AsyncIterable<string>;
  readonly head: StreamHead;

  /**
   * `open` yields whole events, or pieces of the document, as text and ends when the signal aborts. It is read only as fast as
   * the client reads.
   */
  constructor(open: (signal: AbortSignal) => AsyncIterable<string>, head: StreamHead = { type: eventStreamType }) {
    this.open = open;
    this.head = head;
  }
}

/** How often the service checks whether the caller may still listen. */
const recheckMs = 2_000;
/** A client that reads nothing for this long is disconnected. */
const stallMs = 10_000;

export interface StreamOptions {
  /** Rejects or returns false when the caller may no longer listen. */
  readonly mayListen: () => Promise<unknown>;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/** Sends until the client is gone, stops reading, may no longer listen, or the service stops. */
export function sendStream(reply: FastifyReply, answer: StreamAnswer, sending: StreamOptions): FastifyReply {
  const over = new AbortController();
  const { raw } = reply;
  const headers = {
    ...reply.getHeaders(),
    'content-type': `${answer.head.type}; charset=utf-8`,
    'cache-control': 'no-store',
    ...answer.head.headers,
    // Tells nginx and similar proxies to forward each event as it comes.
    'x-accel-buffering': 'no',
  };
  reply.hijack();
  raw.writeHead(200, headers as Record<string, string>);
  // At once: a client waits for the head before it reports that it is connected.
  raw.flushHeaders();
  const end = () => over.abort();
  raw.on('close', end).on('error', end);
  sending.stopping.addEventListener('abort', end);
  const timer = setInterval(() => {
    sending.mayListen().then((may) => (may === false ? end() : undefined), end);
  }, recheckMs);
  timer.unref();
  void pump(reply, answer.open(over.signal), over).then((isWhole) => {
    clearInterval(timer);
    sending.stopping.removeEventListener('abort', end);
    end();
    // Half of a document must not look like all of it.
    if (!isWhole && answer.head.type !== eventStreamType) raw.destroy();
    raw.end();
    // Events that the client has not read are not awaited.
    if (raw.writableNeedDrain) raw.destroy();
  });
  return reply;
}

/** For HEAD: as if the client had hung up at once, so that the answer's resources are freed. */
export async function skipStream(answer: StreamAnswer): Promise<void> {
  for await (const _ of answer.open(AbortSignal.abort()));
}

/** Whether all of it was sent. */
async function pump(
  { raw, log }: FastifyReply,
  chunks: AsyncIterable<string>,
  over: AbortController,
): Promise<boolean> {
  try {
    for await (const chunk of chunks) {
      if (over.signal.aborted) return false;
      if (!raw.write(chunk) && !(await drained(raw, over.signal))) {
        raw.destroy();
        return false;
      }
    }
    return true;
  } catch (error) {
    log.error({ err: error }, 'streaming');
    // The head is sent; all that is left is to end. The client reconnects and continues where it was.
    return false;
  }
}

/** False when it took too long, or it is over. */
function drained(raw: FastifyReply['raw'], signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (isDrained: boolean) => {
      clearTimeout(timer);
      raw.off('drain', drain);
      signal.removeEventListener('abort', abort);
      resolve(isDrained);
    };
    const drain = () => done(true);
    const abort = () => done(false);
    const timer = setTimeout(abort, stallMs);
    raw.once('drain', drain);
    signal.addEventListener('abort', abort, { once: true });
  });
}
