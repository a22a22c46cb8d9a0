import pg from 'pg';
import { WrongServer } from './postgres-error.ts';
import type { PostgresAddress, PostgresServer } from './postgres-servers.ts';

// Times and counts are far below 2^53; a string for each bigint would have to be converted everywhere.
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** The limits that the server itself holds a connection to. */
export interface SessionLimits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

/** Members that the driver keeps private. */
interface Internals {
  readonly connection: { readonly stream: { destroy(error?: Error): void } };
}

/** A connection to one server. Each of its errors reaches its current user, or nobody. */
export class Connection extends pg.Client {
  readonly server: PostgresServer;
  /** Names of the statements that the server keeps for it. */
  readonly prepared = new Set<string>();
  /** The server has acknowledged a commit without replicating it as required. */
  isUnconfirmed = false;
  /** Why this side gave the connection up. */
  givenUp: Error | undefined;
  readonly #greeting: string;
  readonly #wanted: PostgresAddress['wanted'];
  readonly #noteFailure: (server: PostgresServer, error: Error) => void;

  constructor(server: PostgresServer, how: ConnectionOptions) {
    super({
      connectionString: server.url,
      types,
      application_name: 'pharos',
      connectionTimeoutMillis: how.connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    this.server = server;
    this.#wanted = how.wanted;
    this.#noteFailure = how.noteFailure;
    this.#greeting = greetingOf(how.session);
    // For its whole life: without a listener, an error of the socket ends the process.
    this.on('error', () => undefined);
    this.on('notice', (notice) => {
      if (isUnreplicated(notice)) this.isUnconfirmed = true;
    });
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (!callback) return connected;
    const tell = callback as (error: Error | null, client?: pg.Client) => void;
    connected.then(
      () => tell(null, this),
      (error) => tell(error),
    );
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    try {
      await super.connect();
      await this.#greet();
      return this;
    } catch (error) {
      this.destroy(error as Error);
      this.#noteFailure(this.server, error as Error);
      throw error;
    }
  }

  /** One round trip: sets the session's settings, and checks that it is the requested kind of server. */
  async #greet(): Promise<void> {
    const patience = setTimeout(() => this.destroy(new Error('timeout expired')), this.connectMs);
    try {
      const { rows } = await this.query<{ standby: boolean; read_only: string }>(this.#greeting);
      const [{ standby, read_only: readOnly } = { standby: false, read_only: 'off' }] = rows;
      if (this.#wanted === 'any') return;
      if (standby) throw new WrongServer('it is a standby, which accepts no writes');
      if (this.#wanted === 'read-write' && readOnly === 'on') throw new WrongServer('it is read-only');
    } finally {
      clearTimeout(patience);
    }
  }

  /** Whether statements are sent before those in front of them are answered; the server runs one after the other. */
  set isPipeline(value: boolean) {
    (this as { pipeline: boolean }).pipeline = value;
  }

  get connectMs(): number {
    return (this as unknown as { readonly _connectionTimeoutMillis: number })._connectionTimeoutMillis;
  }

  /** Ends it at once, without notifying the server; its running statement fails. */
  destroy(reason: Error): void {
    this.givenUp ??= reason;
    (this as unknown as Internals).connection.stream.destroy(reason);
  }
}

type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

export interface ConnectionOptions {
  readonly connectMs: number;
  readonly wanted: PostgresAddress['wanted'];
  readonly session: SessionLimits;
  readonly noteFailure: (server: PostgresServer, error: Error) => void;
}

/**
 * A statement sets these, not the start of the connection, where PgBouncer refuses settings that it does not know.
 * Warnings are requested because one of them says that a commit was not replicated.
 */
function greetingOf({ statementMs, lockMs, idleInTransactionMs }: SessionLimits): string {
  const settings = {
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    client_min_messages: 'warning',
  };
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  // PostgreSQL 17 and newer; ours would end in the middle of a migration or a backup.
  const newer = `case when current_setting('transaction_timeout', true) <> '0' then set_config('transaction_timeout', '0', false) end`;
  return `select ${set.join(', ')}, ${newer}, pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only`;
}

/**
 * If the wait of a commit for a synchronous standby was cancelled, PostgreSQL reports the commit as done, after a
 * warning (SQLSTATE 01000, `SyncRepWaitForLSN` in syncrep.c). The text is translated; the names are not.
 */
function isUnreplicated({ routine, file, message }: { routine?: string; file?: string; message?: string }): boolean {
  return (
    routine === 'SyncRepWaitForLSN' || file === 'syncrep.c' || /wait for synchronous replication/.test(message ?? '')
  );
}
