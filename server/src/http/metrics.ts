import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { BlobCount } from '../blobs/blob-store.ts';
import type { Siblings } from '../db/nodes/siblings.ts';
import { type ReadMetrics, textOfAll } from './server/metrics-of-all.ts';
import { RequestCounts } from './server/request-counts.ts';
import { patternOf } from './server/router.ts';

export interface MetricSources {
  readonly database: () => {
    readonly walBytes: number;
    readonly queuedWrites: number;
    readonly queuedSlowQueries: number;
  };
  /** Jobs by state; queried only when metrics are read. */
  readonly jobs: () => Promise<Readonly<Record<string, number>>>;
  /** The results of messages since the start, by push service and state. */
  readonly deliveries: () => readonly { readonly sender: string; readonly state: string; readonly count: number }[];
  readonly storage: () => {
    /** Undefined until it is known. */
    readonly freeBytes: number | undefined;
    readonly minFreeBytes: number;
    readonly reserveBytes: number;
    /** Whether new content is refused for lack of space. */
    readonly isRefusing: boolean;
    /** Whether nothing more is written until the next start. */
    readonly hasFailed: boolean;
    /** Storage errors since the start, by kind. */
    readonly errors: Readonly<Record<string, number>>;
  };
  /** Requests to a storage of files that is not on this machine, since the start; undefined without one. */
  readonly files?: (() => readonly BlobCount[]) | undefined;
  /** Webhook calls given up since the start. */
  readonly givenUpCalls: () => number;
  /** What became of the advertisements that gateways have sent, since the start, by result. */
  readonly advertisements: () => Readonly<Record<string, number>>;
  /** The other processes of the service, whose metrics are shown too. */
  readonly siblings?: Siblings | undefined;
}

let shared: Registry | undefined;

/** The metrics of the process are collected once: each collector watches it until it ends, and holds what it was made with. */
function metricsOfProcess(): Registry {
  if (shared) return shared;
  shared = new Registry();
  collectDefaultMetrics({ register: shared, prefix: 'pharos_' });
  return shared;
}

/** Prometheus metrics of one service, in a registry of its own so that two services in one process stay apart. */
export function registerMetrics(
  fastify: FastifyInstance,
  sources: MetricSources,
  counts = new RequestCounts(),
): ReadMetrics {
  const registry = new Registry();
  const ofProcess = metricsOfProcess();
  const registers = [registry];
  for (const metric of counts.metrics()) registry.registerMetric(metric);
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
    'Long queries waiting for their turn',
    () => sources.database().queuedSlowQueries,
  );
  storageMetrics(registers, sources);
  if (sources.files) fileMetrics(registers, sources.files);
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
    help: 'Results of messages, by push service; queued means that a try has to be repeated',
    labelNames: ['sender', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { sender, state, count } of sources.deliveries()) this.inc({ sender, state }, count);
    },
  });
  new Counter({
    name: 'pharos_webhook_calls_given_up_total',
    help: 'Webhook calls that were given up because too many were waiting',
    registers,
    collect() {
      this.reset();
      this.inc(sources.givenUpCalls());
    },
  });
  new Counter({
    name: 'pharos_gateway_advertisements_total',
    help: 'Advertisements that gateways have sent; merged: one of the same tag and second stands for it',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(sources.advertisements())) this.inc({ result }, count);
    },
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    // The route's pattern, never the address itself: with ids as labels the metrics would grow without bound.
    const route = patternOf(request) || 'unrouted';
    counts.note(request.method, route, reply.statusCode, reply.elapsedTime);
    done();
  });
  const read: ReadMetrics = async () => [
    ...(await ofProcess.getMetricsAsJSON()),
    ...(await registry.getMetricsAsJSON()),
  ];
  const ofAll = sources.siblings && textOfAll(sources.siblings, read);
  fastify.get('/metrics', async (_request, reply) => {
    reply.type(registry.contentType).header('cache-control', 'no-store');
    return ofAll ? ofAll() : (await ofProcess.metrics()) + (await registry.metrics());
  });
  return read;
}

function storageMetrics(registers: Registry[], { storage }: MetricSources): void {
  gauge(
    registers,
    'pharos_disk_free_bytes',
    'Free bytes on the disk of the data folder, minus what the reserve and the database still need',
    () => storage().freeBytes ?? Number.NaN,
  );
  gauge(
    registers,
    'pharos_disk_min_free_bytes',
    'New content is refused while less is free',
    () => storage().minFreeBytes,
  );
  gauge(registers, 'pharos_disk_reserve_bytes', 'Reserved for a full disk', () => storage().reserveBytes);
  gauge(registers, 'pharos_storage_refusing', '1 while new content is refused for lack of room', () =>
    Number(storage().isRefusing),
  );
  gauge(
    registers,
    'pharos_storage_failed',
    '1 after the disk has failed to confirm a write; nothing more is written until the next start',
    () => Number(storage().hasFailed),
  );
  new Counter({
    name: 'pharos_storage_errors_total',
    help: 'Storage errors of requests and background work, by kind',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const [kind, count] of Object.entries(storage().errors)) this.inc({ kind }, count);
    },
  });
}

function fileMetrics(registers: Registry[], counts: () => readonly BlobCount[]): void {
  new Counter({
    name: 'pharos_file_storage_requests_total',
    help: 'Requests to the storage of files, by operation and result',
    labelNames: ['operation', 'result'],
    registers,
    collect() {
      this.reset();
      for (const { operation, result, count } of counts()) this.inc({ operation, result }, count);
    },
  });
  new Counter({
    name: 'pharos_file_storage_seconds_total',
    help: 'Time until the storage of files had answered, by operation',
    labelNames: ['operation'],
    registers,
    collect() {
      this.reset();
      for (const { operation, seconds } of counts()) this.inc({ operation }, seconds);
    },
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
