import { Type } from 'typebox';
import { beaconsOf } from '../../../access/venue-limit.ts';
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { sql } from '../../../base/sql.ts';
import type { Database } from '../../../db/db.ts';
import { exampleCreated, recordAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import { parseInstant } from '../../../query/instant.ts';
import { readSamples } from '../decide/sample-text.ts';
import { findSegments } from '../decide/track-store.ts';
import type { HeldTracks } from '../held/held-tracks.ts';

const heard = Type.Object({
  samples: Type.Array(Type.Number(), { description: 'RSSI in dBm, in the order in which they were sensed' }),
});

interface Deps {
  readonly db: Database;
  readonly held: HeldTracks;
  readonly now: Clock;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
}

/** A calibration takes half a minute. */
const longestMs = 10 * 60_000;
/** Samples lie in segments that began before them. */
const segmentMs = 3_600_000;
const mostSamples = 10_000;

/** What a phone senses of a beacon right now, so that a person beside it can calibrate it. */
export function heardConsoleEndpoints({ db, held, now, assertApp }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/beacons/:beaconId/heard',
      operationId: 'listHeard',
      tag: 'Beacons',
      summary: 'What a phone has sensed of a beacon since a time',
      permission: 'beacons.write',
      narrows: 'venues',
      locate: ({ appId = '' }) => assertApp(appId),
      query: [
        { name: 'installation', description: 'The objectId of the phone', schema: Type.String() },
        {
          name: 'since',
          description: 'ISO 8601, at most ten minutes ago',
          schema: Type.String({ format: 'date-time' }),
        },
      ],
      answer: recordAnswer(heard, { samples: [-61, -60, -62] }),
      errors: ['ObjectNotFound', 'InvalidQuery'],
      async handle({ params: { appId = '', beaconId = '' }, query, admin }) {
        const { venues } = signedIn(admin);
        if (venues && !(await isOneOf(db, appId, beaconId, venues)))
          throw fail('ObjectNotFound', 'There is no beacon with this objectId.');
        const since = parseInstant(query['since'] ?? '');
        if (since === undefined || since < now() - longestMs)
          throw fail('InvalidQuery', `since must be a time of the last ten minutes, such as ${exampleCreated}.`);
        const installationId = query['installation'] ?? '';
        const [segments = []] = await findSegments(db, [{ appId, installationId, from: since - segmentMs }]);
        const samples = [
          ...segments.flatMap(({ samples }) => readSamples(samples)),
          ...held.samplesOf({ appId, installationId }),
        ]
          .filter((one) => one.beaconId === beaconId && one.occurredAt >= since)
          .sort((a, b) => a.occurredAt - b.occurredAt)
          .flatMap(({ rssi }) => rssi ?? []);
        return { result: { samples: samples.slice(-mostSamples) } };
      },
    }),
  ];
}

/** Whether a beacon belongs to one of the venues. */
async function isOneOf(db: Database, appId: string, beaconId: string, venues: readonly string[]): Promise<boolean> {
  const isThere = beaconsOf(sql`${beaconId}`, appId, venues);
  return (await db.one(sql`select 1 as found where ${isThere}`)) !== undefined;
}
