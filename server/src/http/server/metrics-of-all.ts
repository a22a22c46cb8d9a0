import { type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { Siblings } from '../../db/nodes/siblings.ts';

/** A process that is busy for longer is left out, ms. */
const waitMs = 1_000;

type Metrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What is shown at `/metrics` of one process, as objects. */
export type ReadMetrics = () => Promise<Metrics>;

/**
 * Reads the metrics of all processes of a service, of which only one gets the request: each value once for each process, with its number
 * as the label `process`.
 */
export function textOfAll(siblings: Siblings, read: ReadMetrics): () => Promise<string> {
  let [asked, collecting]: [number, Promise<string> | undefined] = [0, undefined];
  let answers = new Map<number, Metrics>();
  let complete: (() => void) | undefined;
  siblings.onMessage('metrics.asked', (question, from) => {
    void read().then((metrics) => siblings.tell('metrics', { question, metrics }, from));
  });
  siblings.onMessage('metrics', (content, from) => {
    const { question, metrics } = content as { question: number; metrics: Metrics };
    if (question === asked) answers.set(from, metrics);
    if (answers.size === siblings.count) complete?.();
  });
  const collect = async () => {
    answers = new Map([[siblings.number, await read()]]);
    const { promise, resolve } = Promise.withResolvers<void>();
    complete = resolve;
    const timer = setTimeout(resolve, waitMs);
    siblings.tell('metrics.asked', ++asked);
    await promise;
    clearTimeout(timer);
    return textOf(answers);
  };
  return () => {
    collecting ??= collect().finally(() => {
      collecting = undefined;
    });
    return collecting;
  };
}

function textOf(answers: ReadonlyMap<number, Metrics>): Promise<string> {
  const merged = new Map<string, MetricObjectWithValues<MetricValue<string>>>();
  for (const [number, metrics] of [...answers].sort(([a], [b]) => a - b))
    for (const metric of metrics) {
      const values = metric.values.map((value) => ({ ...value, labels: { ...value.labels, process: String(number) } }));
      const known = merged.get(metric.name);
      if (known) known.values.push(...values);
      else merged.set(metric.name, { ...metric, values });
    }
  const registry = new Registry();
  for (const metric of merged.values())
    registry.registerMetric({ ...metric, get: async () => metric, reset: () => undefined } as never);
  return registry.metrics();
}
