import { parseInstant } from '@pharos/query';
import { Type } from 'typebox';
import { isAllowed } from '../../../access/roles.ts';
import { fail } from '../../../base/errors.ts';
import { exampleId, recordAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import { conditionKinds } from '../../condition.ts';
import type { Context } from '../../context.ts';
import { readAppAttention } from './attention.ts';
import { attentionRecord, beaconVisitsRecord, funnelRecord, liveRecord } from './schemas.ts';
import { readBeaconVisits, readFunnel, readLive } from './store.ts';

const maxMs = 8 * 86_400_000;

/** @throws Failure InvalidQuery: more than eight days would be a long count */
function readSince(text: string | undefined, now: number): number {
  const since = text === undefined ? undefined : parseInstant(text);
  if (since !== undefined && since >= now - maxMs) return since;
  throw fail('InvalidQuery', 'since must be an ISO 8601 time of the last eight days.');
}

/** As many as a page of a list has at most. */
const maxBeacons = 100;

/** @throws Failure InvalidQuery */
function readIds(text = ''): readonly string[] {
  const ids = [...new Set(text.split(',').filter(Boolean))];
  if (ids.length <= maxBeacons) return ids;
  throw fail('InvalidQuery', `ids must name at most ${maxBeacons} beacons.`);
}

/** The first page of an app, counted in the database. */
export function overviewConsoleEndpoints(context: Context): readonly ConsoleEndpoint[] {
  const shared = {
    method: 'GET',
    permission: 'activity.read',
  } as const;
  return [
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/live',
      operationId: 'getLive',
      summary: 'Count the visitors at each beacon now',
      narrows: 'venues',
      answer: recordAnswer(liveRecord),
      handle: async ({ params: { appId = '' }, admin }) => ({
        result: await readLive(context, appId, signedIn(admin).venues),
      }),
    }),
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/beacon-visits',
      operationId: 'listBeaconVisits',
      summary: 'List when beacons last had a visitor',
      narrows: 'venues',
      query: [
        {
          name: 'ids',
          description: `The objectIds of at most ${maxBeacons} beacons, with commas`,
          schema: Type.String(),
          example: exampleId,
        },
      ],
      answer: recordAnswer(beaconVisitsRecord),
      handle: async ({ params: { appId = '' }, query, admin }) => ({
        result: await readBeaconVisits(context, appId, { ids: readIds(query['ids']), venues: signedIn(admin).venues }),
      }),
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
      answer: recordAnswer(funnelRecord),
      handle: async ({ params: { appId = '' }, query, now }) => ({
        result: await readFunnel(context, appId, readSince(query['since'], now)),
      }),
    }),
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/attention',
      operationId: 'getAttention',
      summary: 'List what needs attention',
      description: 'In words, and counted: tokens that died, deliveries that fail, and webhooks that cannot be called.',
      answer: recordAnswer(attentionRecord),
      handle: async ({ params: { appId = '' }, now, admin }) => {
        const { findings, ...counted } = await readAppAttention(context, appId, now);
        const { role } = signedIn(admin);
        return {
          result: {
            findings: findings.filter(({ kind }) => isAllowed(role, conditionKinds[kind].permission)),
            ...counted,
          },
        };
      },
    }),
  ];
}
