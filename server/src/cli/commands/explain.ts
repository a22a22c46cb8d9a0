import { Failure, failureOf } from '../../base/errors.ts';
import { StorageFault } from '../../blobs/blob-store.ts';
import { type Config, ConfigError } from '../../config/config.ts';
import { readPostgresAddress } from '../../db/postgres/postgres-servers.ts';
import { UsageError } from '../support/command.ts';
import { ServiceError } from '../support/service-client.ts';

interface CodedError extends Error {
  readonly code?: string;
  readonly path?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'ENOENT', 'EEXIST', 'EISDIR']);
/** Wrong password, unknown user, unknown database, no permission. */
const refusedByPostgres = /^(28|3D|42501|0A|08)/;

/** One sentence for the person at the terminal that says what to do. */
export function explain(error: unknown, config: Config | undefined): string {
  if (!(error instanceof Error)) return `Unexpected: ${String(error)}`;
  if (error instanceof ConfigError || error instanceof UsageError || error instanceof ServiceError)
    return error.message;
  const cause = rootOf(error);
  const known = explainListening(cause, config) ?? explainDatabase(cause, config) ?? explainFiles(cause);
  if (known) return known;
  if (cause instanceof StorageFault) return cause.message;
  if (failureOf(error) || error.constructor === Error) return error.message;
  // A mistake in the program: the stack trace helps most.
  return `Unexpected: ${error.stack ?? error.message}`;
}

export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof ConfigError || error instanceof UsageError ? 2 : 1;
}

function rootOf(error: Error): CodedError {
  // Only a Failure hides what a person at the terminal wants to know; other messages are written for that person.
  const root = error instanceof Failure && error.cause instanceof Error ? error.cause : error;
  // A connection tried over IPv6 and IPv4 fails with both errors.
  return root instanceof AggregateError && root.errors[0] instanceof Error ? root.errors[0] : root;
}

function explainListening(error: CodedError, config: Config | undefined): string | undefined {
  // Of several processes the one that starts them binds the address.
  if (!['listen', 'bind', 'getaddrinfo'].includes(error.syscall ?? '') || !config) return undefined;
  // The service listens on two addresses; the error says which one it is about.
  const name = error.hostname ?? error.address;
  const isMqtt =
    (error.port !== undefined && error.port === config.mqttPort && error.port !== config.port) ||
    (name === config.mqttHost && name !== config.host);
  if (error.syscall === 'getaddrinfo' && !isMqtt && error.hostname !== config.host) return undefined;
  const { host, port, flag, variable } = isMqtt
    ? { host: config.mqttHost, port: config.mqttPort, flag: 'mqtt-', variable: 'MQTT_' }
    : { host: config.host, port: config.port, flag: '', variable: '' };
  switch (error.code) {
    case 'EADDRINUSE':
      return `The address ${host}:${port} is in use. Stop the program that listens there, or choose another port with --${flag}port or PHAROS_${variable}PORT.`;
    case 'EACCES':
      return `This user may not listen on ${host}:${port}. Choose a port from 1024 on with --${flag}port or PHAROS_${variable}PORT.`;
    case 'EADDRNOTAVAIL':
    case 'EAI_AGAIN':
    case 'ENOTFOUND':
      return `This machine has no address ${host}. Choose another with --${flag}host or PHAROS_${variable}HOST.`;
    default:
      return undefined;
  }
}

function explainDatabase(error: CodedError, config: Config | undefined): string | undefined {
  const code = error.code ?? '';
  if (code.startsWith('SQLITE_')) {
    return `The database in ${config?.dataFolder} cannot be used: ${error.message} (${code}). See: pharos doctor`;
  }
  if (!config?.databaseUrl) return undefined;
  if (error.name === 'NoUsableServer') return `${error.message} Check PHAROS_DATABASE_URL.`;
  const { servers } = readPostgresAddress(config.databaseUrl);
  const host = servers.map(({ name }) => name).join(', ');
  if (code === '25006')
    return `PostgreSQL at ${host} accepts no writes: it is a standby or read-only. Name the primary.`;
  if (
    unreachable.has(code) ||
    /timeout exceeded when trying to connect|timeout expired|Connection terminated/.test(error.message)
  ) {
    return `PostgreSQL at ${host} cannot be reached (${code || error.message}). Is it running, and is PHAROS_DATABASE_URL right?`;
  }
  if (refusedByPostgres.test(code))
    return `PostgreSQL at ${host} refuses the connection: ${error.message} (${code}). Check PHAROS_DATABASE_URL.`;
  return undefined;
}

function explainFiles(error: CodedError): string | undefined {
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  // Writing to an open file fails without its path.
  if (isFull && error.path === undefined)
    return `The disk is full (${error.code}). Make room, or choose another folder.`;
  if (!unwritable.has(error.code ?? '') || error.path === undefined) return undefined;
  if (error.code === 'EEXIST')
    return error.syscall === 'mkdir'
      ? `${error.path} cannot be used: it is not a folder. Choose another folder.`
      : `${error.path} exists already and is not overwritten. Choose another name.`;
  const reason = error.message.replace(/^[A-Z]+: /, '').split(',')[0];
  return `${error.path} cannot be used: ${reason} (${error.code}). ${isFull ? 'Make room, or choose another folder.' : 'Choose another folder, or change its owner and permissions.'}`;
}
