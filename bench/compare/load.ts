/** What is sent to a target, and the results. */

/** Requests that are sent over and over, in this order. */
export interface Load {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
  /** As many as `paths`, or any number with one path. Single lines of text. */
  readonly bodies?: readonly string[];
  /** Each request can be sent only once; the load ends with the last one. */
  readonly once?: true;
}

export interface Pressure {
  readonly connections: number;
  readonly seconds: number;
}

export interface Measured {
  /** Successful answers a second. */
  readonly rate: number;
  readonly answers: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Refusals and broken connections. */
  readonly failures: number;
}

/** One request of a load. */
export interface Shot {
  readonly method: Load['method'];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function shots(load: Load): Shot[] {
  const count = Math.max(load.paths.length, load.bodies?.length ?? 0);
  return Array.from({ length: count }, (_, n) => {
    const body = load.bodies?.[n];
    const path = load.paths[n % load.paths.length] ?? '/';
    return { method: load.method, path, headers: load.headers, ...(body === undefined ? {} : { body }) };
  });
}
