import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricSources {
  readonly database: () => {
    readonly walBytes: number;
    readonly queuedWrites: number;
    readonly queuedSlowQueries: number;
  };
  /** Jobs by state; asked only when metrics are read. */
  readonly jobs: () => Promise<Readonly<Record<string, number>>>;
  /** What became of messages since the start, by push service and state. */
  readonly deliveries: () => readonly { readonly sender: string; readonly state: string; readonly count: number }[];
}

/** Prometheus metrics of one service, in a registry of its own so that two services in one process stay apart. */
export function registerMetrics(fastify: FastifyInstance, sources: MetricSources): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'pharos_' });
  const registers = [registry];
  const requests = new Counter({
    name: 'pharos_http_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'pharos_http_request_seconds',
    help: 'Time from the request line to the last byte of the answer',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  gauge(registers, 'pharos_wal_bytes', 'Size of the write-ahead log on disk', () => sources.database().walBytes);
  gauge(
    registers,
    'pharos_queued_writes',
    'Writes accepted and not yet committed',
    () => sources.database().queuedWrites,
  );
  gauge(
    registers,
    'pharos_queued_slow_queries',
    'Long queries that wait for their turn',
    () => sources.database().queuedSlowQueries,
  );
  new Gauge({
    name: 'pharos_jobs',
    help: 'Jobs in the outbox by state',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset();
      for (const [state, count] of Object.entries(await sources.jobs())) this.set({ state }, count);
    },
  });
  new Counter({
    name: 'pharos_deliveries_total',
    help: 'What became of messages, by push service; queued means that a try has to be repeated',
    labelNames: ['sender', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { sender, state, count } of sources.deliveries()) this.inc({ sender, state }, count);
    },
  });
  fastify.addHook('onResponse', async (request, reply) => {
    // The route's pattern, never the address itself: ids as labels would grow without bound.
    const route = request.routeOptions.url ?? 'unrouted';
    requests.inc({ method: request.method, route, status: reply.statusCode });
    seconds.observe({ method: request.method, route }, reply.elapsedTime / 1000);
  });
  fastify.get('/metrics', async (_request, reply) => {
    reply.type(registry.contentType).header('cache-control', 'no-store');
    return registry.metrics();
  });
}

function gauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}
