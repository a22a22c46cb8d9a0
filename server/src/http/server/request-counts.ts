import type { Metric, MetricObjectWithValues, MetricValue } from 'prom-client';

/*
 * Relies on (`relied-on.test.ts`): a registry of prom-client takes any object with `name`, `get` and `reset` for a metric,
 * asks `get` for all of it only when it is read, and writes each value under its `metricName`.
 */

/** Upper bounds in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Answered {
  readonly statuses: Map<number, number>;
  /**
   * The number of answers that took up to each bound and longer than the previous one; the last is for all that took
   * longer.
   */
  readonly buckets: number[];
  seconds: number;
  count: number;
}

/**
 * Counts answered requests by method and route. The metrics library finds its counters by a text made of all labels,
 * which costs more than answering from memory; so it gets the counts only when somebody reads the metrics.
 */
export class RequestCounts {
  readonly #routes = new Map<string, Map<string, Answered>>();

  note(method: string, route: string, status: number, ms: number): void {
    const answered = this.#find(method, route);
    answered.statuses.set(status, (answered.statuses.get(status) ?? 0) + 1);
    const seconds = ms / 1000;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket++;
    answered.buckets[bucket] = (answered.buckets[bucket] ?? 0) + 1;
    answered.seconds += seconds;
    answered.count++;
  }

  /** Of all routes, since the start. */
  totals(): { readonly count: number; readonly seconds: number } {
    let [count, seconds] = [0, 0];
    for (const { answered } of this.#all()) {
      count += answered.count;
      seconds += answered.seconds;
    }
    return { count, seconds };
  }

  metrics(): Metric[] {
    return [
      metric('pharos_http_requests_total', 'Answered requests', 'counter', () => this.#counters()),
      metric(
        'pharos_http_request_seconds',
        'Time from the request line to the last byte of the answer',
        'histogram',
        (name) => this.#histogram(name),
      ),
    ];
  }

  #find(method: string, route: string): Answered {
    let methods = this.#routes.get(route);
    if (!methods) {
      methods = new Map();
      this.#routes.set(route, methods);
    }
    let answered = methods.get(method);
    if (!answered) {
      answered = { statuses: new Map(), buckets: Array(bounds.length + 1).fill(0), seconds: 0, count: 0 };
      methods.set(method, answered);
    }
    return answered;
  }

  *#all(): Generator<{ readonly labels: { method: string; route: string }; readonly answered: Answered }> {
    for (const [route, methods] of this.#routes)
      for (const [method, answered] of methods) yield { labels: { method, route }, answered };
  }

  #counters(): MetricValue<string>[] {
    return [...this.#all()].flatMap(({ labels, answered }) =>
      [...answered.statuses].map(([status, value]) => ({ labels: { ...labels, status }, value })),
    );
  }

  #histogram(name: string): MetricValue<string>[] {
    return [...this.#all()].flatMap(({ labels, answered }) => {
      let below = 0;
      const buckets = answered.buckets.map((value, index) => {
        below += value;
        return named(`${name}_bucket`, { le: bounds[index] ?? '+Inf', ...labels }, below);
      });
      return [
        ...buckets,
        named(`${name}_sum`, labels, answered.seconds),
        named(`${name}_count`, labels, answered.count),
      ];
    });
  }
}

type Labels = Readonly<Record<string, string | number>>;

function named(metricName: string, labels: Labels, value: number): MetricValue<string> {
  return { metricName, labels, value } as MetricValue<string>;
}

/** What a registry needs from a metric; the library's types know only its own classes. */
function metric(
  name: string,
  help: string,
  type: 'counter' | 'histogram',
  read: (name: string) => MetricValue<string>[],
): Metric {
  const get = async (): Promise<MetricObjectWithValues<MetricValue<string>>> =>
    ({ name, help, type, values: read(name), aggregator: 'sum' }) as never;
  return { name, get, reset: () => undefined } as unknown as Metric;
}
