import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { catalogue, type Failure, fail } from '../errors.ts';
import { randomText } from '../id.ts';
import { asFailure, errorBody, errorHeaders } from './render-error.ts';

export interface ServerOptions {
  readonly logLevel: string;
  readonly trustProxy: boolean | readonly string[];
  /** Where log lines go; standard output by default. */
  readonly logStream?: { write(line: string): void };
}

/** A Fastify instance with this service's ids, log and error answers, and no routes yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const boot = randomText(6);
  let count = 0;
  const server = fastify({
    logger: {
      level: options.logLevel,
      // Headers and bodies are never logged, so that no credential can be.
      serializers: {
        req: (request) => ({ method: request.method, url: request.url?.split('?')[0], address: request.ip }),
      },
      ...(options.logStream ? { stream: options.logStream } : {}),
    },
    // One line a request, written when it is answered, instead of the framework's two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => `${boot}${(count++).toString(36)}`,
    trustProxy: options.trustProxy === false ? false : options.trustProxy === true ? true : [...options.trustProxy],
    routerOptions: { maxParamLength: 2_000, ignoreTrailingSlash: true },
    bodyLimit: 1_048_576,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 72_000,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      sendFailure(asFailure(error), request as FastifyRequest, reply as FastifyReply);
    },
  });
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  server.addHook('onResponse', async (request, reply) => {
    const line = {
      reqId: request.id,
      method: request.method,
      path: request.url.split('?')[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    };
    request.log.info(line, 'request');
  });
  server.setErrorHandler((error, request, reply) => {
    const failure = asFailure(error);
    if (failure.entry.status >= 500) request.log.error({ err: failure.cause ?? failure }, failure.message);
    sendFailure(failure, request, reply);
  });
  server.setNotFoundHandler(() => {
    throw fail('NotFound');
  });
  return server;
}

function sendFailure(failure: Failure, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .code(failure.entry.status)
    .headers(errorHeaders(failure))
    .type('application/json; charset=utf-8')
    .send(errorBody(failure, request.id));
}

/** A request that Node's parser refused: there is no request object, only a socket to answer on. */
function answerBrokenRequest(
  this: { log: FastifyBaseLogger },
  error: Error & { code?: string },
  socket: { writable: boolean; destroyed: boolean; end(text: string): void; destroy(): void },
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The headers are larger than 16 KiB.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request did not arrive in time.']
        : ['400 Bad Request', 'This is not a well-formed HTTP request.'];
  const number = Number.parseInt(status, 10);
  const { name } = catalogue.InvalidJSON;
  const body = JSON.stringify({ error: { code: 107, error: message, name, status: number, requestId: '' }, code: 107 });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
