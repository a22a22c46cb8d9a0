import type { FastifyBaseLogger } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type Options = Parameters<FastifyBaseLogger['child']>[1];

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * The logger of one request. The framework makes one for each, and most requests never use theirs: this one becomes a
 * child of the service's only with the first line.
 */
class LateLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: Options;
  #made: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: Options) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  get level(): string {
    return this.#parent.level;
  }

  get made(): FastifyBaseLogger {
    this.#made ??= this.#parent.child(this.#bindings, this.#options);
    return this.#made;
  }

  child(bindings: Bindings, options?: Options): FastifyBaseLogger {
    return this.made.child(bindings, options);
  }
}

for (const level of levels) {
  Object.defineProperty(LateLogger.prototype, level, {
    value(this: LateLogger, ...told: Parameters<FastifyBaseLogger['info']>) {
      this.made[level](...told);
    },
  });
}

export function lateLogger(parent: FastifyBaseLogger, bindings: Bindings, options: Options): FastifyBaseLogger {
  return new LateLogger(parent, bindings, options) as unknown as FastifyBaseLogger;
}
