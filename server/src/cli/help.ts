import { settingsHelp } from '../config/config.ts';
import type { Command } from './support/command.ts';

const column = 34;

function line(left: string, right: string): string {
  return left.length >= column - 1 ? `  ${left}\n  ${' '.repeat(column)}${right}` : `  ${left.padEnd(column)}${right}`;
}

function argumentsOf(command: Command): string {
  return (command.arguments ?? []).map(({ name, optional }) => (optional ? ` [${name}]` : ` ${name}`)).join('');
}

export function overview(commands: readonly Command[]): string {
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

export function commandHelp(command: Command): string {
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
