import { beaconsOf } from '../../../access/venue-limit.ts';
import { raw, sql } from '../../../base/sql.ts';
import type { Database } from '../../../db/db.ts';

/**
 * Sightings of those who have not agreed to be recorded: how many there were at a beacon in an hour. They are gathered in memory,
 * so that no write is about a single phone, and stored from time to time. What a process has gathered and not yet
 * written is lost with it.
 */

const hourMs = 3_600_000;
/** More beacons and hours are not gathered for at once. */
const mostCounts = 20_000;

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
    else if (this.#gathered.size < mostCounts) this.#gathered.set(key, { appId, beaconId, hour, sightings: 1 });
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
