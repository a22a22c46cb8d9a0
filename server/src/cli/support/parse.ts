import { parseArgs } from 'node:util';
import { type Config, type Environment, readConfig } from '../../config/config.ts';
import { settings } from '../../config/settings.ts';
import { type Command, type CommandCall, type Terminal, UsageError } from './command.ts';

type Parsed = ReturnType<typeof parseArgs>['values'];

/** The command that the first words name, and the words after it. */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined {
  for (const length of [3, 2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = commands.find((candidate) => candidate.name === name);
    if (command) return { command, rest: words.slice(length) };
  }
  return undefined;
}

/** @throws UsageError for an unknown option, a missing argument or an extra one */
export function parseCall(
  command: Command,
  words: readonly string[],
  context: { readonly environment: Environment; readonly terminal: Terminal },
): CommandCall & { readonly wantsHelp: boolean } {
  const { values, positionals } = parseWords(command, words);
  const wantsHelp = values['help'] === true;
  if (!wantsHelp) {
    assertArguments(command, positionals);
    assertOptions(command, values);
  }
  return {
    wantsHelp,
    config: (fallbacks = {}) => readConfiguration(values, { ...fallbacks, ...context.environment }),
    text: (option) => texts(values, option).at(-1),
    texts: (option) => texts(values, option),
    has: (option) => values[option] !== undefined,
    arguments: positionals,
    isJson: values['json'] === true,
    terminal: context.terminal,
    environment: context.environment,
  };
}

function parseWords(command: Command, words: readonly string[]) {
  const options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    json: { type: 'boolean' },
  };
  for (const { flag } of settings) options[flag] = { type: 'string' };
  for (const [name, { value, multiple = false }] of Object.entries(command.options ?? {}))
    options[name] = { type: value === undefined ? 'boolean' : 'string', multiple };
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    // The rest of Node's message explains how to escape positional arguments, which does not help here.
    const [sentence = ''] = (error as Error).message.split(/\. |\n/);
    throw usage(command, `${sentence.replace(/\.$/, '')}.`);
  }
}

function usage(command: Command, problem: string): UsageError {
  return new UsageError(`${problem} See: pharos ${command.name} --help`);
}

function texts(values: Parsed, option: string): readonly string[] {
  const value = values[option];
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
}

function assertArguments(command: Command, given: readonly string[]): void {
  const wanted = command.arguments ?? [];
  const missing = wanted.slice(given.length).find(({ optional }) => !optional);
  if (missing) throw usage(command, `${missing.name} is missing: ${missing.help}.`);
  const extra = given[wanted.length];
  if (extra !== undefined) throw usage(command, `"${extra}" is one argument too many.`);
}

function assertOptions(command: Command, values: Parsed): void {
  for (const [name, { required, value }] of Object.entries(command.options ?? {})) {
    if (required && values[name] === undefined) throw usage(command, `--${name} ${value ?? ''} is missing.`);
  }
}

function readConfiguration(values: Parsed, environment: Environment): Config {
  const flags = Object.fromEntries(
    settings.flatMap(({ flag }) => {
      const value = values[flag];
      return typeof value === 'string' ? [[flag, value]] : [];
    }),
  );
  return readConfig(environment, flags);
}
