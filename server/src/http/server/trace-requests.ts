import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OpenSpan, Tracer } from '../../base/telemetry/tracing.ts';
import { patternOf } from './router.ts';

/** A span for each request, which continues the caller's trace. Without a tracer there are no such hooks. */
export function traceRequests(server: FastifyInstance, tracer: Tracer): void {
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
