import { type HrTime, ValueType } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';

/** A metric as prom-client gives it, the values with the labels of Prometheus. */
export interface PrometheusMetric {
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
export function createProducer(metrics: () => Promise<readonly PrometheusMetric[]>, version: string): MetricProducer {
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
