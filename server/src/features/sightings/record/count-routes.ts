import { parseInstant } from '@pharos/query';
import { Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import {
  exampleCreated,
  exampleId,
  isoTime,
  objectIdSchema,
  recordAnswer,
  timestampSchema,
} from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import type { UnnamedCounts } from './unnamed-counts.ts';

const dayMs = 86_400_000;
const mostRows = 10_000;

const schema = Type.Array(
  Type.Object({
    beaconId: objectIdSchema,
    hour: timestampSchema,
    sightings: Type.Integer({ minimum: 0, description: 'Of all who have not agreed to analytics' }),
  }),
);

export interface CountRouteDeps {
  readonly counts: UnnamedCounts;
  readonly now: () => number;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
}

/** What is known of visitors who have not agreed to be recorded. */
export function countConsoleEndpoints({ counts, now, assertApp }: CountRouteDeps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/sighting-counts',
      operationId: 'listSightingCounts',
      tag: 'Sightings',
      summary: 'Count the sightings of visitors who have not agreed to analytics, by beacon and hour',
      description: `The last day unless \`from\` and \`until\` say otherwise; the first ${mostRows} rows of it. A count is stored up to an hour after the sightings.`,
      permission: 'activity.read',
      narrows: 'venues',
      query: [
        { name: 'from', description: 'The first moment, ISO 8601', schema: Type.String({ format: 'date-time' }) },
        {
          name: 'until',
          description: 'The moment after the last, ISO 8601',
          schema: Type.String({ format: 'date-time' }),
        },
      ],
      locate: ({ appId = '' }) => assertApp(appId),
      answer: recordAnswer(schema, [{ beaconId: exampleId, hour: exampleCreated, sightings: 240 }]),
      errors: ['ObjectNotFound', 'InvalidQuery', 'Timeout'],
      async handle({ params: { appId = '' }, query, admin }) {
        const until = instantOf('until', query['until']) ?? now();
        const from = instantOf('from', query['from']) ?? until - dayMs;
        const found = await counts.list(appId, { from, until, limit: mostRows, venues: signedIn(admin).venues });
        return { result: found.map(({ hour, ...rest }) => ({ ...rest, hour: isoTime(hour) })) };
      },
    }),
  ];
}

function instantOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = parseInstant(text);
  if (at === undefined) throw fail('InvalidQuery', `${name} must be a time such as 2026-10-01T09:00:00.000Z.`);
  return at;
}
