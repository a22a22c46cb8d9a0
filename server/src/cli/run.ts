import { failureOf } from '../base/errors.ts';
import type { Config, Environment } from '../config/config.ts';
import { settingsHelp } from '../config/config.ts';
import { version } from '../config/version.ts';
import { exitCodeOf, explain } from './commands/explain.ts';
import { commands } from './commands.ts';
import type { Command } from './support/command.ts';
import { type Terminal, UsageError } from './support/command.ts';
import { findCommand, parseCall } from './support/parse.ts';

export interface Invocation {
  /** Everything behind `pharos`. */
  readonly words: readonly string[];
  readonly environment: Environment;
  readonly terminal: Terminal;
}

/** Runs one command line and returns the exit code: 0 done, 1 failed, 2 wrong command line or configuration. */
export async function runCommandLine({ words, environment, terminal }: Invocation): Promise<0 | 1 | 2> {
  const isJson = words.includes('--json');
  let config: Config | undefined;
  try {
    const found = findCommand(commands, words);
    if (!found) return runWithoutCommand(words, terminal);
    const call = parseCall(found.command, found.rest, { environment, terminal });
    if (call.wantsHelp) {
      terminal.out(commandHelp(found.command));
      return 0;
    }
    const outcome = await found.command.run({
      ...call,
      config(fallbacks) {
        config = call.config(fallbacks);
        return config;
      },
    });
    if (outcome) terminal.out(isJson ? JSON.stringify(outcome.json) : outcome.text);
    return outcome?.isFailure ? 1 : 0;
  } catch (error) {
    const message = explain(error, config);
    terminal.err(isJson ? JSON.stringify({ error: errorJson(error, message) }) : message);
    return exitCodeOf(error);
  }
}

function runWithoutCommand(words: readonly string[], terminal: Terminal): 0 | 2 {
  const [first = ''] = words;
  if (first === '--version' || first === '-v') {
    terminal.out(version);
    return 0;
  }
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (words.includes('--help') || words.includes('-h') || first === 'help') {
    terminal.out(overview(group.length > 0 ? group : commands));
    return 0;
  }
  if (first === '') throw new UsageError(overview(commands));
  const names = group.length > 0 ? group.map(({ name }) => name).join(', ') : undefined;
  throw new UsageError(
    names ? `"pharos ${first}" needs one of: ${names}.` : `There is no command "${first}". See: pharos --help`,
  );
}

function errorJson(error: unknown, message: string): object {
  const failure = failureOf(error);
  if (!failure) return { message };
  const { details, entry } = failure;
  return { message, name: entry.name, code: entry.code, ...(details.length > 0 ? { details } : {}) };
}

const column = 34;

function line(left: string, right: string): string {
  return left.length >= column - 1 ? `  ${left}\n  ${' '.repeat(column)}${right}` : `  ${left.padEnd(column)}${right}`;
}

function argumentsOf(command: Command): string {
  return (command.arguments ?? []).map(({ name, optional }) => (optional ? ` [${name}]` : ` ${name}`)).join('');
}

function overview(commands: readonly Command[]): string {
  return [
    'Usage: pharos COMMAND [options]',
    '',
    'Commands',
    ...commands.map((command) => line(command.name + argumentsOf(command), command.summary)),
    '',
    'pharos COMMAND --help explains a command and lists its settings. --json prints JSON for scripts.',
    'Commands work on the data folder or the PostgreSQL database whether or not a service runs on it; simulate and',
    'replay are clients of a running service.',
    'Exit codes: 0 done, 1 failed, 2 wrong command line or configuration.',
  ].join('\n');
}

function commandHelp(command: Command): string {
  const options = Object.entries(command.options ?? {}).map(([name, { value, help, required }]) =>
    line(`--${name}${value === undefined ? '' : ` ${value}`}`, `${help}${required ? ' (required)' : ''}`),
  );
  return [
    `Usage: pharos ${command.name}${argumentsOf(command)} [options]`,
    '',
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`,
    ...(command.details ? ['', command.details] : []),
    '',
    'Options',
    ...(command.arguments ?? []).map(({ name, help }) => line(name, help)),
    ...options,
    line('--json', 'print JSON for scripts'),
    line('--help', 'show this'),
    '',
    'Settings: flag, environment variable, meaning (default)',
    settingsHelp(),
  ].join('\n');
}
