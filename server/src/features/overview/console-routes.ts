import { Type } from 'typebox';
import { fail } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { recordAnswer } from '../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../http/console/console-endpoint.ts';
import { parseInstant } from '../../query/instant.ts';
import { attentionRecord, funnelRecord, liveRecord, type ReachSummary, type WebhookTrouble } from './schemas.ts';
import { type Counts, readAttention, readFunnel, readLive } from './store.ts';

export interface OverviewDeps {
  readonly db: Db;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
  readonly counts: Counts;
  readonly countWebhookTrouble: (appId: string) => Promise<WebhookTrouble>;
  readonly readReach: (appId: string) => Promise<ReachSummary>;
}

const pick = ({ senders, installations, reachable, unreachable }: ReachSummary): ReachSummary => ({
  senders,
  installations,
  reachable,
  unreachable,
});

const longestMs = 8 * 86_400_000;

/** @throws Failure InvalidQuery: more than eight days would be a long count */
function readSince(text: string | undefined, now: number): number {
  const since = text === undefined ? undefined : parseInstant(text);
  if (since !== undefined && since >= now - longestMs) return since;
  throw fail('InvalidQuery', 'since must be an ISO 8601 time of the last eight days.');
}

/** The first page of an app, counted in the database. */
export function overviewConsoleEndpoints({
  db,
  assertApp,
  counts,
  countWebhookTrouble,
  readReach,
}: OverviewDeps): readonly ConsoleEndpoint[] {
  const shared = {
    method: 'GET',
    tag: 'Overview',
    permission: 'activity.read',
    locate: ({ appId = '' }: Readonly<Record<string, string>>) => assertApp(appId),
  } as const;
  return [
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/live',
      operationId: 'getLive',
      summary: 'Count the visitors at each beacon now',
      answer: recordAnswer(liveRecord.schema, liveRecord.example),
      errors: ['ObjectNotFound', 'Timeout'],
      handle: async ({ params: { appId = '' } }) => ({ result: await readLive({ db, counts, appId }) }),
    }),
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/funnel',
      operationId: 'getFunnel',
      summary: 'Count the results of the events since a time',
      description:
        'From events to messages that could be shown, were shown, were sent by push and reached the visitor.',
      query: [
        {
          name: 'since',
          description: 'ISO 8601, at most eight days ago',
          schema: Type.String({ format: 'date-time' }),
        },
      ],
      answer: recordAnswer(funnelRecord.schema, funnelRecord.example),
      errors: ['ObjectNotFound', 'InvalidQuery', 'Timeout'],
      handle: async ({ params: { appId = '' }, query, now }) => ({
        result: await readFunnel({ db, counts, appId }, readSince(query['since'], now)),
      }),
    }),
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/attention',
      operationId: 'getAttention',
      summary: 'List what needs attention',
      description:
        'Beacons that fell silent, tokens that died, deliveries that fail, and webhooks that cannot be called.',
      answer: recordAnswer(attentionRecord.schema, attentionRecord.example),
      errors: ['ObjectNotFound', 'Timeout'],
      handle: async ({ params: { appId = '' }, now }) => ({
        result: {
          ...(await readAttention({ db, counts, appId }, now)),
          webhooks: await countWebhookTrouble(appId),
          reach: pick(await readReach(appId)),
        },
      }),
    }),
  ];
}
