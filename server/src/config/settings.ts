import {
  corsOrigins,
  file,
  folder,
  headerPrefixes,
  host,
  integer,
  logLevel,
  logLevels,
  mailAddress,
  onOrOff,
  postgresUrl,
  secretKeys,
  targets,
  trustProxy,
  url,
} from './setting-values.ts';

/** Every setting, with its variable, its flag and its text in `--help`. */

/** All settings, read once at the start and never changed. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** The folder of the embedded database and of files. */
  readonly dataFolder: string;
  /** PostgreSQL instead of the embedded database. */
  readonly databaseUrl: string | undefined;
  readonly databasePool: number;
  /** How long PostgreSQL may take for a short statement; the other time limits are derived from it. */
  readonly databaseTimeoutMs: number;
  /** Without a slash at the end. Undefined: made from host and port once the service listens. */
  readonly publicUrl: string | undefined;
  readonly headerPrefixes: readonly string[];
  readonly corsOrigins: readonly string[] | '*';
  readonly trustProxy: false | number | readonly string[];
  readonly maxFileBytes: number;
  /** New content is refused while fewer bytes are free on the disk of the data folder. */
  readonly minFreeBytes: number;
  /** Bytes kept beside an embedded database for deletions, sign-ins and a start on a full disk. */
  readonly reserveBytes: number;
  /** Concurrent connections of one client address; 0: no limit. */
  readonly connectionsPerAddress: number;
  readonly queryDeadlineMs: number;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `smtp://user:password@host:587`; undefined: no mail is sent. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** Hosts, addresses and networks that webhooks and broker connections may use although they are not public. */
  readonly privateTargets: readonly string[];
  /** How many calls of one webhook may wait; beyond that the oldest are given up. */
  readonly webhookBacklog: number;
  /** The port on which devices connect by MQTT; undefined: none. */
  readonly mqttPort: number | undefined;
  readonly mqttHost: string;
  /** Files in PEM; undefined: without TLS. */
  readonly mqttCert: string | undefined;
  readonly mqttKey: string | undefined;
  /** Encrypt credentials in the database: the first seals, all open. Empty: a generated key in the data folder. */
  readonly secretKeys: readonly Buffer[];
  /** Whether this process runs the jobs of the outbox, or leaves them to `pharos work`. */
  readonly worker: boolean;
  /** Replaces the push services' own addresses, for tests and benches. */
  readonly pushUrl: string | undefined;
  /** How long a push service may take to answer one message. */
  readonly pushTimeoutMs: number;
  /** A file with certificates (PEM) to trust there. */
  readonly pushCa: string | undefined;
  /** How long the jobs of a dead worker stay reserved. */
  readonly jobLeaseMs: number;
}

export interface Setting {
  readonly name: keyof Config;
  readonly variable: string;
  readonly flag: string;
  readonly fallback: string;
  readonly help: string;
  /** The value is secret and never printed. */
  readonly secret?: true;
  /** Throws an Error whose message completes "PHAROS_X …". */
  readonly parse: (text: string) => unknown;
}

export const settings: readonly Setting[] = [
  {
    name: 'host',
    variable: 'PHAROS_HOST',
    flag: 'host',
    fallback: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 opens it to the network',
    parse: host,
  },
  {
    name: 'port',
    variable: 'PHAROS_PORT',
    flag: 'port',
    fallback: '8080',
    help: 'port to listen on; 0 chooses a free one',
    parse: integer(0, 65535),
  },
  {
    name: 'dataFolder',
    variable: 'PHAROS_DATA',
    flag: 'data',
    fallback: './data',
    help: 'folder of the embedded database and of files',
    parse: folder,
  },
  {
    name: 'databaseUrl',
    variable: 'PHAROS_DATABASE_URL',
    flag: 'database-url',
    fallback: '',
    help: 'PostgreSQL instead of the embedded database, such as postgres://user:password@host/pharos; hosts joined by commas',
    secret: true,
    parse: postgresUrl,
  },
  {
    name: 'databasePool',
    variable: 'PHAROS_DATABASE_POOL',
    flag: 'database-pool',
    fallback: '10',
    help: 'connections to PostgreSQL',
    parse: integer(1, 500),
  },
  {
    name: 'databaseTimeoutMs',
    variable: 'PHAROS_DATABASE_TIMEOUT_MS',
    flag: 'database-timeout-ms',
    fallback: '10000',
    help: 'how long PostgreSQL may take for a short statement; a commit and a connection get half, a lock a quarter of it',
    parse: integer(200, 600_000),
  },
  {
    name: 'publicUrl',
    variable: 'PHAROS_PUBLIC_URL',
    flag: 'public-url',
    fallback: '',
    help: 'address under which clients reach the service; addresses of files begin with it',
    parse: url('http:', 'https:'),
  },
  {
    name: 'headerPrefixes',
    variable: 'PHAROS_HEADER_PREFIXES',
    flag: 'header-prefixes',
    fallback: 'X-Service-',
    help: 'prefixes of the headers AppId and AppKey, joined by commas',
    parse: headerPrefixes,
  },
  {
    name: 'corsOrigins',
    variable: 'PHAROS_CORS_ORIGINS',
    flag: 'cors-origins',
    fallback: '*',
    help: 'web origins that may call /api/v2, joined by commas, or *',
    parse: corsOrigins,
  },
  {
    name: 'trustProxy',
    variable: 'PHAROS_TRUST_PROXY',
    flag: 'trust-proxy',
    fallback: 'false',
    help: "how many proxies stand in front, or their addresses, to take the client's address from X-Forwarded-For",
    parse: trustProxy,
  },
  {
    name: 'maxFileBytes',
    variable: 'PHAROS_MAX_FILE_BYTES',
    flag: 'max-file-bytes',
    fallback: '26214400',
    help: 'the largest file that can be uploaded',
    parse: integer(1, 10_737_418_240),
  },
  {
    name: 'minFreeBytes',
    variable: 'PHAROS_MIN_FREE_BYTES',
    flag: 'min-free-bytes',
    fallback: '104857600',
    help: 'new content is refused while less is free on the disk of the data folder',
    parse: integer(0, 1_099_511_627_776),
  },
  {
    name: 'reserveBytes',
    variable: 'PHAROS_RESERVE_BYTES',
    flag: 'reserve-bytes',
    fallback: '67108864',
    help: 'kept beside the embedded database for deletions and a start on a full disk; 0 keeps none',
    parse: integer(0, 10_737_418_240),
  },
  {
    name: 'connectionsPerAddress',
    variable: 'PHAROS_CONNECTIONS_PER_ADDRESS',
    flag: 'connections-per-address',
    fallback: '2000',
    help: 'concurrent connections of one client address; trusted proxies are exempt; 0 means no limit',
    parse: integer(0, 1_000_000),
  },
  {
    name: 'queryDeadlineMs',
    variable: 'PHAROS_QUERY_DEADLINE_MS',
    flag: 'query-deadline-ms',
    fallback: '5000',
    help: 'how long a query may run',
    parse: integer(10, 600_000),
  },
  {
    name: 'logLevel',
    variable: 'PHAROS_LOG_LEVEL',
    flag: 'log-level',
    fallback: 'info',
    help: logLevels.join(', '),
    parse: logLevel,
  },
  {
    name: 'smtpUrl',
    variable: 'PHAROS_SMTP_URL',
    flag: 'smtp-url',
    fallback: '',
    help: 'mail server for password resets, such as smtp://user:password@host:587',
    secret: true,
    parse: url('smtp:', 'smtps:'),
  },
  {
    name: 'mailFrom',
    variable: 'PHAROS_MAIL_FROM',
    flag: 'mail-from',
    fallback: 'Pharos <pharos@localhost>',
    help: 'sender of mails',
    parse: mailAddress,
  },
  {
    name: 'privateTargets',
    variable: 'PHAROS_PRIVATE_TARGETS',
    flag: 'private-targets',
    fallback: '',
    help: 'hosts and networks of your own in which webhooks and MQTT brokers may lie, such as crm.lan,10.1.0.0/16',
    parse: targets,
  },
  {
    name: 'webhookBacklog',
    variable: 'PHAROS_WEBHOOK_BACKLOG',
    flag: 'webhook-backlog',
    fallback: '10000',
    help: 'how many calls of one webhook may wait for a receiver that is down; beyond that the oldest are given up',
    parse: integer(1, 1_000_000),
  },
  {
    name: 'mqttPort',
    variable: 'PHAROS_MQTT_PORT',
    flag: 'mqtt-port',
    fallback: '',
    help: 'port for devices that speak MQTT, usually 1883 or 8883; 0 chooses a free one, empty means none',
    parse: (text) => (text === '' ? undefined : integer(0, 65535)(text)),
  },
  {
    name: 'mqttHost',
    variable: 'PHAROS_MQTT_HOST',
    flag: 'mqtt-host',
    fallback: '127.0.0.1',
    help: 'address on which to listen for devices; 0.0.0.0 opens it to the network',
    parse: host,
  },
  {
    name: 'mqttCert',
    variable: 'PHAROS_MQTT_CERT',
    flag: 'mqtt-cert',
    fallback: '',
    help: 'certificate in PEM for MQTT over TLS; read at the start',
    parse: file,
  },
  {
    name: 'mqttKey',
    variable: 'PHAROS_MQTT_KEY',
    flag: 'mqtt-key',
    fallback: '',
    help: "the certificate's private key in PEM",
    parse: file,
  },
  {
    name: 'secretKeys',
    variable: 'PHAROS_SECRET_KEY',
    flag: 'secret-key',
    fallback: '',
    help: 'key for credentials in the database, 32 bytes in base64; by default created in the data folder of an embedded database',
    secret: true,
    parse: secretKeys,
  },
  {
    name: 'worker',
    variable: 'PHAROS_WORKER',
    flag: 'worker',
    fallback: 'on',
    help: 'off leaves deliveries and other background work to pharos work',
    parse: onOrOff,
  },
  {
    name: 'pushTimeoutMs',
    variable: 'PHAROS_PUSH_TIMEOUT_MS',
    flag: 'push-timeout-ms',
    fallback: '10000',
    help: 'how long a push service may take to answer; the message is tried again then',
    parse: integer(100, 60_000),
  },
  {
    name: 'pushUrl',
    variable: 'PHAROS_PUSH_URL',
    flag: 'push-url',
    fallback: '',
    help: "for tests: replaces FCM's, APNs' and Web Push's own addresses",
    parse: url('https:'),
  },
  {
    name: 'pushCa',
    variable: 'PHAROS_PUSH_CA',
    flag: 'push-ca',
    fallback: '',
    help: 'for tests: a file with the certificates to trust there',
    parse: file,
  },
  {
    name: 'jobLeaseMs',
    variable: 'PHAROS_JOB_LEASE_MS',
    flag: 'job-lease-ms',
    fallback: '30000',
    help: 'how long the work of a process that died waits before another one takes it',
    parse: integer(1000, 600_000),
  },
];
