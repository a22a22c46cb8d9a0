import { once } from 'node:events';
import {
  constants,
  createSecureServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createFakeApns, type FakeApns } from './apns.ts';
import { selfSignedCertificate, type TestCertificate } from './certificate.ts';
import type { Behaviour, Contract, Exchange, FakeAnswer } from './exchange.ts';
import { createFakeFcm, type FakeFcm } from './fcm.ts';
import { createFakePushService, type FakePushService } from './push-service.ts';

export interface Received extends Exchange {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly recipient: string;
  /** Undefined when nothing was answered. */
  readonly status: number | undefined;
  readonly content: unknown;
}

export interface PushProvider {
  readonly origin: string;
  /** The certificate that a sender has to trust. */
  readonly ca: string;
  readonly fcm: FakeFcm;
  readonly apns: FakeApns;
  readonly webpush: FakePushService;
  /** Messages in the order of arrival; the newest 20,000. */
  readonly received: Received[];
  /** How many messages were answered with each status; `none` for no answer. */
  readonly counts: Map<number | 'none', number>;
  /** The most concurrent requests. */
  peak: number;
  /** Connections taken so far. */
  connections: number;
  /** What happens to the next messages to a recipient, one after the other; after that they are accepted. */
  tell(recipient: string, ...next: readonly (Behaviour | FakeAnswer)[]): void;
  /** Resolves when a message to the recipient has been read. */
  reached(recipient: string): Promise<void>;
  close(): Promise<void>;
}

export interface PushProviderOptions {
  readonly now?: () => number;
  /** Only HTTP/1.1, like some push services. */
  readonly http1?: boolean;
  readonly maxConcurrentStreams?: number;
  /** Only counts, for measurements. */
  readonly quiet?: boolean;
}

const maxReceived = 20_000;

/** Answers, or does what it was told instead. */
interface Reply {
  answer(answer: FakeAnswer): void;
  misbehave(behaviour: Behaviour): void;
}

/** FCM, APNs and a Web Push service on one port of this machine, over TLS with a certificate of their own. */
export async function startPushProvider(options: PushProviderOptions = {}): Promise<PushProvider> {
  const { now = Date.now } = options;
  const certificate = selfSignedCertificate();
  /** By their source port. */
  const sockets = new Map<number | undefined, Socket>();
  const told = new Map<string, (Behaviour | FakeAnswer)[]>();
  const waiting = new Map<string, (() => void)[]>();
  let origin = '';
  const contracts = {
    fcm: createFakeFcm(now),
    apns: createFakeApns(now),
    webpush: createFakePushService(now, () => origin),
  };

  function handle(exchange: Exchange, reply: Reply): void {
    const contract = Object.values<Contract>(contracts).find((each) => each.takes(exchange));
    if (contract) converse(contract, exchange, reply);
    else reply.answer({ status: 404 });
  }

  function converse(contract: Contract, exchange: Exchange, reply: Reply): void {
    const recipient = contract.recipient(exchange) ?? '';
    const behaviour = told.get(recipient)?.shift();
    const answer = answerOf(contract, exchange, behaviour);
    record(contract, exchange, recipient, answer?.status);
    for (const resolve of waiting.get(recipient) ?? []) resolve();
    waiting.delete(recipient);
    // By its own clock, as a provider does.
    const date = new Date(now()).toUTCString();
    if (answer) reply.answer({ ...answer, headers: { date, ...answer.headers } });
    else reply.misbehave(behaviour as Behaviour);
  }

  function record(contract: Contract, exchange: Exchange, recipient: string, status: number | undefined): void {
    if (recipient === 'oauth') return;
    provider.counts.set(status ?? 'none', (provider.counts.get(status ?? 'none') ?? 0) + 1);
    if (options.quiet) return;
    provider.received.push({ ...exchange, at: Date.now(), recipient, status, content: contract.content(exchange) });
    if (provider.received.length > maxReceived) provider.received.shift();
  }

  const wire: Wire = {
    handle,
    cut: (remotePort) => sockets.get(remotePort)?.destroy(),
    onOpen: (open) => {
      provider.peak = Math.max(provider.peak, open);
    },
  };
  const server = options.http1 ? http1Server(certificate, wire) : http2Server(certificate, wire, options);
  server.on('secureConnection', (socket: Socket) => {
    provider.connections++;
    const { remotePort } = socket;
    sockets.set(remotePort, socket);
    socket.on('close', () => sockets.delete(remotePort));
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `https://localhost:${(server.address() as AddressInfo).port}`;

  const provider: PushProvider = {
    origin,
    ca: certificate.cert,
    ...contracts,
    received: [],
    counts: new Map(),
    peak: 0,
    connections: 0,
    tell(recipient, ...next) {
      told.set(recipient, [...next]);
    },
    reached(recipient) {
      return new Promise((resolve) => waiting.set(recipient, [...(waiting.get(recipient) ?? []), resolve]));
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets.values()) socket.destroy();
      await closed;
    },
  };
  return provider;
}

function answerOf(
  contract: Contract,
  exchange: Exchange,
  behaviour: Behaviour | FakeAnswer | undefined,
): FakeAnswer | undefined {
  if (behaviour === undefined) return contract.answer(exchange);
  if (typeof behaviour === 'object') return behaviour;
  if (behaviour === 'garbage') return { status: 500, body: '<html>\u0000\u0007Oops</html>'.repeat(500) };
  return behaviour === 'tooMany' || behaviour === 'unavailable' || behaviour === 'gone'
    ? contract.answers[behaviour]
    : undefined;
}

/** Cuts the connection from a port silently. */
type Cut = (remotePort: number | undefined) => void;

interface Wire {
  handle(exchange: Exchange, reply: Reply): void;
  readonly cut: Cut;
  onOpen(open: number): void;
}

function http2Server(
  certificate: TestCertificate,
  { handle, cut, onOpen }: Wire,
  options: PushProviderOptions,
): Http2Server {
  const { maxConcurrentStreams = 100 } = options;
  const server = createSecureServer({ ...certificate, settings: { maxConcurrentStreams } });
  server.on('sessionError', () => undefined);
  server.on('session', (session: ServerHttp2Session) => {
    let open = 0;
    const connection = session.socket.remotePort ?? 0;
    session.on('error', () => undefined);
    session.on('stream', (stream: ServerHttp2Stream, headers) => {
      onOpen(++open);
      const chunks: Buffer[] = [];
      stream.on('error', () => undefined);
      stream.on('close', () => open--);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        // Of a sender that was killed there is half a request at most.
        if (stream.aborted || (stream.rstCode !== undefined && stream.rstCode !== constants.NGHTTP2_NO_ERROR)) return;
        const { ':method': method = '', ':path': path = '' } = headers;
        handle({ connection, method, path, headers, body: Buffer.concat(chunks) }, http2Reply(stream, session, cut));
      });
    });
  });
  return server;
}

function http2Reply(stream: ServerHttp2Stream, session: ServerHttp2Session, cut: Cut): Reply {
  return {
    answer({ status, headers, body }) {
      if (stream.destroyed) return;
      stream.respond({ ':status': status, ...headers }, { endStream: !body });
      if (body) stream.end(body);
    },
    misbehave(behaviour) {
      if (behaviour === 'break') cut(session.socket.remotePort);
      if (behaviour === 'refuse') stream.close(constants.NGHTTP2_REFUSED_STREAM);
      if (behaviour === 'goaway') {
        // Everything up to and including this stream counts as processed, and this one is never answered.
        session.goaway(constants.NGHTTP2_NO_ERROR, stream.id, Buffer.from('{"reason":"Shutdown"}'));
        stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      }
    },
  };
}

function http1Server(certificate: TestCertificate, { handle }: Wire): Server {
  return createServer(certificate, async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { method = '', url: path = '', headers } = request;
    handle(
      { connection: request.socket.remotePort ?? 0, method, path, headers, body },
      {
        answer: (answer) => response.writeHead(answer.status, answer.headers).end(answer.body),
        misbehave(behaviour) {
          if (behaviour !== 'hang') request.socket.destroy();
        },
      },
    );
  });
}
