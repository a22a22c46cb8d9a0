import type { Config, Environment } from '../../config/config.ts';

/** The input and output of a command, so that it can run without a terminal. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** All of standard input, as text. */
  readInput(): Promise<string>;
  /** True when a person types: then irreversible commands ask for confirmation. */
  readonly isInteractive: boolean;
}

export interface OptionSpec {
  /** The placeholder for the value in the help; without it the option is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly required?: true;
  readonly multiple?: true;
}

export interface CommandCall {
  /** Reads the configuration from flags and environment, with defaults from `fallbacks`. @throws ConfigError */
  config(fallbacks?: Environment): Config;
  /** The value of an option; undefined when it was not given. */
  text(option: string): string | undefined;
  texts(option: string): readonly string[];
  has(option: string): boolean;
  /** The arguments after the command's name, in order. */
  readonly arguments: readonly string[];
  readonly isJson: boolean;
  readonly terminal: Terminal;
  readonly environment: Environment;
}

/** What a command prints: text for people or, with --json, the object. */
export interface CommandResult {
  readonly text: string;
  readonly json: object;
  /** The command did its work and found a problem: exit code 1. */
  readonly isFailure?: boolean;
}

export interface Command {
  /** As it is typed, such as `app create`. */
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly arguments?: readonly { readonly name: string; readonly help: string; readonly optional?: true }[];
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /** Undefined when it has printed everything itself. */
  run(call: CommandCall): Promise<CommandResult | undefined>;
}

/** The command line is wrong: exit code 2, with what to do instead. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Refuses what cannot be undone until it is confirmed; a script cannot mistype. */
export function confirmDeletion(call: CommandCall, what: string): void {
  if (!call.terminal.isInteractive || call.has('yes')) return;
  throw new UsageError(`This deletes ${what} for good. Repeat the command with --yes.`);
}

export const yesOption: OptionSpec = { help: 'do not ask for a confirmation' };

/** A switch that can be left as it is. @throws UsageError */
export function readSwitch(call: CommandCall, option: string): boolean | undefined {
  const text = call.text(option);
  if (text === undefined || text === 'yes' || text === 'no') return text === undefined ? undefined : text === 'yes';
  throw new UsageError(`--${option} takes yes or no, not "${text}".`);
}

export const appArgument = { name: 'ID', help: 'the app' } as const;
export const appIdOf = (call: CommandCall) => call.arguments[0] ?? '';
