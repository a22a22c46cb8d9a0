import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { ProviderAnswer, ProviderRequest } from './provider-answer.ts';

/**
 * How one request on a session ended. `refused`: the provider has not processed it, so it may be sent again at once.
 */
export type StreamEnd = { readonly answer: ProviderAnswer } | { readonly refused: boolean; readonly text: string };

const maxBody = 64 * 1024;
const pingAfterMs = 30_000;
const closeAfterIdlePings = 10;

/** One HTTP/2 connection: counts its streams, keeps itself alive while idle and closes after five idle minutes. */
export class Http2Session {
  /** No new requests: it is closing or gone. */
  retired = false;
  open = 0;
  /** When the provider was last heard from on it (`performance.now()`). */
  heardAt = performance.now();
  readonly #session: ClientHttp2Session;
  readonly #socket: TLSSocket;
  readonly #authority: string;
  readonly #pings: NodeJS.Timeout;
  #idlePings = 0;
  #goodbye = '';
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;

  private constructor(session: ClientHttp2Session, socket: TLSSocket, authority: string) {
    this.#session = session;
    this.#socket = socket;
    this.#authority = authority;
    this.#pings = setInterval(() => this.#keepAlive(), pingAfterMs).unref();
    session.on('goaway', (code: number, _last: number, data?: Uint8Array) => {
      this.retire();
      this.#goodbye = `the provider closed the connection (GOAWAY ${code}) ${data ? Buffer.from(data) : ''}`;
    });
    session.on('error', (error) => {
      this.retired = true;
      this.#goodbye ||= error.message;
    });
    this.closed = new Promise((resolve) => {
      session.once('close', () => {
        this.retired = true;
        clearInterval(this.#pings);
        resolve();
      });
    });
  }

  /** Resolves when the provider has sent its settings; they include how many concurrent requests it accepts. */
  static open(socket: TLSSocket, origin: URL): Promise<Http2Session> {
    return new Promise((resolve, reject) => {
      const session = connect(origin, { createConnection: () => socket, settings: { enablePush: false } });
      const wrapped = new Http2Session(session, socket, origin.host);
      session.once('remoteSettings', () => resolve(wrapped));
      session.once('close', () => reject(new Error(wrapped.#goodbye || `${origin.host} closed the connection`)));
    });
  }

  /** How many more requests the provider accepts now. */
  get room(): number {
    if (this.retired || this.#session.closed) return 0;
    return (this.#session.remoteSettings.maxConcurrentStreams ?? 100) - this.open;
  }

  /** Starts a request; `ended` is called once. Returns a function that cancels it. */
  request(request: ProviderRequest, ended: (end: StreamEnd) => void): () => void {
    let stream: ClientHttp2Stream;
    try {
      // A list, because Node does far less with it than with an object: a third more requests a second.
      const { method = 'POST' } = request;
      const headers = [':method', method, ':authority', this.#authority, ':scheme', 'https', ':path', request.path];
      for (const name in request.headers) headers.push(name, String(request.headers[name]));
      // Node ends a DELETE by itself unless told otherwise.
      stream = this.#session.request(headers, { endStream: false });
    } catch (error) {
      // Closed since the check, or a header that HTTP does not allow.
      const refused = this.#session.closed || this.#session.destroyed;
      if (refused) this.retired = true;
      ended({ refused, text: (error as Error).message });
      return () => undefined;
    }
    this.open++;
    this.#idlePings = 0;
    this.#read(stream, ended);
    stream.end(request.body);
    return () => stream.close(constants.NGHTTP2_CANCEL);
  }

  #read(stream: ClientHttp2Stream, ended: (end: StreamEnd) => void): void {
    let head: ProviderAnswer['headers'] & { ':status'?: number } = {};
    let body = '';
    let answered = false;
    let text = '';
    stream.setEncoding('utf8');
    stream.on('response', (headers) => {
      head = headers;
      this.heardAt = performance.now();
    });
    stream.on('data', (chunk: string) => {
      body += chunk;
      if (body.length > maxBody) stream.destroy(new Error('the answer is too long'));
    });
    stream.on('end', () => {
      answered = head[':status'] !== undefined && stream.rstCode === constants.NGHTTP2_NO_ERROR;
      if (answered) ended({ answer: { status: head[':status'] ?? 0, headers: head, body } });
    });
    stream.on('error', (error) => {
      text = error.message;
    });
    stream.on('close', () => {
      this.open--;
      if (this.retired) this.retire();
      if (answered) return;
      const refused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      ended({ refused, text: this.#goodbye || text || 'the connection was closed before the answer' });
    });
  }

  #keepAlive(): void {
    if (this.open > 0 || this.#session.closed || this.#session.destroyed) return;
    if (++this.#idlePings > closeAfterIdlePings) return void this.retire();
    const silence = setTimeout(() => this.#destroy(), pingAfterMs / 3).unref();
    this.#session.ping(() => clearTimeout(silence));
  }

  /** Accepts no new requests and closes when those in progress have ended. */
  retire(): void {
    this.retired = true;
    if (this.open === 0) setImmediate(() => this.#destroy());
  }

  /** After a GOAWAY the session would wait for the provider to close the connection, which it may never do. */
  #destroy(): void {
    this.#session.destroy();
    this.#socket.destroy();
  }
}
