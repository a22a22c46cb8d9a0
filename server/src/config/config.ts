import { join } from 'node:path';
import type { BlobPlaces } from '../blobs/open.ts';
import { type Config, settings } from './settings.ts';

export type { Config } from './settings.ts';

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;
/** Flags without their dashes: `{ port: '8080' }`. They override the environment. */
export type Flags = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration.
 *
 * @throws ConfigError that lists every problem, not only the first; misspelt PHAROS_ variables are problems too
 */
export function readConfig(environment: Environment, flags: Flags = {}): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const setting of settings) {
    const fromFlag = flags[setting.flag];
    const text = fromFlag ?? environment[setting.variable] ?? setting.fallback;
    try {
      values[setting.name] = setting.parse(text);
    } catch (error) {
      const shown = setting.secret ? '' : `, not ${JSON.stringify(text)}`;
      problems.push(
        `${fromFlag === undefined ? setting.variable : `--${setting.flag}`} ${(error as Error).message}${shown}`,
      );
    }
  }
  problems.push(...unknownVariables(environment));
  if ((values['mqttCert'] === undefined) !== (values['mqttKey'] === undefined))
    problems.push('PHAROS_MQTT_CERT and PHAROS_MQTT_KEY belong together: set both or neither');
  const { gatewayBrokerUrl: broker, gatewayBrokerTopics: topics, gatewayBrokerApp: app } = values;
  const given = [broker, (topics as readonly string[] | undefined)?.length, app].filter(Boolean).length;
  if (given % 3 !== 0)
    problems.push(
      'PHAROS_GATEWAY_BROKER_URL, PHAROS_GATEWAY_BROKER_TOPICS and PHAROS_GATEWAY_BROKER_APP belong together: set all or none',
    );
  if (values['port'] && values['port'] === values['mqttPort'] && values['host'] === values['mqttHost'])
    problems.push(`PHAROS_PORT and PHAROS_MQTT_PORT must differ, not both be ${String(values['port'])}`);
  if (values['filesRedirect'] === true && values['filesUrl'] === undefined)
    problems.push(
      'PHAROS_FILES_REDIRECT needs PHAROS_FILES_URL: files of the data folder are read from this service only',
    );
  if (values['busUrl'] !== undefined && values['databaseUrl'] === undefined)
    problems.push('PHAROS_BUS_URL is for several nodes on PostgreSQL; set PHAROS_DATABASE_URL too, or leave it out');
  if (Number(values['processes']) > 1 && values['databaseUrl'] === undefined)
    problems.push(
      'PHAROS_PROCESSES above 1 needs PostgreSQL, since the embedded database belongs to one process; set PHAROS_DATABASE_URL too, or leave it out',
    );
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values) as unknown as Config;
}

function unknownVariables(environment: Environment): string[] {
  const known = new Set(settings.map(({ variable }) => variable));
  return Object.keys(environment)
    .filter((name) => name.startsWith('PHAROS_') && !known.has(name) && !name.startsWith('PHAROS_TEST_'))
    .map((name) => `${name} is not a setting; see pharos serve --help`);
}

export function databaseFile(config: Config): string {
  return join(config.dataFolder, 'pharos.db');
}

export function filesFolder(config: Config): string {
  return join(config.dataFolder, 'files');
}

/** Where parts of uploads to S3 wait while they arrive. */
function uploadsFolder(config: Config): string {
  return join(config.dataFolder, 'uploads');
}

export function blobPlaces(config: Config): BlobPlaces {
  return {
    folder: filesFolder(config),
    spool: uploadsFolder(config),
    s3: config.filesUrl,
    timeoutMs: config.filesTimeoutMs,
  };
}

export function backupsFolder({ backupFolder, dataFolder }: Pick<Config, 'backupFolder' | 'dataFolder'>): string {
  return backupFolder ?? join(dataFolder, 'backups');
}

export function settingsHelp(): string {
  return settings
    .map(
      ({ flag, variable, fallback, help }) =>
        `  --${flag.padEnd(18)} ${variable.padEnd(26)} ${help}${fallback === '' ? '' : ` (${fallback})`}`,
    )
    .join('\n');
}
