import { Type } from 'typebox';
import { defaultPolicy } from '../../access/policy.ts';
import { callerVariables, memberRoles, presets, verbs, words } from '../../access/rules/rule-types.ts';
import { compileRules } from '../../access/rules/rules.ts';
import { describeRules } from '../../access/rules/sentences.ts';
import { fail } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { recordAnswer } from '../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../http/console/console-endpoint.ts';
import { readIfMatch } from '../../resources/entity-tag.ts';
import { type AppRulesView, type AppService, rulesTag } from './service.ts';

interface Deps {
  readonly apps: Pick<AppService, 'get' | 'rules' | 'changeRules'>;
  /** The names of an app's buckets. */
  readonly listBuckets: (appId: string) => Promise<readonly { readonly name: string }[]>;
}

const roles = Type.Array(Type.Enum([...memberRoles]));
const ruleSchema = Type.Union([Type.Enum([...words]), Type.Object({}, { additionalProperties: true })], {
  description:
    'A word, or a where over the record, in which $auth.userId, $auth.role and $auth.installationId stand for the caller',
});
const members = Type.Record(
  Type.String(),
  Type.Object({ hidden: Type.Optional(roles), readOnly: Type.Optional(roles) }),
  { description: 'From whom a member is kept. app: callers who are not signed in' },
);
const storedRules = Type.Partial(
  Type.Object({
    ...Object.fromEntries(verbs.map((verb) => [verb, ruleSchema])),
    owner: Type.String({ description: 'Of buckets: the member that names the owner, such as metadata.assignee' }),
    unowned: Type.Enum(['user', 'manager'], {
      description: 'Who may change and delete what has no owner, where the rule says owner',
    }),
    members,
  }),
);
const storedSchema = Type.Partial(
  Type.Object({
    preset: Type.Enum([...presets]),
    resources: Type.Record(Type.String(), storedRules),
    buckets: Type.Record(Type.String(), storedRules, {
      description: 'By name; * for buckets without rules of their own',
    }),
  }),
);

const described = Type.Object({
  noun: Type.String(),
  rules: Type.Record(
    Type.String(),
    Type.Object({
      rule: ruleSchema,
      isOwn: Type.Boolean({ description: 'Said by the app itself, and not by its preset' }),
      sentence: Type.String(),
      words: Type.Array(Type.Enum([...words])),
      takesWhere: Type.Boolean(),
    }),
  ),
  owner: Type.String(),
  unowned: Type.Optional(Type.Enum(['user', 'manager'])),
  members,
});
const rulesSchema = Type.Object({
  preset: Type.Enum([...presets]),
  presets: Type.Array(Type.Enum([...presets])),
  variables: Type.Array(Type.String(), { description: 'What a where may know of the caller' }),
  stored: storedSchema,
  resources: Type.Record(Type.String(), described),
  buckets: Type.Record(Type.String(), described),
});

const example = { buckets: { notes: { list: 'owner', get: { 'metadata.sharedWith': '$auth.userId' } } } } as const;

function shown({ stored, effective }: Pick<AppRulesView, 'stored' | 'effective'>, buckets: readonly string[]) {
  const names = new Set(['*', ...buckets, ...Object.keys(stored.buckets ?? {})]);
  return {
    preset: effective.preset,
    presets,
    variables: [...callerVariables],
    stored,
    ...describeRules(effective, [...names]),
  };
}

const exampleAnswer = shown({ stored: example, effective: compileRules(example, defaultPolicy) }, []);

/** Who may read and write what in an app, in the management console. */
export function rulesConsoleEndpoints({ apps, listBuckets }: Deps): readonly ConsoleEndpoint[] {
  const locate = ({ appId = '' }: Readonly<Record<string, string>>) => apps.get(appId);
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
      tag: 'Apps',
      summary: 'Who may read and write what in an app',
      description: 'The effective rules with a sentence for each, and the words that could stand in their place.',
      permission: 'apps.read',
      answer: recordAnswer(rulesSchema, exampleAnswer),
      errors: ['ObjectNotFound'],
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
      tag: 'Apps',
      summary: 'Replace the rules of an app',
      description: 'What is left out follows the preset.',
      permission: 'apps.change',
      locate,
      body: {
        schema: storedSchema,
        example,
        read: (body) => {
          if (isObject(body)) return body;
          throw fail('ValidationError', 'The body must be a JSON object.');
        },
      },
      answer: recordAnswer(rulesSchema, exampleAnswer),
      errors: ['ValidationError', 'ObjectNotFound'],
      takesIfMatch: true,
      handle: async (call) => {
        const appId = call.params['appId'] ?? '';
        const view = await apps.changeRules(appId, call.body, call.by, readIfMatch(call.headers));
        call.setTag(rulesTag(view));
        return answerOf(appId, view);
      },
    }),
  ];
}
