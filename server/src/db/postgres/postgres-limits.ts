/** How long this side waits, in milliseconds. */
export interface PostgresLimits {
  /** For a new connection, from the first packet to its first answer. */
  readonly connect: number;
  /** For a connection of the pool, new or returned. */
  readonly acquire: number;
  /** For a short statement: the server ends it. */
  readonly statement: number;
  /** For a lock inside of a statement: the server ends it. */
  readonly lock: number;
  /** For a commit: nothing but this side ends the wait for a synchronous standby. */
  readonly commit: number;
  /** For a whole transaction. */
  readonly transaction: number;
  /** A statement without an answer for this long makes this side ask whether the server is still there. */
  readonly suspect: number;
}

/** Past its own limit a server has this long to say so before the connection is given up. */
export const graceMs = 1_000;

/** All limits follow from `PHAROS_DATABASE_TIMEOUT_MS`, so that they keep their order. */
export function limitsOf(timeoutMs: number): PostgresLimits {
  const share = (part: number) => Math.max(50, Math.round(timeoutMs * part));
  return {
    connect: Math.min(3_000, share(0.3)),
    acquire: share(0.5),
    statement: timeoutMs,
    lock: share(0.25),
    commit: share(0.5),
    transaction: share(2),
    suspect: Math.min(1_000, share(0.1)),
  };
}
