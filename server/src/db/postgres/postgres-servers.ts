/** The servers that an address names, and the choice between them. Nothing here loads the driver. */

export interface PostgresServer {
  /** `host:port`, without credentials, for messages. */
  readonly name: string;
  /** The address of this server alone, for the driver. */
  readonly url: string;
}

export interface PostgresAddress {
  readonly servers: readonly PostgresServer[];
  /** libpq's `target_session_attrs`, those values that suit a service that writes. */
  readonly wanted: 'any' | 'read-write' | 'primary';
}

const defaultPort = 5432;

/**
 * Reads `postgres://user:password@host1:5432,host2:5433/database?target_session_attrs=read-write`, as libpq defines it.
 * Without `target_session_attrs`, several hosts mean `read-write`, a single one `any`.
 *
 * @throws Error whose message completes "PHAROS_DATABASE_URL …" and holds no part of the address
 */
export function readPostgresAddress(text: string): PostgresAddress {
  const parts = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#@]*)([^#]*)$/i.exec(text);
  if (!parts) throw new Error('must be an address that begins with postgres:// or postgresql://');
  const [, protocol = '', userInfo, hosts = '', rest = ''] = parts;
  const question = rest.indexOf('?');
  const query = new URLSearchParams(question < 0 ? '' : rest.slice(question + 1));
  const asked = query.get('target_session_attrs');
  query.delete('target_session_attrs');
  if (/,/.test(`${query.get('host') ?? ''}${query.get('port') ?? ''}`))
    throw new Error(
      'must name several hosts in front of the database: postgres://user:password@host1:5432,host2:5432/name',
    );
  const credentials = userInfo === undefined ? '' : `${userInfo}@`;
  const tail = (question < 0 ? rest : rest.slice(0, question)) + (query.size > 0 ? `?${query}` : '');
  const servers = hosts.split(',').map((host): PostgresServer => {
    const url = `${protocol}${credentials}${host}${tail}`;
    // The driver takes an empty host too: a socket named by `?host=`, or the local machine.
    if (host === '' ? hosts !== '' : !URL.canParse(url)) throw new Error('must name each host as host or host:port');
    return { name: host === '' ? (query.get('host') ?? 'localhost') : withPort(host, query.get('port')), url };
  });
  return { servers, wanted: readWanted(asked, servers.length) };
}

function withPort(host: string, port: string | null): string {
  return /:\d+$/.test(host) ? host : `${host}:${port ?? defaultPort}`;
}

function readWanted(asked: string | null, count: number): PostgresAddress['wanted'] {
  if (asked === null) return count > 1 ? 'read-write' : 'any';
  if (asked === 'any' || asked === 'read-write' || asked === 'primary') return asked;
  if (['read-only', 'standby', 'prefer-standby'].includes(asked))
    throw new Error(`must not have target_session_attrs=${asked}: the service writes; use read-write, primary or any`);
  throw new Error('must have target_session_attrs=read-write, primary or any');
}

/** The server in use, until it fails; then the next, in the order of the address. */
export class ServerChoice {
  readonly address: PostgresAddress;
  #index = 0;

  constructor(address: PostgresAddress) {
    this.address = address;
  }

  get current(): PostgresServer {
    return this.address.servers[this.#index] as PostgresServer;
  }

  /** Moves on to the next one, unless that has happened already. */
  failed(server: PostgresServer): void {
    if (server === this.current) this.#index = (this.#index + 1) % this.address.servers.length;
  }
}
