import type { FastifyBaseLogger } from 'fastify';

/*
 * Relies on (`relied-on.test.ts`): Fastify makes the logger of a request by calling `child` of the service's logger, with
 * the id as `reqId`, and asks nothing of it where nothing is logged; `child` makes a child of the logger it is called on; the
 * logger has the methods in `levels`, and no others are used for a line.
 */

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type Options = Parameters<FastifyBaseLogger['child']>[1];

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

type MakeChild = (this: FastifyBaseLogger, bindings: Bindings, options?: Options) => FastifyBaseLogger;

/**
 * The logger of one request. The framework creates one for each, and most requests never use theirs: this one becomes a
 * child of the service's logger only with the first line.
 */
class LateLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: Options;
  readonly #makeChild: MakeChild;
  #made: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, makeChild: MakeChild, bindings: Bindings, options: Options) {
    this.#parent = parent;
    this.#makeChild = makeChild;
    this.#bindings = bindings;
    this.#options = options;
  }

  get level(): string {
    return this.#parent.level;
  }

  get made(): FastifyBaseLogger {
    this.#made ??= this.#makeChild.call(this.#parent, this.#bindings, this.#options);
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

/** Set on the logger itself: the framework checks the result of a factory again for each request. */
export function makeChildrenLate(logger: FastifyBaseLogger): void {
  const makeChild = logger.child as MakeChild;
  logger.child = function (this: FastifyBaseLogger, bindings: Bindings, options?: Options) {
    return new LateLogger(this, makeChild, bindings, options) as unknown as FastifyBaseLogger;
  } as FastifyBaseLogger['child'];
}
