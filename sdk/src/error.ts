/** One broken rule of a request: the member, as a dotted path, and what is wrong with it. */
export interface PharosProblem {
  readonly field: string;
  readonly problem: string;
}

export interface PharosErrorOptions {
  /** The name in the service's catalogue, such as `ObjectNotFound`; `Unreachable` when there was no answer. */
  readonly name: string;
  /** The number in the catalogue; 0 when there was no answer of the service. */
  readonly code: number;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly details?: readonly PharosProblem[];
  /** Finds the request in the service's log; empty when there was no answer. */
  readonly requestId?: string;
  /** Seconds after which the service wants to be asked again. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** The one error that this client throws. Its message is a sentence. */
export class PharosError extends Error {
  readonly code: number;
  readonly status: number;
  /** Every broken rule, where the service lists them. */
  readonly details: readonly PharosProblem[];
  readonly requestId: string;
  /** Seconds after which the service wants to be asked again, where it says so. */
  readonly retryAfter: number | undefined;

  constructor(message: string, options: PharosErrorOptions) {
    super(message, { cause: options.cause });
    this.name = options.name;
    this.code = options.code;
    this.status = options.status;
    this.details = options.details ?? [];
    this.requestId = options.requestId ?? '';
    this.retryAfter = options.retryAfter;
  }
}

/** What the service said about a request that it refused. */
export function errorOfAnswer(status: number, answer: unknown, retryAfterHeader: string | null = null): PharosError {
  const retryAfter = readSeconds(retryAfterHeader);
  const { error } = (answer ?? {}) as {
    readonly error?: PharosErrorOptions & { readonly error: string };
  };
  if (!error || typeof error !== 'object')
    return new PharosError(`The service answered with the status ${status} and nothing readable.`, {
      name: 'Unreadable',
      code: 0,
      status,
      retryAfter,
    });
  const { name, code, details = [], requestId = '' } = error;
  return new PharosError(error.error, { name, code, status, details, requestId, retryAfter });
}

/** A proxy may send a date instead; then the usual waits have to do. */
function readSeconds(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}
