/** How long this side waits, in milliseconds. */
export interface PostgresLimits {
  /** For a new connection, from the first packet to the first answer. */
  readonly connect: number;
  /** For a connection of the pool, new or returned. */
  readonly acquire: number;
  /** For a short statement; the server ends it. */
  readonly statement: number;
  /** For a lock within a statement; the server ends it. */
  readonly lock: number;
  /** For a commit: only this side ends the wait for a synchronous standby. */
  readonly commit: number;
  /** For a whole transaction. */
  readonly transaction: number;
  /** After this long without an answer to a statement, this side checks that the server is still there. */
  readonly suspect: number;
}

/** How long after its own limit a server may take to report it before the connection is given up. */
export const graceMs = 1_000;

/** All limits are derived from `PHAROS_DATABASE_TIMEOUT_MS`, so that they keep their order. */
export function limitsOf(timeoutMs: number): PostgresLimits {
  const share = (part: number) => Math.max(50, Math.round(timeoutMs * part));
  return {
    connect: share(0.3),
    acquire: share(0.5),
    statement: timeoutMs,
    lock: share(0.25),
    commit: share(0.5),
    transaction: share(2),
    suspect: share(0.1),
  };
}
