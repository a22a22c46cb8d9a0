import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Builds the log line of an answered request: what pino would write for `info({ reqId, method, path, status, ms },
 * 'request')` in a logger with this `base`, without walking through an object of unknown shape, which takes three times
 * as long.
 */
export function requestLines(base: object): (request: FastifyRequest, reply: FastifyReply) => string {
  const about = JSON.stringify(base).slice(1, -1);
  return (request, reply) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    return (
      `{"level":30,"time":${Date.now()},${about},"reqId":"${request.id}","method":"${request.method}",` +
      `"path":${JSON.stringify(pathOf(request.url))},"status":${reply.statusCode},"ms":${ms},"msg":"request"}\n`
    );
  };
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
