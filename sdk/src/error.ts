/** One broken rule of a request: the member, as a dotted path, and what is wrong with it. */
export interface PharosProblem {
  readonly field: string;
  readonly problem: string;
}

export interface PharosErrorOptions {
  /**
   * The name in the service's catalogue, such as `ObjectNotFound`; without an answer of the service `Unreachable` (no
   * connection), `TimedOut`, `Unreadable` (something else has answered), `StorageFailed` or `NotStreaming`.
   */
  readonly name: string;
  /** The number in the catalogue; 0 if the service did not answer. */
  readonly code: number;
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  readonly details?: readonly PharosProblem[];
  /** Finds the request in the service's log; empty if there was no answer. */
  readonly requestId?: string;
  /** Seconds after which the service wants to be called again. */
  readonly retryAfter?: number | undefined;
  readonly challenge?: string | undefined;
  /** Whether the call may have been carried out all the same; without it, that follows from the rest. */
  readonly mayBeDone?: boolean | undefined;
  readonly cause?: unknown;
}

/** Set on every error of this client, whichever copy of the package created it. */
const mark = Symbol.for('pharos.error');

/** The service's own limit, whatever status a proxy turns it into. */
const limitCode = 904;
const passingStatuses: readonly number[] = [0, 429, 502, 503, 504];
/** Errors of this client before anything was sent. */
const unsentNames: readonly string[] = ['StorageFailed', 'NotStreaming'];
const passingNames: readonly string[] = ['Unreadable', 'StorageFailed'];

/** The only error that this client throws. Its message is a sentence. */
export class PharosError extends Error {
  readonly code: number;
  readonly status: number;
  /** Every broken rule, if the service lists them. */
  readonly details: readonly PharosProblem[];
  readonly requestId: string;
  /** Seconds after which the service wants to be called again, if it says so. */
  readonly retryAfter: number | undefined;
  /** Of a sign-in that needs a second factor: what `users.finishSignIn` continues with. */
  readonly challenge: string | undefined;
  /**
   * Whether the call may have been carried out although it failed: its answer was lost, or the service has lost its database before
   * that confirmed a change. Read what is there before you repeat such a call yourself.
   */
  readonly mayBeDone: boolean;

  constructor(message: string, options: PharosErrorOptions) {
    super(message, { cause: options.cause });
    Object.defineProperty(this, mark, { value: true });
    this.name = options.name;
    this.code = options.code;
    this.status = options.status;
    this.details = options.details ?? [];
    this.requestId = options.requestId ?? '';
    this.retryAfter = options.retryAfter;
    this.challenge = options.challenge;
    const isUnanswered = options.code === 0 && !unsentNames.includes(options.name);
    this.mayBeDone = options.mayBeDone ?? (isUnanswered || options.status === 504);
  }

  /**
   * Whether the same call can succeed later: the service was not reached, was too slow or is busy, or something else
   * answered in its place. The outcome of the call is then unknown, unless the service itself has refused it.
   */
  get retriable(): boolean {
    return passingStatuses.includes(this.status) || this.code === limitCode || passingNames.includes(this.name);
  }

  /** An app can contain the package twice, as a module and as CommonJS; the errors of both are equivalent. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one inherits the method
    return this === PharosError ? isMarked(value) : Function.prototype[Symbol.hasInstance].call(this, value);
  }
}

const isMarked = (value: unknown) => typeof value === 'object' && value !== null && mark in value;

/** The service's message about a request that it refused; `Unreadable` if the answer was not the service's. */
export function errorOfAnswer(status: number, answer: unknown, retryAfterHeader: string | null = null): PharosError {
  const retryAfter = readSeconds(retryAfterHeader);
  const { error } = (answer ?? {}) as { readonly error?: Partial<PharosErrorOptions> & { readonly error?: unknown } };
  if (typeof error?.error !== 'string' || typeof error.name !== 'string' || typeof error.code !== 'number')
    return new PharosError(
      `Something other than the service has answered with the status ${status}, such as a proxy or the sign-in page of a network.`,
      { name: 'Unreadable', code: 0, status, retryAfter },
    );
  const { name, code, details = [], requestId = '', challenge } = error;
  // A service that is busy (429, 503) has done nothing unless it says so.
  const mayBeDone = error.mayBeDone === true;
  return new PharosError(error.error, { name, code, status, details, requestId, retryAfter, challenge, mayBeDone });
}

/** A proxy may send a date instead; then the usual delays apply. */
function readSeconds(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}
