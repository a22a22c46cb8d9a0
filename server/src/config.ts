import { join } from 'node:path';
import { settings } from './settings.ts';

/** Everything that can be set, read once at the start and never changed. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** The folder of the embedded database and of files. */
  readonly dataFolder: string;
  /** PostgreSQL instead of the embedded database. */
  readonly databaseUrl: string | undefined;
  readonly databasePool: number;
  /** Without a slash at the end. Undefined: made from host and port once the service listens. */
  readonly publicUrl: string | undefined;
  readonly headerPrefixes: readonly string[];
  readonly corsOrigins: readonly string[] | '*';
  readonly trustProxy: boolean | readonly string[];
  readonly maxFileBytes: number;
  readonly queryDeadlineMs: number;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `smtp://user:password@host:587`; undefined: no mail is sent. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** Hosts, addresses and networks that webhooks and broker connections may go to although they are not public. */
  readonly privateTargets: readonly string[];
  /** How many calls of one webhook may wait; of more, the oldest are given up. */
  readonly webhookBacklog: number;
  /** Where devices connect by MQTT; undefined: nowhere. */
  readonly mqttPort: number | undefined;
  readonly mqttHost: string;
  /** Files in PEM; undefined: without TLS. */
  readonly mqttCert: string | undefined;
  readonly mqttKey: string | undefined;
  /** Encrypt credentials in the database: the first seals, all open. Empty: a key of its own in the data folder. */
  readonly secretKeys: readonly Buffer[];
  /** Whether this process does what waits in the outbox, or leaves it to `pharos work`. */
  readonly worker: boolean;
  /** Takes the place of the push services' own addresses, for tests and benches. */
  readonly pushUrl: string | undefined;
  /** How long a push service may take to answer one message. */
  readonly pushTimeoutMs: number;
  /** A file with certificates (PEM) to trust there. */
  readonly pushCa: string | undefined;
  /** How long a worker that died keeps a job from the others. */
  readonly jobLeaseMs: number;
}

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
/** Flags without their dashes: `{ port: '8080' }`. They win over the environment. */
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
    problems.push('PHAROS_MQTT_CERT and PHAROS_MQTT_KEY go together: set both or none');
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

/** The settings as `--help` shows them. */
export function settingsHelp(): string {
  return settings
    .map(
      ({ flag, variable, fallback, help }) =>
        `  --${flag.padEnd(18)} ${variable.padEnd(26)} ${help}${fallback === '' ? '' : ` (${fallback})`}`,
    )
    .join('\n');
}
