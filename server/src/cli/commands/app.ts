import { commandLine } from '../../access/audit.ts';
import { type Preset, presets } from '../../access/rules/rule-types.ts';
import type { AppChange, AppView } from '../../features/operate/apps/service.ts';
import {
  type Command,
  type CommandCall,
  confirmDeletion,
  type OptionSpec,
  UsageError,
  yesOption,
} from '../support/command.ts';
import { withFirstServices, withServices } from './storage.ts';

const app: OptionSpec = { value: 'ID', help: 'the app' };
const idArgument = { name: 'ID', help: 'the app, instead of --app', optional: true } as const;

function appIdOf(call: CommandCall): string {
  const id = call.text('app') ?? call.arguments[0];
  if (id === undefined) throw new UsageError('Name the app with --app ID. See: pharos app list');
  return id;
}

function shownKeys({ keys }: AppView): string {
  if (keys.length === 0) return 'no live key';
  return keys
    .map(({ keyId, hint, lastUsedAt }) => `${keyId} …${hint}, ${lastUsedAt ? `used ${lastUsedAt}` : 'never used'}`)
    .join('; ');
}

function shownApp(view: AppView): string {
  return `${view.appId}  ${view.name}${view.disabled ? '  (disabled)' : ''}\n    keys: ${shownKeys(view)}`;
}

async function change(call: CommandCall, wanted: AppChange, said: (view: AppView) => string) {
  const appId = appIdOf(call);
  const view = await withServices(call.config(), ({ apps }) => apps.change(appId, wanted, commandLine));
  return { text: said(view), json: view };
}

function switchCommand(verb: 'disable' | 'enable'): Command {
  const disabled = verb === 'disable';
  return {
    name: `app ${verb}`,
    summary: disabled ? 'refuse all requests of an app at once' : 'accept requests of a disabled app again',
    arguments: [idArgument],
    options: { app },
    run: (call) => change(call, { disabled }, (view) => `The app ${view.name} is ${verb}d.`),
  };
}

/**
 * `tokenDays=7`, `timeZone=Europe/Vienna`, `rateLimit={"enabled":false,…}`: parsed as JSON if possible, else taken as
 * text.
 */
function readAssignment(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--set takes NAME=VALUE, not "${text}".`);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value)];
  } catch {
    return [text.slice(0, at), value];
  }
}

async function runPolicy(call: CommandCall) {
  const appId = appIdOf(call);
  const assignments = call.texts('set').map(readAssignment);
  const policy = await withServices(call.config(), async ({ apps }) => {
    const { policy } = await apps.get(appId);
    const unknown = assignments.find(([name]) => !Object.hasOwn(policy, name));
    if (unknown) throw new UsageError(`A policy has no "${unknown[0]}", only ${Object.keys(policy).join(', ')}.`);
    if (assignments.length === 0) return policy;
    return (await apps.change(appId, { policy: Object.fromEntries(assignments) }, commandLine)).policy;
  });
  const lines = Object.entries(policy).map(([name, value]) => `${name.padEnd(20)}${JSON.stringify(value)}`);
  return { text: lines.join('\n'), json: policy };
}

function readLimit(call: CommandCall): { enabled: boolean; perSecond: number; burst: number } | 'off' {
  const numbers = [call.text('per-second'), call.text('burst')];
  if (call.has('off') && numbers.every((text) => text === undefined)) return 'off';
  const [perSecond, burst] = numbers.map((text) =>
    text === undefined || text.trim() === '' ? Number.NaN : Number(text),
  );
  if (call.has('off') || perSecond === undefined || burst === undefined || Number.isNaN(perSecond + burst))
    throw new UsageError('Give either --per-second N and --burst N, or --off. See: pharos app limit --help');
  return { enabled: true, perSecond, burst };
}

async function runLimit(call: CommandCall) {
  const appId = appIdOf(call);
  const wanted = readLimit(call);
  const { name, policy } = await withServices(call.config(), async ({ apps }) => {
    const { policy } = await apps.get(appId);
    const rateLimit = wanted === 'off' ? { ...policy.rateLimit, enabled: false } : wanted;
    return apps.change(appId, { policy: { rateLimit } }, commandLine);
  });
  const { enabled, perSecond, burst } = policy.rateLimit;
  const text = enabled ? `${perSecond} requests a second, ${burst} at once, for one client address` : 'no limit';
  return { text: `${name}: ${text}.`, json: { appId, rateLimit: policy.rateLimit } };
}

export const appCommands: readonly Command[] = [
  {
    name: 'app create',
    summary: 'create an app and show its key, once',
    options: {
      name: { value: 'NAME', help: 'its name in the console, 1 to 100 characters', required: true },
      preset: { value: 'PRESET', help: 'its rules: specification (without it), or visitors' },
    },
    async run(call) {
      const name = call.text('name') ?? '';
      const preset = (call.text('preset') ?? 'specification') as Preset;
      if (!presets.includes(preset)) throw new UsageError(`--preset takes ${presets.join(' or ')}, not "${preset}".`);
      const made = await withFirstServices(call.config(), ({ apps }) => apps.create(name, commandLine, preset));
      const text = `Created the app ${name}. The key is shown only now.\n\nexport APP_ID=${made.appId}\nexport APP_KEY=${made.appKey}`;
      return { text, json: made };
    },
  },
  {
    name: 'app list',
    summary: 'list apps and their keys',
    async run(call) {
      const listed = await withServices(call.config(), ({ apps }) => apps.list());
      return {
        text:
          listed.length > 0
            ? listed.map(shownApp).join('\n')
            : 'There are no apps. Create one with: pharos app create --name NAME',
        json: { apps: listed },
      };
    },
  },
  {
    name: 'app rotate-key',
    summary: 'add a key; if there are two already, the older one is refused from now on',
    arguments: [idArgument],
    options: { app },
    async run(call) {
      const appId = appIdOf(call);
      const made = await withServices(call.config(), ({ apps }) => apps.keys.rotate(appId, commandLine));
      const old =
        made.disabledKeyIds.length > 0
          ? `The key ${made.disabledKeyIds.join(', ')} is refused from now on.`
          : 'The previous key stays valid.';
      return {
        text: `${old} The new key is shown only now.\n\nexport APP_ID=${made.appId}\nexport APP_KEY=${made.appKey}`,
        json: made,
      };
    },
  },
  {
    name: 'app disable-key',
    summary: 'refuse a key from now on',
    arguments: [idArgument],
    options: { app, key: { value: 'KEYID', help: 'the key, as app list shows it', required: true } },
    async run(call) {
      const [appId, keyId] = [appIdOf(call), call.text('key') ?? ''];
      await withServices(call.config(), ({ apps }) => apps.keys.disable(appId, keyId, commandLine));
      return { text: `The key ${keyId} is refused from now on.`, json: { disabledKeyIds: [keyId] } };
    },
  },
  switchCommand('disable'),
  switchCommand('enable'),
  {
    name: 'app delete',
    summary: 'delete an app with everything in it',
    arguments: [idArgument],
    options: { app, yes: yesOption },
    async run(call) {
      const appId = appIdOf(call);
      const { name } = await withServices(call.config(), async ({ apps }) => {
        const view = await apps.get(appId);
        confirmDeletion(call, `the app ${view.name} with everything in it`);
        await apps.remove(appId, commandLine);
        return view;
      });
      return { text: `Deleted the app ${name}.`, json: { deleted: appId } };
    },
  },
  {
    name: 'app policy',
    summary: "show an app's policy, or change it",
    arguments: [idArgument],
    options: {
      app,
      set: { value: 'NAME=VALUE', help: 'change a member, such as push=manager; may be repeated', multiple: true },
    },
    run: runPolicy,
  },
  {
    name: 'app limit',
    summary: 'set how often one client address may call an app',
    arguments: [idArgument],
    options: {
      app,
      'per-second': { value: 'N', help: 'requests a second that come back' },
      burst: { value: 'N', help: 'requests at once' },
      off: { help: 'no limit' },
    },
    run: runLimit,
  },
];
