import { isObject } from '@pharos/query';
import type { AppContext } from '../../../../access/context.ts';
import { opennessOf } from '../../../../access/rules/openness.ts';
import { type ResourceName, ruledResources } from '../../../../access/rules/presets.ts';
import { callerVariables, presets, type RuleUser } from '../../../../access/rules/rule-types.ts';
import { describeRules } from '../../../../access/rules/sentences.ts';
import { fail, type Problem } from '../../../../base/errors.ts';
import { exampleId, recordAnswer } from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../../http/console/console-endpoint.ts';
import { sentence } from '../../../../http/shape.ts';
import { type AppRulesView, type AppService, rulesTag } from '../service.ts';
import { rulesSchema, storedSchema, triedSchema, trySchema } from './rules-schemas.ts';
import { type TryDeps, tryRules } from './try-rules.ts';

interface Deps extends TryDeps {
  readonly apps: Pick<AppService, 'get' | 'rules' | 'previewRules' | 'changeRules'>;
  readonly listBuckets: (appId: string) => Promise<readonly { readonly name: string }[]>;
  readonly findUser: (appId: string, userId: string) => Promise<RuleUser | undefined>;
}

const example = { buckets: { notes: { list: 'owner', get: { 'metadata.sharedWith': '$auth.userId' } } } } as const;

function shown({ stored, effective }: Pick<AppRulesView, 'stored' | 'effective'>, buckets: readonly string[]) {
  const names = new Set(['*', ...buckets, ...Object.keys(stored.buckets ?? {})]);
  return {
    preset: effective.preset,
    presets,
    variables: [...callerVariables],
    stored,
    open: opennessOf(effective, buckets),
    ...describeRules(effective, [...names]),
  };
}

/** @throws Failure ValidationError */
export const readObject = (body: unknown) => {
  if (isObject(body)) return body;
  throw fail('ValidationError', { message: 'The body must be a JSON object.' });
};

/** Who may read and write what in an app, in the management console. */
export function rulesConsoleEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  const { apps, listBuckets } = deps;
  const answerOf = async (appId: string, view: AppRulesView) => ({
    result: shown(
      view,
      (await listBuckets(appId)).map(({ name }) => name),
    ),
  });
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/rules',
      operationId: 'getAppRules',
      summary: 'Who may read and write what in an app',
      description: 'The effective rules with a sentence for each, and the words that could stand in their place.',
      permission: 'settings.read',
      answer: recordAnswer(rulesSchema),
      handle: async (call) => {
        const appId = call.params['appId'] ?? '';
        const view = await apps.rules(appId);
        call.setTag(rulesTag(view));
        return answerOf(appId, view);
      },
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/apps/:appId/rules',
      operationId: 'changeAppRules',
      summary: 'Replace the rules of an app',
      description: 'What is left out follows the preset.',
      permission: 'apps.change',
      body: { schema: storedSchema, example, read: readObject },
      answer: recordAnswer(rulesSchema),
      takesIfMatch: true,
      handle: async (call) => {
        const appId = call.params['appId'] ?? '';
        const view = await apps.changeRules(appId, call.body, call.by, call.assertUnchanged);
        call.setTag(rulesTag(view));
        return answerOf(appId, view);
      },
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/apps/:appId/rules/preview',
      operationId: 'previewAppRules',
      summary: 'What other rules would mean',
      description: 'Checks rules and describes them like those of the app. Nothing is changed.',
      permission: 'settings.read',
      body: { schema: storedSchema, example, read: readObject },
      answer: recordAnswer(rulesSchema),
      handle: async ({ params: { appId = '' }, body }) => answerOf(appId, await apps.previewRules(appId, body)),
    }),
    tryEndpoint(deps),
  ];
}

interface Question {
  readonly caller: 'app' | 'user' | 'manager';
  readonly userId?: string;
  readonly of: ResourceName | 'bucket';
  readonly bucket?: string;
  readonly objectId?: string;
  readonly rules?: unknown;
}

/** @throws Failure ValidationError */
function readQuestion(body: unknown): Question {
  const sent = readObject(body);
  const details: Problem[] = [];
  const text = (field: string) => {
    const value = sent[field];
    if (value === undefined || value === '') return {};
    if (typeof value !== 'string') details.push({ field, problem: 'must be a text' });
    return { [field]: value };
  };
  const { caller, resource } = sent;
  if (caller !== 'app' && caller !== 'user' && caller !== 'manager')
    details.push({ field: 'caller', problem: 'must be one of app, user, manager' });
  const texts: { userId?: string; bucket?: string; objectId?: string } = {
    ...text('userId'),
    ...text('bucket'),
    ...text('objectId'),
  };
  if (caller === 'user' && !texts.userId) details.push({ field: 'userId', problem: 'is required for the caller user' });
  if ((resource === undefined) === (texts.bucket === undefined))
    details.push({ field: 'resource', problem: 'or bucket is required, and only one of them' });
  else if (resource !== undefined && !Object.hasOwn(ruledResources, String(resource)))
    details.push({ field: 'resource', problem: `must be one of ${Object.keys(ruledResources).join(', ')}` });
  if (details.length > 0) throw fail('ValidationError', { message: sentence(details), details });
  const of = texts.bucket === undefined ? (resource as ResourceName) : 'bucket';
  return { ...texts, of, caller: caller as Question['caller'], rules: sent['rules'] };
}

const tryExample = { caller: 'user', userId: exampleId, bucket: 'notes' } as const;
function tryEndpoint(deps: Deps): ConsoleEndpoint {
  const { apps, findUser } = deps;
  async function userOf(appId: string, { caller, userId }: Question): Promise<RuleUser | undefined> {
    if (caller === 'app') return undefined;
    // Nobody in particular: managers pass by their role.
    if (caller === 'manager') return { userId: '', role: 'manager' };
    const user = await findUser(appId, userId ?? '');
    if (!user) throw fail('ObjectNotFound', 'There is no user with this objectId.');
    return user;
  }
  return consoleEndpoint<Question>({
    method: 'POST',
    path: '/apps/:appId/rules/try',
    operationId: 'tryAppRules',
    summary: 'What a caller may do, and why',
    description: 'Asked of what answers real requests, with other rules if the body has some. Nothing is changed.',
    permission: 'users.read',
    body: { schema: trySchema, example: tryExample, read: readQuestion },
    answer: recordAnswer(triedSchema),
    handle: async ({ params: { appId = '' }, body, now }) => {
      const { rules, of, bucket, objectId } = body;
      const { name } = await apps.get(appId);
      const { effective, policy } = await (rules === undefined ? apps.rules(appId) : apps.previewRules(appId, rules));
      const user = await userOf(appId, body);
      const app: AppContext = { appId, name, policy, rules: effective };
      const question = {
        app,
        user,
        of,
        now,
        ...(bucket === undefined ? {} : { bucket }),
        ...(objectId === undefined ? {} : { objectId }),
      };
      const role = user?.role ?? 'app';
      const caller = user?.userId ? { role, userId: user.userId } : { role };
      return { result: { caller, verbs: await tryRules(deps, question) } };
    },
  });
}
