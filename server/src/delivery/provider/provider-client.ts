import { isIP, type LookupFunction } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { isAborted } from '../../base/flow/late-abort.ts';
import { presentTracer, traced, traceHeader } from '../../base/telemetry/tracing.ts';
import { Http1Client } from './http1-client.ts';
import type { Http2Session, StreamEnd } from './http2-session.ts';
import type { NoAnswer, ProviderAnswer, ProviderRequest } from './provider-answer.ts';

interface TlsOptions {
  /** Certificates in PEM to trust instead of the public ones. */
  readonly ca?: string;
  readonly lookup?: LookupFunction;
  readonly timeoutMs: number;
  /** Also offers HTTP/1.1. */
  readonly http1: boolean;
}

/** Connects and negotiates; `alpnProtocol` is the agreed protocol. Rejects with the error. */
function connectTls(origin: URL, options: TlsOptions): Promise<TLSSocket> {
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(origin.port) || 443,
      ...(isIP(host) ? {} : { servername: host }),
      ALPNProtocols: options.http1 ? ['h2', 'http/1.1'] : ['h2'],
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    });
    const timer = setTimeout(
      () => socket.destroy(new Error(`${origin.host} did not accept a connection within ${options.timeoutMs} ms`)),
      options.timeoutMs,
    );
    const failed = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    socket.setNoDelay(true);
    socket.on('error', failed);
    socket.once('close', () => failed(new Error(`${origin.host} closed the connection`)));
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      socket.removeAllListeners('error').removeAllListeners('close');
      // Until its owner listens for errors.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `callback` when the signal aborts. It uses one listener per signal however many callers wait: an EventTarget
 * walks all its listeners to add one, which a thousand sends under one signal would pay a thousand times.
 *
 * @returns a function that removes the callback
 */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let callbacks = listeners.get(signal);
  if (!callbacks) {
    const all = new Set<() => void>();
    signal.addEventListener(
      'abort',
      () => {
        for (const each of all) each();
        all.clear();
      },
      { once: true },
    );
    listeners.set(signal, all);
    callbacks = all;
  }
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

export interface ProviderClientOptions {
  readonly origin: string;
  /** From the call to the answer, including the wait for a free stream (ms). */
  readonly timeoutMs: number;
  readonly connections: number;
  readonly ca?: string;
  readonly lookup?: LookupFunction;
  /** Falls back to HTTP/1.1 if the server does not support HTTP/2. */
  readonly http1?: boolean;
}

interface Call {
  readonly request: ProviderRequest;
  readonly signal: AbortSignal;
  readonly deadline: number;
  readonly end: (answer: ProviderAnswer | NoAnswer) => void;
  /** Undefined while it waits for a free stream. */
  session: Http2Session | undefined;
  sentAt: number;
  tries: number;
  cancel: () => void;
}

const triesAtMost = 3;
const sweepMs = 100;
const growAgainMs = 5_000;

/**
 * Requests to one origin over a few HTTP/2 connections. Never more at once than the provider accepts; the others wait
 * in order. A request that the provider has not processed (a refused stream, a GOAWAY) is sent again at once; any other
 * break is reported to the caller.
 */
export class ProviderClient {
  readonly #options: ProviderClientOptions;
  readonly #origin: URL;
  readonly #sessions = new Set<Http2Session>();
  /** In the order of their deadlines, since every call has the same time limit. */
  readonly #calls = new Set<Call>();
  #waiting: Call[] = [];
  #sweep: NodeJS.Timeout | undefined;
  #connecting: Promise<void> | undefined;
  #growAfter = 0;
  #http1: Http1Client | undefined;
  #closed = false;
  #idle: (() => void) | undefined;

  constructor(options: ProviderClientOptions) {
    this.#options = options;
    this.#origin = new URL(options.origin);
  }

  get busy(): number {
    return this.#calls.size;
  }

  send(request: ProviderRequest, signal: AbortSignal): Promise<ProviderAnswer | NoAnswer> {
    if (!presentTracer()) return this.#send(request, signal);
    return traced(
      () => ({ name: 'push POST', kind: 'client', attributes: { 'server.address': this.#origin.host } }),
      () => this.#send({ ...request, headers: { ...request.headers, ...traceHeader() } }, signal),
    );
  }

  #send(request: ProviderRequest, signal: AbortSignal): Promise<ProviderAnswer | NoAnswer> {
    if (isAborted(signal) || this.#closed) {
      return Promise.resolve({ noAnswer: 'stopped', text: 'the service is stopping' });
    }
    return new Promise((resolve) => {
      const call: Call = {
        request,
        signal,
        deadline: performance.now() + this.#options.timeoutMs,
        end: (answer) => {
          if (!this.#calls.delete(call)) return;
          forget();
          if (this.#calls.size === 0) this.#rest();
          resolve(answer);
        },
        session: undefined,
        sentAt: 0,
        tries: 0,
        cancel: () => undefined,
      };
      const forget = onAbort(signal, () => this.#giveUp(call, { noAnswer: 'stopped', text: 'the send was stopped' }));
      this.#calls.add(call);
      this.#sweep ??= setInterval(() => this.#endOverdue(), sweepMs);
      this.#dispatch(call);
    });
  }

  /** Waits for the calls in progress, then closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#calls.size > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await this.#connecting;
    this.#http1?.close();
    for (const session of this.#sessions) session.retire();
    await Promise.all([...this.#sessions].map(({ closed }) => closed));
  }

  #rest(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    this.#idle?.();
  }

  #dispatch(call: Call): void {
    const session = this.#roomiest();
    if (this.#http1) this.#sendHttp1(this.#http1, call);
    else if (session) this.#start(call, session);
    else {
      this.#waiting.push(call);
      this.#grow();
    }
  }

  #roomiest(): Http2Session | undefined {
    let best: Http2Session | undefined;
    for (const session of this.#sessions) {
      if (session.room > 0 && (!best || session.open < best.open)) best = session;
    }
    return best;
  }

  #start(call: Call, session: Http2Session): void {
    // While it waited for its turn it may have become somebody else's.
    if (isAborted(call.signal)) return;
    call.session = session;
    call.sentAt = performance.now();
    call.tries++;
    call.cancel = session.request(call.request, (end) => this.#ended(call, end));
  }

  #ended(call: Call, end: StreamEnd): void {
    if ('answer' in end) call.end(end.answer);
    else if (end.refused && call.tries < triesAtMost && this.#calls.has(call)) this.#dispatch(call);
    else call.end({ noAnswer: 'broken', text: `${this.#origin.host}: ${end.text}` });
    this.#drain();
  }

  /** Gives free streams to waiting calls, oldest first. */
  #drain(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    let taken = 0;
    for (; taken < waiting.length; taken++) {
      const call = waiting[taken] as Call;
      if (!this.#calls.has(call)) continue;
      const session = this.#roomiest();
      if (!session) break;
      this.#start(call, session);
    }
    if (taken > 0) waiting.splice(0, taken);
    if (waiting.length > 0) this.#grow();
  }

  #sendHttp1(client: Http1Client, call: Call): void {
    if (isAborted(call.signal)) return;
    call.cancel = client.request(call.request, (answer) => call.end(answer));
  }

  /** Another connection, one at a time. */
  #grow(): void {
    const live = this.#live();
    if (this.#connecting || live >= this.#options.connections) return;
    if (live > 0 && performance.now() < this.#growAfter) return;
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined;
      this.#drain();
    });
  }

  async #connect(): Promise<void> {
    try {
      // A service that sends no pushes starts without Node's HTTP/2.
      const { Http2Session } = await import('./http2-session.ts');
      const socket = await connectTls(this.#origin, { ...this.#options, http1: this.#options.http1 ?? false });
      if (socket.alpnProtocol !== 'h2') {
        socket.destroy();
        return this.#fallBack();
      }
      const session = await Http2Session.open(socket, this.#origin);
      this.#sessions.add(session);
      void session.closed.then(() => {
        this.#sessions.delete(session);
        this.#drain();
      });
    } catch (error) {
      this.#growAfter = performance.now() + growAgainMs;
      if (this.#live() === 0) this.#failWaiting(error as NodeJS.ErrnoException);
    }
  }

  /** Connections that accept requests; others only finish theirs. */
  #live(): number {
    let live = 0;
    for (const session of this.#sessions) if (!session.retired) live++;
    return live;
  }

  #fallBack(): void {
    if (!this.#options.http1) throw new Error(`${this.#origin.host} does not support HTTP/2`);
    this.#http1 = new Http1Client(this.#origin, this.#options);
    for (const call of this.#waiting.splice(0)) if (this.#calls.has(call)) this.#sendHttp1(this.#http1, call);
  }

  #failWaiting({ code, message }: NodeJS.ErrnoException): void {
    const noAnswer = code === 'ERR_ADDRESS_NOT_PUBLIC' ? 'refused' : 'unreachable';
    for (const call of this.#waiting.splice(0))
      call.end({ noAnswer, text: `no connection to ${this.#origin.host}: ${message}` });
  }

  #endOverdue(): void {
    const now = performance.now();
    for (const call of this.#calls) {
      if (call.deadline > now) return;
      // Nothing was received since it was sent: the connection may be dead, so the next calls use another.
      if (call.session && call.session.heardAt < call.sentAt) call.session.retire();
      const text = `${this.#origin.host} did not answer within ${this.#options.timeoutMs} ms`;
      this.#giveUp(call, { noAnswer: 'timeout', text });
    }
  }

  #giveUp(call: Call, answer: NoAnswer): void {
    call.end(answer);
    call.cancel();
  }
}
