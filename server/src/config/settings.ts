import { readS3Address } from '../blobs/s3-address.ts';
import {
  busUrl,
  corsOrigins,
  file,
  folder,
  headerPrefixes,
  host,
  integer,
  logLevels,
  mailAddress,
  oneOf,
  onOrOff,
  postgresUrl,
  publicUrl,
  secretKeys,
  targets,
  topicFilters,
  topicPrefix,
  trustProxy,
  url,
} from './setting-values.ts';

interface Declaration {
  readonly variable: string;
  readonly fallback: string;
  readonly help: string;
  /** The value is secret and never printed. */
  readonly secret?: true;
  /** Throws an Error whose message completes "PHAROS_X …". */
  readonly parse: (text: string) => unknown;
}

/** Every setting, with its variable and its text in `--help`. */
const declarations = {
  host: {
    variable: 'PHAROS_HOST',
    fallback: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 opens it to the network',
    parse: host,
  },
  port: {
    variable: 'PHAROS_PORT',
    fallback: '8080',
    help: 'port to listen on; 0 chooses a free one',
    parse: integer(0, 65535),
  },
  dataFolder: {
    variable: 'PHAROS_DATA',
    fallback: './data',
    help: 'folder of the embedded database and of files',
    parse: folder,
  },
  /** PostgreSQL instead of the embedded database. */
  databaseUrl: {
    variable: 'PHAROS_DATABASE_URL',
    fallback: '',
    help: 'PostgreSQL instead of the embedded database, such as postgres://user:password@host/pharos; hosts joined by commas',
    secret: true,
    parse: postgresUrl,
  },
  /** A NATS server over which nodes tell one another what they would else find by looking. */
  busUrl: {
    variable: 'PHAROS_BUS_URL',
    fallback: '',
    help: 'NATS server over which several nodes tell one another of changes at once, such as nats://user:password@host:4222',
    secret: true,
    parse: busUrl,
  },
  /** Of `pharos serve`, on one port. */
  processes: {
    variable: 'PHAROS_PROCESSES',
    fallback: '1',
    help: 'processes that serve on one port, best as many as there are cores; more than one needs PostgreSQL',
    parse: integer(1, 64),
  },
  databasePool: {
    variable: 'PHAROS_DATABASE_POOL',
    fallback: '10',
    help: 'connections of a process to PostgreSQL',
    parse: integer(1, 500),
  },
  /** How long PostgreSQL may take for a short statement; the other time limits are derived from it. */
  databaseTimeoutMs: {
    variable: 'PHAROS_DATABASE_TIMEOUT_MS',
    fallback: '10000',
    help: 'how long PostgreSQL may take for a short statement; a commit and a connection get half, a lock a quarter of it',
    parse: integer(200, 600_000),
  },
  /** Without a slash at the end. Undefined: made from host and port once the service listens. */
  publicUrl: {
    variable: 'PHAROS_PUBLIC_URL',
    fallback: '',
    help: 'address under which clients reach the service; addresses of files begin with it',
    parse: publicUrl,
  },
  /** Days after which a backup that was made in the console is deleted; 0: never by itself. */
  backupDays: {
    variable: 'PHAROS_BACKUP_DAYS',
    fallback: '0',
    help: 'days after which a backup made in the console is deleted; 0 keeps it until somebody deletes it',
    parse: integer(0, 3_650),
  },
  /** Where the service writes backups; empty: the folder backups in the data folder. */
  backupFolder: {
    variable: 'PHAROS_BACKUP_FOLDER',
    fallback: '',
    help: 'where the service writes backups, best on another disk; by default the folder backups in the data folder',
    parse: (text) => (text === '' ? undefined : folder(text)),
  },
  headerPrefixes: {
    variable: 'PHAROS_HEADER_PREFIXES',
    fallback: 'X-Service-',
    help: 'prefixes of the headers AppId and AppKey, joined by commas',
    parse: headerPrefixes,
  },
  /** Between the signal to stop and the stop. */
  drainMs: {
    variable: 'PHAROS_DRAIN_MS',
    fallback: '0',
    help: 'how long to go on serving after the signal to stop, with /readyz at 503, so that a load balancer takes this node away first',
    parse: integer(0, 600_000),
  },
  corsOrigins: {
    variable: 'PHAROS_CORS_ORIGINS',
    fallback: '*',
    help: 'web origins that may call /api/v2, joined by commas, or *',
    parse: corsOrigins,
  },
  mcp: {
    variable: 'PHAROS_MCP',
    fallback: 'read',
    help: 'what agents may do at /mcp: read, write (as the key or the role allows), or off',
    parse: oneOf('off', 'read', 'write'),
  },
  trustProxy: {
    variable: 'PHAROS_TRUST_PROXY',
    fallback: 'false',
    help: "how many proxies stand in front, or their addresses, to take the client's address from X-Forwarded-For",
    parse: trustProxy,
  },
  /** An object store that speaks S3, instead of the folder of files in the data folder. */
  filesUrl: {
    variable: 'PHAROS_FILES_URL',
    fallback: '',
    help: 'files in S3 instead of the data folder, such as s3://KEYID:SECRET@host/bucket/prefix?region=R; s3+http:// without TLS',
    secret: true,
    parse: (text) => (text === '' ? undefined : readS3Address(text)),
  },
  filesTimeoutMs: {
    variable: 'PHAROS_FILES_TIMEOUT_MS',
    fallback: '10000',
    help: 'how long S3 may take to answer a request; six times as long for a part of a file',
    parse: integer(100, 600_000),
  },
  /** Whether apps read files from S3 itself. */
  filesRedirect: {
    variable: 'PHAROS_FILES_REDIRECT',
    fallback: 'off',
    help: 'on lets apps read files from S3 itself, at addresses that are valid for a minute',
    parse: onOrOff,
  },
  maxFileBytes: {
    variable: 'PHAROS_MAX_FILE_BYTES',
    fallback: '26214400',
    help: 'the largest file that can be uploaded',
    parse: integer(1, 10_737_418_240),
  },
  /** New content is refused while fewer bytes are free on the disk of the data folder. */
  minFreeBytes: {
    variable: 'PHAROS_MIN_FREE_BYTES',
    fallback: '104857600',
    help: 'new content is refused while less is free on the disk of the data folder',
    parse: integer(0, 1_099_511_627_776),
  },
  /** Bytes kept beside an embedded database for deletions, sign-ins and a start on a full disk. */
  reserveBytes: {
    variable: 'PHAROS_RESERVE_BYTES',
    fallback: '67108864',
    help: 'kept beside the embedded database for deletions and a start on a full disk; 0 keeps none',
    parse: integer(0, 10_737_418_240),
  },
  /** Concurrent connections of one client address; 0: no limit. */
  connectionsPerAddress: {
    variable: 'PHAROS_CONNECTIONS_PER_ADDRESS',
    fallback: '2000',
    help: 'concurrent connections of one client address; trusted proxies are exempt; 0 means no limit',
    parse: integer(0, 1_000_000),
  },
  queryDeadlineMs: {
    variable: 'PHAROS_QUERY_DEADLINE_MS',
    fallback: '5000',
    help: 'how long a query may run',
    parse: integer(10, 600_000),
  },
  logLevel: {
    variable: 'PHAROS_LOG_LEVEL',
    fallback: 'info',
    help: logLevels.join(', '),
    parse: oneOf(...logLevels),
  },
  /** `smtp://user:password@host:587`; undefined: no mail is sent. */
  smtpUrl: {
    variable: 'PHAROS_SMTP_URL',
    fallback: '',
    help: 'mail server for password resets and invitations, such as smtp://user:password@host:587',
    secret: true,
    parse: url('smtp:', 'smtps:'),
  },
  mailFrom: {
    variable: 'PHAROS_MAIL_FROM',
    fallback: 'Pharos <pharos@localhost>',
    help: 'sender of mails',
    parse: mailAddress,
  },
  /** Hosts, addresses and networks that webhooks, broker connections and identity providers may use although they are not public. */
  privateTargets: {
    variable: 'PHAROS_PRIVATE_TARGETS',
    fallback: '',
    help: 'hosts and networks of your own in which webhooks, MQTT brokers and identity providers may lie, such as crm.lan,10.1.0.0/16',
    parse: targets,
  },
  /** How many calls of one webhook may wait; beyond that the oldest are given up. */
  webhookBacklog: {
    variable: 'PHAROS_WEBHOOK_BACKLOG',
    fallback: '10000',
    help: 'how many calls of one webhook may wait for a receiver that is down; beyond that the oldest are given up',
    parse: integer(1, 1_000_000),
  },
  /** The port on which devices connect by MQTT; undefined: none. */
  mqttPort: {
    variable: 'PHAROS_MQTT_PORT',
    fallback: '',
    help: 'port for devices that speak MQTT, usually 1883 or 8883; 0 chooses a free one, empty means none',
    parse: (text) => (text === '' ? undefined : integer(0, 65535)(text)),
  },
  mqttHost: {
    variable: 'PHAROS_MQTT_HOST',
    fallback: '127.0.0.1',
    help: 'address on which to listen for devices; 0.0.0.0 opens it to the network',
    parse: host,
  },
  /** Files in PEM; undefined: without TLS. */
  mqttCert: {
    variable: 'PHAROS_MQTT_CERT',
    fallback: '',
    help: 'certificate in PEM for MQTT over TLS; read again every hour',
    parse: file,
  },
  mqttKey: {
    variable: 'PHAROS_MQTT_KEY',
    fallback: '',
    help: "the certificate's private key in PEM",
    parse: file,
  },
  /** A broker to which gateways publish already; undefined: none. */
  gatewayBrokerUrl: {
    variable: 'PHAROS_GATEWAY_BROKER_URL',
    fallback: '',
    help: 'MQTT broker to which gateways publish already, such as mqtts://user:password@host:8883',
    secret: true,
    parse: url('mqtt:', 'mqtts:'),
  },
  gatewayBrokerTopics: {
    variable: 'PHAROS_GATEWAY_BROKER_TOPICS',
    fallback: '',
    help: 'what to subscribe to there, such as espresense/#,home/+/BTtoMQTT/#',
    parse: topicFilters,
  },
  gatewayBrokerApp: {
    variable: 'PHAROS_GATEWAY_BROKER_APP',
    fallback: '',
    help: 'AppId of the app to which these gateways belong',
    parse: (text) => (text === '' ? undefined : text),
  },
  /** Undefined: Home Assistant is told nothing. */
  gatewayBrokerDiscovery: {
    variable: 'PHAROS_GATEWAY_BROKER_DISCOVERY',
    fallback: '',
    help: 'prefix under which Home Assistant at that broker is told of zones and beacons, usually homeassistant; empty: it is not',
    parse: topicPrefix,
  },
  /** Undefined: no traces, and metrics only at `/metrics`. */
  otlpUrl: {
    variable: 'PHAROS_OTLP_URL',
    fallback: '',
    help: 'collector of OpenTelemetry that gets traces and metrics (OTLP over HTTP), such as http://localhost:4318',
    secret: true,
    parse: url('http:', 'https:'),
  },
  /** Per cent. */
  otlpShare: {
    variable: 'PHAROS_OTLP_SHARE',
    fallback: '100',
    help: 'per cent of the traces that are sent there',
    parse: integer(0, 100),
  },
  /** Encrypt credentials in the database: the first seals, all open. Empty: a generated key in the data folder. */
  secretKeys: {
    variable: 'PHAROS_SECRET_KEY',
    fallback: '',
    help: 'key for credentials in the database, 32 bytes in base64; by default created in the data folder of an embedded database',
    secret: true,
    parse: secretKeys,
  },
  /** Whether this process runs the jobs of the outbox, or leaves them to `pharos work`. */
  worker: {
    variable: 'PHAROS_WORKER',
    fallback: 'on',
    help: 'off leaves deliveries and other background work to pharos work',
    parse: onOrOff,
  },
  /** How long a push service may take to answer one message. */
  pushTimeoutMs: {
    variable: 'PHAROS_PUSH_TIMEOUT_MS',
    fallback: '10000',
    help: 'how long a push service may take to answer; the message is tried again then',
    parse: integer(100, 60_000),
  },
  /** Replaces the push services' own addresses, for tests and benches. */
  pushUrl: {
    variable: 'PHAROS_PUSH_URL',
    fallback: '',
    help: "for tests: replaces FCM's, APNs' and Web Push's own addresses",
    parse: url('https:'),
  },
  /** A file with certificates (PEM) to trust there. */
  pushCa: {
    variable: 'PHAROS_PUSH_CA',
    fallback: '',
    help: 'for tests: a file with the certificates to trust there',
    parse: file,
  },
  /** How long the jobs of a dead worker stay reserved. */
  jobLeaseMs: {
    variable: 'PHAROS_JOB_LEASE_MS',
    fallback: '30000',
    help: 'how long the work of a process that died waits before another one takes it',
    parse: integer(1000, 600_000),
  },
} satisfies Readonly<Record<string, Declaration>>;

type Declarations = typeof declarations;

/** All settings, read once at the start and never changed: of each declaration what it parses to. */
export type Config = { readonly [Name in keyof Declarations]: ReturnType<Declarations[Name]['parse']> };

export interface Setting extends Declaration {
  readonly name: keyof Config;
  /** Without its dashes: `mail-from` for `PHAROS_MAIL_FROM`. */
  readonly flag: string;
}

export const settings: readonly Setting[] = Object.entries<Declaration>(declarations).map(([name, declared]) => ({
  ...declared,
  name: name as keyof Config,
  flag: declared.variable.slice('PHAROS_'.length).toLowerCase().replaceAll('_', '-'),
}));
