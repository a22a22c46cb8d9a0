import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import { catalogue, type ErrorEntry, type Failure, fail } from '../../base/errors.ts';
import { randomText } from '../../base/id.ts';
import type { OpenSpan, Tracer } from '../../base/telemetry/tracing.ts';
import { presentTracer } from '../../base/telemetry/tracing.ts';
import { BatchedResponse } from './batched-response.ts';
import { ClientConnections, type ConnectionLimits, proxyTest, usualPace, usualWaitingBytes } from './connections.ts';
import { asFailure, errorBody, errorHeaders } from './render-error.ts';
import { patternOf } from './router.ts';
import { registerBodyHandling } from './unread-body.ts';

/** A span for each request, which continues the caller's trace. Without a tracer there are no such hooks. */
function traceRequests(server: FastifyInstance, tracer: Tracer): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  server.addHook('onRequest', (request, _reply, done) => {
    const parent = request.headers['traceparent'];
    const { method } = request;
    const span = tracer.begin({
      name: method,
      kind: 'server',
      attributes: { 'http.request.method': method },
      parent: typeof parent === 'string' ? parent : undefined,
    });
    if (!span) return void done();
    spans.set(request, span);
    span.within(done);
  });
  // A body is read in events of the connection, which belong to no span.
  server.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.within(done);
    else done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    // The route's pattern: a path has ids and names of files.
    const route = patternOf(request) || 'unrouted';
    const { statusCode } = reply;
    const attributes = {
      'http.route': route,
      'http.response.status_code': statusCode,
      'pharos.request_id': request.id,
    };
    spans.get(request)?.end(attributes, `${request.method} ${route}`, statusCode >= 500);
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the credentials of an app were right. */
    usedKey: UsedKey | undefined;
  }
}

interface UsedKey {
  readonly keyId: string;
  readonly secretKey: { readonly name: string } | undefined;
}

/**
 * Builds the log line of an answered request: what pino would write for `info({ reqId, method, path, status, ms },
 * 'request')` in a logger with this `base`, without walking through an object of unknown shape, which takes three times
 * as long.
 */
function requestLines(base: object): (request: FastifyRequest, reply: FastifyReply) => string {
  const about = JSON.stringify(base).slice(1, -1);
  return (request, reply) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    return (
      `{"level":30,"time":${Date.now()},${about},"reqId":"${request.id}","method":"${request.method}",` +
      `"path":${JSON.stringify(pathOf(request))},"status":${reply.statusCode},"ms":${ms},${keyOf(request)}"msg":"request"}\n`
    );
  };
}

/** The key that the request was let in with: its id, and the name of a secret key. */
function keyOf({ usedKey }: FastifyRequest): string {
  if (!usedKey) return '';
  const { keyId, secretKey } = usedKey;
  return secretKey ? `"key":"${keyId}","keyName":${JSON.stringify(secretKey.name)},` : `"key":"${keyId}",`;
}

/** Without the names of files, which people write, and in apps with pseudonyms without the ids of phones, since a log line has a time. */
function pathOf(request: FastifyRequest): string {
  const { url, call } = request;
  if (ofFile.test(url) || (call?.app.pseudonyms && ofPhone.test(url))) return patternOf(request);
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

const ofFile = /\/files\//;
const ofPhone = /\/(?:installations|positions|deliveries)\//;

declare module 'fastify' {
  interface FastifyInstance {
    /** Set while connections are to end with their next answer, because the service drains. */
    readonly leaving: { now: boolean };
  }
}

export interface ServerOptions {
  readonly logLevel: string;
  readonly trustProxy: false | number | readonly string[];
  /** Concurrent connections of one address; 0: no limit. */
  readonly connectionsPerAddress?: number;
  /** Limits for slow clients that differ from the defaults. */
  readonly connectionLimits?: Partial<ConnectionLimits>;
  /** The destination of log lines; standard output by default. */
  readonly logStream?: { write(line: string): void };
  /** Called with the cause of each answer with a status of 500 and above. */
  readonly onError?: (error: unknown) => void;
}

/** A Fastify instance with this service's ids, log and error answers, and no routes yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const base = { pid: process.pid, hostname: hostname() };
  const logStream = options.logStream ?? process.stdout;
  const server = openFastify(options, base, logStream);
  // A connection that cannot be accepted affects only itself; without a listener it would end the process.
  server.server.once('listening', () => {
    server.server.on('error', (error) => server.log.error({ err: error }, 'accepting a connection'));
  });
  server.decorate('leaving', { now: false });
  server.decorateRequest('usedKey', undefined);
  const tracer = presentTracer();
  if (tracer) traceRequests(server, tracer);
  addFirstHooks(server);
  const connections = new ClientConnections(
    {
      ...usualPace,
      waitingBytes: usualWaitingBytes,
      perAddress: options.connectionsPerAddress ?? 0,
      ...options.connectionLimits,
    },
    proxyTest(options.trustProxy),
  );
  connections.watch(server.server);
  server.addHook('preClose', async () => closeIdle(server.server));
  server.addHook('onClose', async () => connections.stop());
  registerBodyHandling(server, connections);
  // An endpoint that takes a body declares its type; without a parser, an unknown address is answered without reading
  // one.
  server.removeAllContentTypeParsers();
  const lineOf = requestLines(base);
  if (['info', 'debug', 'trace'].includes(options.logLevel))
    server.addHook('onResponse', (request, reply, done) => {
      logStream.write(lineOf(request, reply));
      done();
    });
  answerErrors(server, options.onError);
  return server;
}

/**
 * The framework closes idle connections once, when a stop begins. One that still waited for an answer then would keep the
 * process alive until its client closes it or `keepAliveTimeout` is over. It is closed once it is idle, and not with the
 * answer: a request that was sent behind it is still told that the service stops.
 */
function closeIdle(server: Server): void {
  if (!server.listening) return;
  const timer = setInterval(() => server.closeIdleConnections(), 100).unref();
  server.once('close', () => clearInterval(timer));
}

const noCompiler = () => () => {
  throw new Error('A route has a schema of Fastify, for which there is no compiler.');
};

function openFastify(
  options: ServerOptions,
  base: { readonly pid: number; readonly hostname: string },
  logStream: NonNullable<ServerOptions['logStream']>,
): FastifyInstance {
  const boot = randomText(6);
  let count = 0;
  return fastify({
    logger: {
      level: options.logLevel,
      base,
      // Headers and bodies are never logged, so that no credential can be.
      serializers: {
        req: (request) => ({ method: request.method, url: request.url && pathOf(request), address: request.ip }),
      },
      stream: logStream,
    },
    // One line per request, written when it is answered, instead of the framework's two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => `${boot}${(count++).toString(36)}`,
    trustProxy: trusted(options.trustProxy),
    // Answered below, like everything else.
    return503OnClosing: false,
    // No parameter is matched by an expression, so the endpoints check its length, each with its own error.
    routerOptions: { maxParamLength: 20_000, ignoreTrailingSlash: true },
    bodyLimit: 1_048_576,
    // No route has a schema of Fastify's, so its compilers need not be loaded.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    forceCloseConnections: 'idle',
    keepAliveTimeout: 72_000,
    // For a whole request: slow uploads may take long, but not for ever. Idle ones are cut off much earlier.
    requestTimeout: 1_800_000,
    // Node would answer without a body; the hook below answers as everywhere else. Headers come in one piece or two;
    // Node checks every `connectionsCheckingInterval`.
    http: {
      headersTimeout: 20_000,
      connectionsCheckingInterval: 5_000,
      requireHostHeader: false,
      ServerResponse: BatchedResponse,
    },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      sendFailure(asFailure(error), request as FastifyRequest, reply as FastifyReply);
    },
  });
}

/**
 * Hooks that every request passes use callbacks: a promise for each would cost more than their work.
 *
 * Pipelined requests of one connection (RFC 9112, section 9.3.2) are handled one after another: Node parses hundreds of
 * them at once, and would keep all their answers in memory until the client has read the first one.
 */
function addFirstHooks(server: FastifyInstance): void {
  let isStopping = false;
  server.addHook('preClose', async () => {
    isStopping = true;
  });
  const begin = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (isStopping && !outlivesStop.has(request.url)) {
      answerStopping(request, reply, done);
      return;
    }
    const isWithoutHost = request.raw.headers.host === undefined && request.raw.httpVersion === '1.1';
    done(isWithoutHost ? fail('InvalidJSON', 'The Host header is missing.') : undefined);
  };
  server.addHook('onRequest', (request, reply, done) => {
    // Node assigns the socket to the answer whose turn it is.
    if (reply.raw.socket === null) reply.raw.once('socket', () => begin(request, reply, done));
    else begin(request, reply, done);
  });
}

function answerErrors(server: FastifyInstance, onError: ServerOptions['onError']): void {
  server.setErrorHandler((error, request, reply) => {
    const failure = asFailure(error);
    if (failure.entry.status >= 500) {
      onError?.(failure);
      request.log.error({ err: failure.cause ?? failure }, failure.message);
    }
    sendFailure(failure, request, reply);
  });
  server.setNotFoundHandler(() => {
    throw fail('NotFound');
  });
}

/**
 * A number counts hops from the service outwards: the client is the address that the outermost of these proxies has
 * seen.
 */
function trusted(proxies: ServerOptions['trustProxy']) {
  if (typeof proxies === 'number') return (_address: string, hop: number) => hop < proxies;
  return proxies === false ? false : [...proxies];
}

/** The addresses that report the service's health, until its end. */
const outlivesStop: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * A connection that was open before the stop can still bring requests. An EventSource gives up on every status but 200
 * and reconnects after a stream that ends (WHATWG HTML, 9.2.3), so it gets one that does.
 */
function answerStopping(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  if (request.method !== 'GET' || !request.headers.accept?.includes('text/event-stream')) {
    done(fail('Timeout', { message: 'The service is stopping. Try again.', retryAfter: 1 }));
    return;
  }
  reply.header('cache-control', 'no-store').type('text/event-stream; charset=utf-8').send('retry: 1000\n\n');
}

export function sendFailure(failure: Failure, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .code(failure.entry.status)
    .headers({
      'cache-control': 'no-store',
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      ...errorHeaders(failure),
    })
    .type('application/json; charset=utf-8')
    .send(errorBody(failure, request.id));
}

const brokenRequests: Readonly<Record<string, readonly [status: string, entry: ErrorEntry, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    catalogue.ObjectTooLarge,
    'The address and the headers are larger than 16 KiB together.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', catalogue.Timeout, 'The request did not arrive in time.'],
};
const notHttp = ['400 Bad Request', catalogue.InvalidJSON, 'This is not a well-formed HTTP request.'] as const;

/** A request that Node's parser refused: there is no request object, only a socket to answer on. */
function answerBrokenRequest(this: { log: FastifyBaseLogger }, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const [statusLine, { name, code }, message] = brokenRequests[error.code ?? ''] ?? notHttp;
  const status = Number.parseInt(statusLine, 10);
  const requestId = randomText(12);
  this.log.info({ reqId: requestId, status, reason: error.code }, 'request that is not HTTP');
  const body = JSON.stringify({ error: { code, error: message, name, status, requestId }, code });
  const head = [
    `HTTP/1.1 ${statusLine}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  closeUnlessClientDoes(socket);
}

/** Time for the client to read the answer; closing at once could reset the connection first. */
function closeUnlessClientDoes(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), 2_000);
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}
