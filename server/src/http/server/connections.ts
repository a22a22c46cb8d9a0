import type { IncomingMessage, Server } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { clientNetwork } from '../../limits/rate-limit.ts';

export interface ConnectionLimits {
  /** Concurrent connections from one address (IPv6: one /64); 0: no limit. */
  readonly perAddress: number;
  /** Bytes that wait for clients to read them, over all connections. */
  readonly waitingBytes: number;
  /** Within this many milliseconds a client has to send `paceBytes` of a body, or read them of an answer, or finish. */
  readonly paceMs: number;
  readonly paceBytes: number;
  /** How often all connections are checked, in milliseconds. */
  readonly checkMs: number;
}

/** 16 KiB a minute is 2 kbit/s: a tenth of the slowest mobile networks, with room for a pause of most of a minute. */
export const usualPace = Object.freeze({ paceMs: 60_000, paceBytes: 16_384, checkMs: 5_000 });
/** A quarter of the smallest container that the service is meant for. */
export const usualWaitingBytes = 134_217_728;
/** A client that sends nothing of its body for this long is disconnected. */
const bodyIdleMs = 60_000;
/** Smaller answers are not tracked when they are sent. */
const fewBytes = 65_536;

/** What a client still has to read or send, as of the last check. */
interface Progress {
  /** Grows as the client makes progress. */
  done: number;
  /** When the present window began, by the monotonic clock. */
  since: number;
  /** When `done` last grew. */
  movedAt: number;
  /** `done` at the last check. */
  seen: number;
}

const connectionsOf = new WeakMap<Socket, ClientConnections>();

/** Notes what is left to read of an answer. Called for each answer, so it must cost nothing. */
export function noteAnswered(socket: Socket | null): void {
  if (socket !== null && socket.writableLength > fewBytes) connectionsOf.get(socket)?.noteWaiting(socket);
}

/** What is still to be written to a socket of an answer that is sent in pieces. */
const unsent = new WeakMap<Socket, () => number>();

/** A long answer is about to be sent in pieces; `left` tells how many bytes of it have not been given to the socket. */
export function noteSending(socket: Socket | null, left: () => number): void {
  if (socket === null) return;
  unsent.set(socket, left);
  connectionsOf.get(socket)?.noteWaiting(socket);
}

/** Bytes that are in memory for this client. */
function waitingFor(socket: Socket): number {
  return socket.writableLength + (unsent.get(socket)?.() ?? 0);
}

/**
 * Limits what clients can occupy by doing nothing: connections, bodies that never end, answers that nobody reads.
 *
 * - More connections from one address than `perAddress` are refused; trusted proxies are not counted.
 * - A body must arrive, and an answer be read, at a minimum pace. Time in which this service does not read does not
 *   count.
 * - When more than `waitingBytes` wait, the clients that have read nothing for the longest time are disconnected first.
 *
 * None of this happens per request: all connections are checked every few seconds.
 */
export class ClientConnections {
  readonly #limits: ConnectionLimits;
  readonly #isProxy: (address: string) => boolean;
  readonly #counts = new Map<string, number>();
  readonly #open = new Set<Socket>();
  readonly #reading = new Map<Socket, Progress>();
  readonly #bodies = new Map<IncomingMessage, Progress>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: ConnectionLimits, isProxy: (address: string) => boolean) {
    this.#limits = limits;
    this.#isProxy = isProxy;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#accept(socket));
    this.#timer = setInterval(() => this.#check(), this.#limits.checkMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A body that has not arrived completely with its headers. */
  waitForBody(request: IncomingMessage): void {
    // Injected requests have no socket that could stall.
    if (typeof request.socket?.setTimeout !== 'function' || request.complete !== false) return;
    const { socket } = request;
    // Without a listener for the timeout Node destroys the socket, which ends the reading with an error.
    socket.setTimeout(bodyIdleMs);
    request.once('end', () => socket.setTimeout(0));
    this.#bodies.set(request, begin(socket.bytesRead));
    request.once('close', () => this.#bodies.delete(request));
  }

  /** A large part of a sent answer is still to be read. */
  noteWaiting(socket: Socket): void {
    if (!this.#reading.has(socket)) this.#reading.set(socket, begin(readOf(socket)));
    let waiting = 0;
    for (const each of this.#reading.keys()) waiting += waitingFor(each);
    if (waiting > this.#limits.waitingBytes) this.#dropLaziest(waiting);
  }

  #check(): void {
    for (const socket of this.#open)
      if (waitingFor(socket) > 0 && !this.#reading.has(socket)) this.#reading.set(socket, begin(readOf(socket)));
    for (const [socket, progress] of this.#reading) {
      if (socket.destroyed || waitingFor(socket) === 0) this.#reading.delete(socket);
      else if (this.#isTooSlow(progress, readOf(socket))) this.#drop(socket);
    }
    for (const [request, progress] of this.#bodies) {
      if (request.complete || request.destroyed) this.#bodies.delete(request);
      // Bytes that have arrived but were not read wait for this service, not for the client.
      else if (request.readableLength > 0) Object.assign(progress, begin(request.socket.bytesRead));
      else if (this.#isTooSlow(progress, request.socket.bytesRead)) this.#drop(request.socket);
    }
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    this.#open.add(socket);
    connectionsOf.set(socket, this);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#reading.delete(socket);
    });
    const { perAddress } = this.#limits;
    if (perAddress === 0 || address === '' || this.#isProxy(address)) return;
    const network = clientNetwork(address);
    const count = (this.#counts.get(network) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    this.#counts.set(network, count);
    socket.once('close', () => {
      const left = (this.#counts.get(network) ?? 1) - 1;
      if (left === 0) this.#counts.delete(network);
      else this.#counts.set(network, left);
    });
  }

  #isTooSlow(progress: Progress, done: number): boolean {
    const now = performance.now();
    if (done !== progress.seen) Object.assign(progress, { seen: done, movedAt: now });
    if (now - progress.since < this.#limits.paceMs) return false;
    if (done - progress.done < this.#limits.paceBytes) return true;
    Object.assign(progress, { done, since: now });
    return false;
  }

  #dropLaziest(waiting: number): void {
    const now = performance.now();
    for (const [socket, progress] of this.#reading) {
      const done = readOf(socket);
      if (done !== progress.seen) Object.assign(progress, { seen: done, movedAt: now });
    }
    const laziest = [...this.#reading].sort(([, a], [, b]) => a.movedAt - b.movedAt);
    let left = waiting;
    for (const [socket] of laziest) {
      if (left <= this.#limits.waitingBytes) return;
      left -= waitingFor(socket);
      this.#drop(socket);
    }
  }

  #drop(socket: Socket): void {
    this.#reading.delete(socket);
    socket.destroy();
  }
}

function begin(done: number): Progress {
  const now = performance.now();
  return { done, since: now, movedAt: now, seen: done };
}

/**
 * How much of the written data the client's machine has received. The queue of the system's library shrinks while one
 * large chunk is written. Node looks at it too before it lets a socket time out, but does not expose it otherwise.
 */
function readOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.bytesWritten - (handle?.writeQueueSize ?? socket.writableLength);
}

/** Names of networks from which `X-Forwarded-For` may be trusted, as the framework knows them. */
const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Whether an address is a proxy whose connections are those of many clients. If no addresses are named (`true`, or a
 * number of proxies), every connection comes from one.
 */
export function proxyTest(trustProxy: boolean | number | readonly string[]): (address: string) => boolean {
  if (typeof trustProxy !== 'object') return () => trustProxy !== false && trustProxy !== 0;
  const proxies = new BlockList();
  for (const entry of trustProxy.flatMap((entry) => named[entry] ?? [entry])) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  return (address) => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
