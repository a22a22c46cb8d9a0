import { readFileSync } from 'node:fs';
import { canonicalJson, isObject } from '@pharos/query';
import { commandLine } from '../../access/audit.ts';
import type { StoredAppRules } from '../../access/rules/rule-types.ts';
import { appArgument, appIdOf, type Command, type CommandCall, UsageError } from '../support/command.ts';
import { withServices } from './storage.ts';

/** Rules of an app as a file in version control. */

const fileArgument = { name: 'FILE', help: 'the rules as JSON; - reads standard input' } as const;

/** @throws UsageError for what is no JSON; whether the rules make sense is the service's to say */
async function readFile(call: CommandCall): Promise<unknown> {
  const file = call.arguments[1] ?? '';
  const text = file === '-' ? await call.terminal.readInput() : readText(file);
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON. Make one with: pharos app rules export ID > rules.json`);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

interface Difference {
  /** `buckets.notes.list` */
  readonly rule: string;
  readonly app: unknown;
  readonly file: unknown;
}

/** The rules that differ; what is missing on one side follows the preset there. */
function differences(app: unknown, file: unknown, depth = 0, at = ''): Difference[] {
  // A rule itself may be an object; it is told as a whole.
  if (depth < 3 && isObject(app ?? {}) && isObject(file ?? {}) && (isObject(app) || isObject(file))) {
    const [left, right] = [app ?? {}, file ?? {}] as Readonly<Record<string, unknown>>[];
    const names = [...new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})])].sort();
    return names.flatMap((name) =>
      differences(left?.[name], right?.[name], depth + 1, at === '' ? name : `${at}.${name}`),
    );
  }
  const isSame = app === undefined || file === undefined ? app === file : canonicalJson(app) === canonicalJson(file);
  return isSame ? [] : [{ rule: at, app, file }];
}

const shown = (value: unknown) => (value === undefined ? 'the preset' : JSON.stringify(value));
const shownDifferences = (found: readonly Difference[]) =>
  found.map(({ rule, app, file }) => `${rule}: ${shown(app)} -> ${shown(file)}`).join('\n');

export const appRulesCommands: readonly Command[] = [
  {
    name: 'app rules export',
    summary: "print an app's rules as JSON, for a file in version control",
    arguments: [appArgument],
    async run(call) {
      const { effective, stored } = await withServices(call.config(), ({ apps }) => apps.rules(appIdOf(call)));
      const rules: StoredAppRules = { preset: effective.preset, ...stored };
      return { text: JSON.stringify(rules, null, 2), json: rules };
    },
  },
  {
    name: 'app rules diff',
    summary: "compare an app's rules with a file; exit code 1 if they differ",
    arguments: [appArgument, fileArgument],
    async run(call) {
      const file = await readFile(call);
      const { effective, stored } = await withServices(call.config(), ({ apps }) => apps.rules(appIdOf(call)));
      const found = differences({ preset: effective.preset, ...stored }, withPreset(file));
      const text = found.length === 0 ? 'No differences.' : shownDifferences(found);
      return { text, json: { differences: found }, isFailure: found.length > 0 };
    },
  },
  {
    name: 'app rules apply',
    summary: "replace an app's rules by those of a file",
    arguments: [appArgument, fileArgument],
    async run(call) {
      const file = await readFile(call);
      const found = await withServices(call.config(), async ({ apps }) => {
        const { effective, stored } = await apps.rules(appIdOf(call));
        const changed = differences({ preset: effective.preset, ...stored }, withPreset(file));
        await apps.changeRules(appIdOf(call), file, commandLine);
        return changed;
      });
      const text = found.length === 0 ? 'Nothing has changed.' : shownDifferences(found);
      return { text, json: { differences: found } };
    },
  },
];

/** A file that names no preset means that of the specification. */
const withPreset = (file: unknown) => (isObject(file) ? { preset: 'specification', ...file } : file);
