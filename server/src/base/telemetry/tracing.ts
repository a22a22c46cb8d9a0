import { AsyncResource } from 'node:async_hooks';

/** Traces of what the process does, if they are wanted. Without a tracer nothing is made, noted or asked. */

export interface SpanStart {
  /** Without ids, so that there are few names. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** `traceparent` of W3C Trace Context; without it the span belongs to the current one. */
  readonly parent?: string | undefined;
}

/** A span that ends elsewhere. */
export interface OpenSpan {
  /** Whatever `work` begins belongs to the span. */
  within(work: () => void): void;
  end(attributes: Readonly<Record<string, string | number>>, name: string, hasFailed: boolean): void;
}

export interface Tracer {
  /** A failure of `work` is noted. */
  run<T>(span: SpanStart, work: () => Promise<T>): Promise<T>;
  /** Undefined if the trace that would begin here is not kept. */
  begin(span: SpanStart): OpenSpan | undefined;
  /** `traceparent` of the current span (https://www.w3.org/TR/trace-context/); undefined outside of one. */
  current(): string | undefined;
  /** Whether the current span is kept. */
  isKept(): boolean;
}

let tracer: Tracer | undefined;

/** Of the whole process, as the library has it; undefined ends it. */
export function useTracer(wanted: Tracer | undefined): void {
  tracer = wanted;
}

export const presentTracer = (): Tracer | undefined => tracer;

/** Runs `work` within a span. */
export const traced = <T>(start: () => SpanStart, work: () => Promise<T>): Promise<T> =>
  tracer ? tracer.run(start(), work) : work();

/** `work` as part of the current span, whoever runs it: a queue runs what several requests have put into it. */
export const withinTrace = <Args extends unknown[], Result>(
  work: (...args: Args) => Result,
): ((...args: Args) => Result) => (tracer ? AsyncResource.bind(work) : work);

/** Whether what is done now belongs to a trace that is kept. */
export const isTraced = (): boolean => tracer?.isKept() ?? false;

/** For a request to another service, or a job. */
export const traceparent = (): string | undefined => tracer?.current();

const none = Object.freeze({});

/** The current trace as a header; undefined outside of a span. */
export function traceHeader(): Readonly<Record<string, string>> {
  const parent = tracer?.current();
  return parent === undefined ? none : { traceparent: parent };
}
