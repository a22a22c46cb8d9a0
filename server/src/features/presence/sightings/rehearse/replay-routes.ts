import type { Trigger } from '@pharos/engine';
import { toTimeZone, toTriggerPolicy } from '@pharos/engine/decide';
import { parseInstant } from '@pharos/query';
import { type Static, Type } from 'typebox';
import { deliveryRuleProblems, deliveryRulesSchema } from '../../../../access/delivery-rules.ts';
import { experimentProblems, holdoutSchema, variantsSchema } from '../../../../access/experiment.ts';
import { fail } from '../../../../base/errors.ts';
import { newObjectId } from '../../../../base/id.ts';
import { exampleId, isoTime, objectIdSchema, recordAnswer } from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../../http/console/console-endpoint.ts';
import { defineShape } from '../../../../http/shape.ts';
import { smallGroup } from '../../../blur.ts';
import type { Context } from '../../../context.ts';
import { findBeaconsById } from '../site/site.ts';
import { findTrigger } from '../site/triggers.ts';
import type { ReplayRow } from '../traces/tables.ts';
import * as store from './replay.ts';
import {
  newResult,
  type ReplayDeps,
  type ReplayQuestion,
  type Result,
  replayJob,
  type VerdictCounts,
} from './replay.ts';

const dayMs = 86_400_000;
const maxDays = 92;
const maxUnfinished = 3;

const event = Type.Enum(['ENTER', 'EXIT', 'IMMEDIATE', 'NEAR', 'FAR']);

const draftSchema = Type.Object(
  {
    beacons: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 1000 }),
    event,
    isEnabled: Type.Optional(Type.Boolean({ description: 'true without it' })),
    showOn: Type.Optional(
      Type.Array(
        Type.Object({
          dayName: Type.Enum(['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']),
          checked: Type.Boolean(),
        }),
        { maxItems: 7 },
      ),
    ),
    delivery: Type.Optional(deliveryRulesSchema),
    holdout: Type.Optional(holdoutSchema),
    variants: Type.Optional(variantsSchema),
  },
  { description: 'The members of a notification or scenario that decide when it is shown' },
);
type Draft = Static<typeof draftSchema>;

const bodySchema = Type.Object({
  triggerId: Type.Optional(Type.String({ maxLength: 64, description: 'The message that it would become' })),
  draft: draftSchema,
  against: Type.Optional(draftSchema),
  from: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'ISO 8601; 30 days ago without it, and not before events are kept, which the answer says',
    }),
  ),
  until: Type.Optional(Type.String({ maxLength: 64, description: 'ISO 8601; now without it' })),
});
type Sent = Static<typeof bodySchema>;

const shape = defineShape(bodySchema, {
  rules: ({ draft, against }) =>
    [
      ['draft', draft],
      ['against', against],
    ].flatMap(([name, one]) => {
      const given = one as Draft | undefined;
      if (!given) return [];
      return [
        ...deliveryRuleProblems(`${name}.delivery`, given.delivery),
        ...experimentProblems({ variants: given.variants }).map((problem) => ({
          ...problem,
          field: `${name}.${problem.field}`,
        })),
      ];
    }),
});

const count = Type.Union([Type.Integer({ minimum: 0 }), Type.Literal(smallGroup)]);
const countedSchema = Type.Object({
  sent: count,
  visitors: count,
  reasons: Type.Record(Type.String(), count, { description: 'How often each gate said no' }),
  days: Type.Record(Type.String(), count, { description: "Messages by day of the app's calendar" }),
});

const replaySchema = Type.Object({
  objectId: objectIdSchema,
  state: Type.Enum(['waiting', 'running', 'done', 'cancelled', 'failed']),
  from: Type.String({ format: 'date-time' }),
  until: Type.String({ format: 'date-time' }),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  events: Type.Union([Type.Integer({ minimum: 0 }), Type.Literal(smallGroup)], {
    description: 'Recorded events that were looked at',
  }),
  isProtected: Type.Boolean({
    description: `Small groups are protected: counts have some noise and are in fives, and fewer than five are "${smallGroup}"`,
  }),
  draft: countedSchema,
  against: Type.Union([countedSchema, Type.Null()], { description: 'null: there was nothing to compare with' }),
});

export interface ReplayRouteDeps extends ReplayDeps, Pick<Context, 'enqueue' | 'findBlur'> {}

/** Compares a draft of rules with those of a message over what was recorded. */
export function replayConsoleEndpoints(deps: ReplayRouteDeps): readonly ConsoleEndpoint[] {
  return [begin(deps), read(deps), cancel(deps)];
}

const common = { permission: 'simulations.run' } as const;

function begin(deps: ReplayRouteDeps): ConsoleEndpoint {
  const { db, enqueue } = deps;
  return consoleEndpoint<Sent>({
    ...common,
    method: 'POST',
    path: '/apps/:appId/replays',
    operationId: 'beginReplay',
    summary: 'Try a draft of rules on what was recorded; nothing is sent',
    description:
      'Judges the recorded events of a period with the draft, and with the message as it is or another draft, in the background. It ' +
      `takes for granted that every phone could be reached. At most ${maxDays} days, and ${maxUnfinished} at once.`,
    body: shape.body({ triggerId: exampleId, draft: { beacons: [exampleId], event: 'ENTER' } }),
    answer: recordAnswer(replaySchema),
    async handle({ params: { appId = '' }, body, now }) {
      const asked = await askedOf(deps, appId, body, now);
      const row: ReplayRow = {
        app_id: appId,
        object_id: newObjectId(now),
        asked: JSON.stringify(asked),
        state: 'waiting',
        done_to: '',
        judged: 0,
        installations: 0,
        result: JSON.stringify(newResult()),
        created_at: now,
        updated_at: now,
      };
      await db.transaction(async (db) => {
        if ((await store.countUnfinished(db, appId)) >= maxUnfinished)
          throw fail('ValidationError', `${maxUnfinished} comparisons are under way. Wait for one, or cancel it.`);
        await store.insertReplay(db, row);
        const objectId = row.object_id;
        await enqueue(db, { appId, kind: replayJob, payload: { objectId }, subject: objectId, jobId: objectId });
      });
      return { result: await shown(deps, row) };
    },
  });
}

async function askedOf(
  { db, findPolicy }: ReplayRouteDeps,
  appId: string,
  body: Sent,
  now: number,
): Promise<ReplayQuestion> {
  const { triggerId, draft, against } = body;
  const until = instantOf('until', body.until) ?? now;
  const asked = instantOf('from', body.from) ?? until - 30 * dayMs;
  if (asked >= until) throw fail('ValidationError', 'from must be before until.');
  if (until - asked > maxDays * dayMs) throw fail('ValidationError', `A period has at most ${maxDays} days.`);
  // What is no longer kept is not found: the answer says from when on there is something to judge.
  const keptDays = (await findPolicy(appId))?.retentionDays.events ?? maxDays;
  const from = Math.max(asked, now - keptDays * dayMs);
  if (from >= until)
    throw fail('ValidationError', `Events are kept for ${keptDays} days (retentionDays of the policy).`);
  const stored = triggerId === undefined ? undefined : await findTrigger(db, appId, triggerId);
  if (triggerId !== undefined && !stored) throw fail('ObjectNotFound', `triggerId: there is no message ${triggerId}.`);
  const beaconIds = [...new Set([...draft.beacons, ...(against?.beacons ?? [])])];
  const known = new Set((await findBeaconsById(db, appId, beaconIds)).map(({ objectId }) => objectId));
  const missing = beaconIds.find((id) => !known.has(id));
  if (missing !== undefined) throw fail('ObjectNotFound', `draft.beacons: there is no beacon ${missing}.`);
  const id = triggerId ?? 'draft';
  return {
    from,
    until: Math.min(until, now),
    draft: triggerOf(id, draft),
    against: against ? triggerOf(id, against) : (stored ?? null),
  };
}

function triggerOf(id: string, draft: Draft): Trigger {
  const { beacons, event, isEnabled = true, showOn, delivery, holdout, variants } = draft;
  const timeZone = toTimeZone(delivery);
  return {
    id,
    kind: showOn ? 'scenario' : 'notification',
    enabled: isEnabled,
    event,
    beaconIds: beacons,
    ...(showOn ? { showOn } : {}),
    ...(delivery ? { policy: toTriggerPolicy(delivery) } : {}),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(holdout === undefined ? {} : { holdout }),
    ...(variants ? { variants: variants.map(({ name, weight = 1 }) => ({ name, weight })) } : {}),
  };
}

function read(deps: ReplayRouteDeps): ConsoleEndpoint {
  const { db } = deps;
  return consoleEndpoint({
    ...common,
    method: 'GET',
    path: '/apps/:appId/replays/:objectId',
    operationId: 'getReplay',
    summary: 'Read how far a comparison has come, and what it has counted so far',
    answer: recordAnswer(replaySchema),
    async handle({ params: { appId = '', objectId = '' } }) {
      const row = await store.findReplay(db, appId, objectId);
      if (!row) throw noReplay();
      return { result: await shown(deps, row) };
    },
  });
}

function cancel(deps: ReplayRouteDeps): ConsoleEndpoint {
  const { db, now } = deps;
  return consoleEndpoint({
    ...common,
    method: 'DELETE',
    path: '/apps/:appId/replays/:objectId',
    operationId: 'cancelReplay',
    summary: 'Stop a comparison',
    answer: recordAnswer(replaySchema),
    async handle({ params: { appId = '', objectId = '' } }) {
      await store.endReplay(db, { appId, objectId, state: 'cancelled', now: now() });
      const row = await store.findReplay(db, appId, objectId);
      if (!row) throw noReplay();
      return { result: await shown(deps, row) };
    },
  });
}

const noReplay = () => fail('ObjectNotFound', 'There is no such comparison. Comparisons are kept for 30 days.');

async function shown({ findPolicy, findBlur }: ReplayRouteDeps, row: ReplayRow) {
  const { from, until, against } = JSON.parse(row.asked) as ReplayQuestion;
  const result = JSON.parse(row.result) as Result;
  const isProtected = (await findPolicy(row.app_id))?.smallGroups === 'protected';
  const blur = isProtected ? await findBlur(row.app_id) : undefined;
  const of = (count: number) => (blur ? blur.blurred(count, 'replay', '') : count);
  return {
    objectId: row.object_id,
    state: row.state as Static<typeof replaySchema>['state'],
    from: isoTime(from),
    until: isoTime(until),
    progress: row.state === 'done' ? 1 : row.installations === 0 ? 0 : Math.min(1, row.judged / row.installations),
    events: of(result.events),
    isProtected,
    draft: shownCounts(result.draft, of),
    against: against ? shownCounts(result.against, of) : null,
  };
}

type ShownCount = number | typeof smallGroup;

/**
 * Where small groups are protected, the noise depends on nothing but the number: drafts and periods can be varied without end, and would
 * otherwise give as many numbers to average.
 */
function shownCounts({ sent, visitors, reasons, days }: VerdictCounts, of: (count: number) => ShownCount) {
  const all = (counts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(counts).map(([name, one]) => [name, of(one)]));
  return { sent: of(sent), visitors: of(visitors), reasons: all(reasons), days: all(days) };
}

function instantOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = parseInstant(text);
  if (at === undefined) throw fail('ValidationError', `${name} must be a time such as 2026-10-01T09:00:00.000Z.`);
  return at;
}
