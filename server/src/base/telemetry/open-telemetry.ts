import {
  type Context,
  context,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  ValueType,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type SpanStart, type Tracer, useTracer } from './tracing.ts';

/** A metric as prom-client gives it, the values with the labels of Prometheus. */
interface PrometheusMetric {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge` or `histogram`. */
  readonly type: unknown;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    readonly metricName?: string;
  }[];
}

type Value = PrometheusMetric['values'][number];

const timeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];

/** The metrics of Prometheus for OpenTelemetry, under the same names; none is counted twice. */
function createProducer(metrics: () => Promise<readonly PrometheusMetric[]>, version: string): MetricProducer {
  const startTime = timeOf(performance.timeOrigin);
  const resource = resourceFromAttributes({});
  return {
    async collect() {
      const endTime = timeOf(Date.now());
      const read = await metrics();
      const converted = read.flatMap((metric) => convert(metric, { startTime, endTime }) ?? []);
      const scopeMetrics = [{ scope: { name: 'pharos', version }, metrics: converted }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

function convert(
  { name, help, type, values }: PrometheusMetric,
  times: { readonly startTime: HrTime; readonly endTime: HrTime },
): MetricData | undefined {
  const shared = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, attributes: labels as Record<string, string>, value }));
  if (type === 'gauge') return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints: points };
  if (type === 'counter') return { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points };
  if (type !== 'histogram') return undefined;
  const groups = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  const dataPoints = [...groups].map(([labels, group]) => ({
    ...times,
    attributes: JSON.parse(labels) as Record<string, string>,
    value: histogramOf(name, group),
  }));
  return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints };
}

/** Prometheus counts everything up to a bound, OpenTelemetry what lies between two. */
function histogramOf(name: string, values: readonly Value[]) {
  const only = (suffix: string) => values.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
  const upTo = values
    .filter(({ labels: { le } }) => le !== undefined && le !== '+Inf')
    .map(({ labels: { le }, value }) => ({ bound: Number(le), value }))
    .sort((a, b) => a.bound - b.bound);
  const count = only('count');
  const counts = upTo.map(({ value }, place) => value - (upTo[place - 1]?.value ?? 0));
  return {
    buckets: { boundaries: upTo.map(({ bound }) => bound), counts: [...counts, count - (upTo.at(-1)?.value ?? 0)] },
    count,
    sum: only('sum'),
  };
}

/** Traces and metrics by OTLP over HTTP, with the official packages. Loaded only where it is configured. */

export interface TelemetryOptions {
  /** Of the collector, such as `http://localhost:4318`. */
  readonly url: string;
  /** How many of the traces that begin here are kept, 0 to 1. */
  readonly share: number;
  readonly version: string;
  /** What `/metrics` has. */
  readonly metrics: () => Promise<readonly PrometheusMetric[]>;
}

export interface Telemetry {
  /** Sends what is waiting. Never rejects: a collector that is away holds nothing up. */
  stop(): Promise<void>;
}

const stopWithinMs = 3_000;
const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/** Traces of requests and jobs from now on. The metrics follow once the service has them. */
export function startTelemetry({ url, share, version, metrics }: TelemetryOptions): Telemetry {
  const resource = resourceFromAttributes({ 'service.name': 'pharos', 'service.version': version });
  const address = (signal: string) => `${url.replace(/\/+$/, '')}/v1/${signal}`;
  const root = new TraceIdRatioBasedSampler(share);
  const provider = new TracerProvider({
    resource,
    // A caller's flag does not decide: anybody could have everything traced.
    sampler: new ParentBasedSampler({ root: allServed(root), remoteParentSampled: root }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: address('traces') }) })],
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: address('metrics') }),
    exportIntervalMillis: 30_000,
    exportTimeoutMillis: 10_000,
    metricProducers: [createProducer(metrics, version)],
  });
  const meters = new MeterProvider({ resource, readers: [reader] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  useTracer(tracerOf(provider, { version, share }));
  return {
    async stop() {
      useTracer(undefined);
      const stopped = Promise.allSettled([provider.shutdown(), meters.shutdown()]);
      const timer = Promise.withResolvers<void>();
      const timeout = setTimeout(timer.resolve, stopWithinMs);
      await Promise.race([stopped, timer.promise]);
      clearTimeout(timeout);
      context.disable();
    },
  };
}

/** Of requests only those come here that are kept: the others should cost nothing. */
const allServed = (others: Sampler): Sampler => ({
  shouldSample: (...[context, traceId, name, kind, ...rest]) =>
    kind === SpanKind.SERVER
      ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
      : others.shouldSample(context, traceId, name, kind, ...rest),
});

function tracerOf(provider: TracerProvider, { version, share }: Pick<TelemetryOptions, 'version' | 'share'>): Tracer {
  const tracer = provider.getTracer('pharos', version);
  const begin = ({ name, kind, attributes = {}, parent }: SpanStart) => {
    // What is asked from outside, or was queued, is no part of what happens to run.
    const around = contextOf(parent, kind === 'server' || kind === 'consumer' ? ROOT_CONTEXT : context.active());
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, around);
    return { span, inside: trace.setSpan(around, span) };
  };
  return {
    async run(start, work) {
      const { span, inside } = begin(start);
      try {
        return await context.with(inside, work);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'Error' });
        throw error;
      } finally {
        span.end();
      }
    },
    begin(start) {
      // A broken parent is none, so that nobody can have everything traced.
      if (!form.test(start.parent ?? '') && Math.random() >= share) return undefined;
      const { span, inside } = begin(start);
      return {
        within: (work) => context.with(inside, work),
        end(attributes, name, hasFailed) {
          span.setAttributes(attributes).updateName(name);
          if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    current: () => headerOf(trace.getActiveSpan()),
    isKept: () => trace.getActiveSpan()?.isRecording() ?? false,
  };
}

/** Version 00 of W3C Trace Context; later versions begin alike. */
const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** The context of a `traceparent`; `otherwise` for none, and for a broken one. */
function contextOf(header: string | undefined, otherwise: Context) {
  const parts = header === undefined ? null : form.exec(header);
  if (!parts) return otherwise;
  const [, traceId = '', spanId = '', flags = '0'] = parts;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(otherwise, { traceId, spanId, traceFlags, isRemote: true });
}

function headerOf(span: Span | undefined): string | undefined {
  if (!span) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}
