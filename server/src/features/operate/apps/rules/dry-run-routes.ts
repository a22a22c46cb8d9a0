import { Type } from 'typebox';
import { memberRoles, verbs } from '../../../../access/rules/rule-types.ts';
import { recordAnswer } from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../../http/console/console-endpoint.ts';
import { keptDays } from './dry-run-meter.ts';
import type { DryRunService, DryRunView } from './dry-runs.ts';
import { readObject } from './rules-routes.ts';
import { openSchema, storedSchema } from './rules-schemas.ts';

const dryRunSchema = Type.Object({
  rules: Type.Union([storedSchema, Type.Null()], {
    description: 'The rules in question; null: nothing is counted',
  }),
  isChosen: Type.Boolean({ description: 'They were chosen, and are not those that would close the app' }),
  closed: Type.Intersect([storedSchema], { description: 'The rules that would close the app to strangers' }),
  open: openSchema,
  days: Type.Integer({ description: `Days of which something is known, today included; at most ${keptDays}` }),
  checked: Type.Object(
    { app: Type.Integer(), user: Type.Integer(), manager: Type.Integer() },
    { description: 'Requests that were looked at, by who sent them; app: without signing in' },
  ),
  counts: Type.Array(
    Type.Object({
      resource: Type.Optional(Type.String({ description: 'Either a resource …' })),
      bucket: Type.Optional(Type.String({ description: '… or the name of a bucket' })),
      verb: Type.Enum([...verbs]),
      caller: Type.Enum([...memberRoles]),
      outcome: Type.Enum(['refused', 'hidden'], {
        description: 'hidden: the record would not have been there, or the list would have been shorter (an estimate)',
      }),
      requests: Type.Integer(),
    }),
    { description: 'What would have been refused, the most frequent first' },
  ),
});

const example = { preset: 'visitors' } as const;

function shown({ rules = null, counts, tag, ...view }: Omit<DryRunView, 'rules'> & { readonly rules?: unknown }) {
  return {
    ...view,
    rules,
    counts: counts.map(({ subject, verb, caller, outcome, requests }) => {
      const [name, bucket] = subject.split(' ');
      return { ...(bucket === undefined ? { resource: name } : { bucket }), verb, caller, outcome, requests };
    }),
  };
}

function answer(view: DryRunView, setTag: (tag: string) => void) {
  setTag(view.tag);
  return { result: shown(view) };
}

/** What other rules would have refused in the last days, in the management console. */
export function dryRunConsoleEndpoints(dryRuns: DryRunService): readonly ConsoleEndpoint[] {
  const shared = {
    path: '/apps/:appId/rules/dry-run',
    answer: recordAnswer(dryRunSchema),
  } as const;
  return [
    consoleEndpoint({
      ...shared,
      method: 'GET',
      operationId: 'getDryRun',
      summary: 'What other rules would have refused',
      description: 'In the last eight days, by resource or bucket, verb and kind of caller. Nobody is named.',
      permission: 'settings.read',
      handle: async ({ params: { appId = '' }, setTag }) => answer(await dryRuns.read(appId), setTag),
    }),
    consoleEndpoint({
      ...shared,
      method: 'PUT',
      operationId: 'changeDryRun',
      summary: 'Count what these rules would refuse',
      description: 'Requests are answered without them. What was counted before is forgotten.',
      permission: 'apps.change',
      body: { schema: storedSchema, example, read: readObject },
      takesIfMatch: true,
      handle: async ({ params: { appId = '' }, body, by, assertUnchanged, setTag }) =>
        answer(await dryRuns.change(appId, body, { by, assertUnchanged }), setTag),
    }),
    consoleEndpoint({
      ...shared,
      method: 'DELETE',
      operationId: 'endDryRun',
      summary: 'Count again what closing the app would refuse',
      description: 'That is counted for every app with the preset of the specification.',
      permission: 'apps.change',
      takesIfMatch: true,
      handle: async ({ params: { appId = '' }, by, assertUnchanged, setTag }) =>
        answer(await dryRuns.change(appId, undefined, { by, assertUnchanged }), setTag),
    }),
  ];
}
