import { setTimeout as delay } from 'node:timers/promises';
import { type Failure, fail } from '../../base/errors.ts';
import type { Connection } from './postgres-connection.ts';
import { isConnectionLost, WrongServer } from './postgres-error.ts';

/** The pause between two tries to reach a lost server. */
const probeEveryMs = 200;

export type Trouble = {
  /**
   * `unreachable`: no new connection can be made. `unconfirmed`: a commit was not confirmed in time, so no new one is
   * begun.
   */
  readonly kind: 'unreachable' | 'unconfirmed';
  readonly failure: Failure;
};

const troubles: Readonly<Record<Trouble['kind'], string>> = {
  unreachable: 'The database does not answer. Try again.',
  unconfirmed: 'The database does not confirm writes at the moment. Try again.',
};

function troubleOf(kind: Trouble['kind'], cause: unknown): Trouble {
  return { kind, failure: fail('Timeout', { message: troubles[kind], retryAfter: 1, cause }) };
}

export interface OutageDeps {
  /** No outage begins any more, and the wait for the end of one is over. */
  readonly closing: AbortSignal;
  /** A connection that is not open yet, for nobody else. */
  readonly connection: () => Connection;
  /** Proves on it that a write would be confirmed. */
  readonly prove: (connection: Connection) => Promise<void>;
}

/** The breaker: from when on the database is lost, until a write has been confirmed again. */
export class Outage {
  readonly #deps: OutageDeps;
  #trouble: Trouble | undefined;
  #probing: Promise<void> | undefined;
  #onTrouble: ((trouble: Trouble | undefined) => void) | undefined;

  constructor(deps: OutageDeps) {
    this.#deps = deps;
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** Reports when the database is lost, and when it is back (undefined). */
  onTrouble(listener: (trouble: Trouble | undefined) => void): void {
    this.#onTrouble = listener;
  }

  begin(kind: Trouble['kind'], cause: unknown): void {
    if (this.#deps.closing.aborted || this.#trouble?.kind === kind) return;
    this.#trouble = troubleOf(kind, cause);
    this.#onTrouble?.(this.#trouble);
    this.#probing ??= this.#probeUntilWell().finally(() => {
      this.#probing = undefined;
    });
  }

  /** After closing: nothing is tried any more. */
  async settled(): Promise<void> {
    await this.#probing;
  }

  /** On connections of its own, so that it neither waits for others nor delays them. */
  async #probeUntilWell(): Promise<void> {
    const { closing: signal, connection: make, prove } = this.#deps;
    while (!signal.aborted && this.#trouble) {
      const connection = make();
      const stop = () => connection.destroy(new Error('closed'));
      signal.addEventListener('abort', stop);
      try {
        await connection.connect();
        // At least it can be read from.
        if (this.#trouble.kind === 'unreachable') this.#trouble = troubleOf('unconfirmed', this.#trouble.failure.cause);
        await prove(connection).catch((error: unknown) => {
          // Any other answer is an answer: this kind of trouble is over.
          if (connection.givenUp || isConnectionLost(error) || error instanceof WrongServer) throw error;
        });
        this.#well();
      } catch {
        await delay(probeEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
      } finally {
        signal.removeEventListener('abort', stop);
        connection.end(() => undefined);
      }
    }
  }

  #well(): void {
    this.#trouble = undefined;
    this.#onTrouble?.(undefined);
  }
}
