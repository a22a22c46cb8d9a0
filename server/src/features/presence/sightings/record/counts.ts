import { parseInstant } from '@pharos/query';
import { Type } from 'typebox';
import { beaconsOf } from '../../../../access/venue-limit.ts';
import { fail } from '../../../../base/errors.ts';
import { raw, sql } from '../../../../base/sql.ts';
import type { Database } from '../../../../db/db.ts';
import { isoTime, objectIdSchema, recordAnswer, timestampSchema } from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../../http/console/console-endpoint.ts';

/**
 * Sightings of those who have not agreed to be recorded: how many there were at a beacon in an hour. They are gathered in memory,
 * so that no write is about a single phone, and stored from time to time. What a process has gathered and not yet
 * written is lost with it.
 */

const hourMs = 3_600_000;
/** More beacons and hours are not gathered for at once. */
const maxCounts = 20_000;

export interface HourlyCount {
  readonly beaconId: string;
  /** The beginning of the hour, epoch ms. */
  readonly hour: number;
  readonly sightings: number;
}

export interface CountQuestion {
  /** Epoch ms; the second is not included. */
  readonly from: number;
  readonly until: number;
  readonly limit: number;
  /** Only of beacons of these venues. */
  readonly venues?: readonly string[] | undefined;
}

interface Gathered {
  readonly appId: string;
  readonly beaconId: string;
  readonly hour: number;
  sightings: number;
}

export class UnnamedCounts {
  readonly #db: Database;
  #gathered = new Map<string, Gathered>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** `at`: when it was sensed (ms). */
  note(appId: string, beaconId: string, at: number): void {
    const hour = Math.floor(at / hourMs) * hourMs;
    const key = `${appId} ${beaconId} ${hour}`;
    const known = this.#gathered.get(key);
    if (known) known.sightings++;
    else if (this.#gathered.size < maxCounts) this.#gathered.set(key, { appId, beaconId, hour, sightings: 1 });
  }

  /** Adds what was gathered to what is stored. */
  async flush(): Promise<void> {
    const gathered = [...this.#gathered].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#gathered = new Map();
    for (const [, { appId, beaconId, hour, sightings }] of gathered)
      await this.#db.run(sql`insert into sighting_counts (app_id, beacon_id, hour, sightings)
        values (${appId}, ${beaconId}, ${hour}, ${sightings})
        on conflict (app_id, beacon_id, hour) do update set sightings = sighting_counts.sightings + excluded.sightings`);
  }

  /** Of the hours from `from` on and before `until` (ms), in the order of time; at most `limit`. */
  async list(appId: string, { from, until, limit, venues }: CountQuestion): Promise<HourlyCount[]> {
    const rows = await this.#db.all<{ beacon_id: string; hour: number; sightings: number }>(
      sql`select beacon_id, hour, sightings from sighting_counts
        where app_id = ${appId} and hour >= ${from} and hour < ${until}
        and ${venues ? beaconsOf(raw('beacon_id'), appId, venues) : raw('1 = 1')} order by hour, beacon_id limit ${limit}`,
      { tenant: appId },
    );
    return rows.map(({ beacon_id: beaconId, hour, sightings }) => ({ beaconId, hour, sightings }));
  }
}

const dayMs = 86_400_000;
const maxRows = 10_000;

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
}

/** What is known of visitors who have not agreed to be recorded. */
export function countConsoleEndpoints({ counts, now }: CountRouteDeps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/sighting-counts',
      operationId: 'listSightingCounts',
      summary: 'Count the sightings of visitors who have not agreed to analytics, by beacon and hour',
      description: `The last day unless \`from\` and \`until\` say otherwise; the first ${maxRows} rows of it. A count is stored up to an hour after the sightings.`,
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
      answer: recordAnswer(schema),
      async handle({ params: { appId = '' }, query, admin }) {
        const until = instantOf('until', query['until']) ?? now();
        const from = instantOf('from', query['from']) ?? until - dayMs;
        const found = await counts.list(appId, { from, until, limit: maxRows, venues: signedIn(admin).venues });
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
