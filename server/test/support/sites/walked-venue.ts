import { randomUUID } from 'node:crypto';
import type { Recordings, Walk } from '../../../../bench/proximity/recordings.ts';
import { type AppPolicy, defaultPolicy } from '../../../src/access/policy.ts';
import { sql } from '../../../src/base/sql.ts';
import type { Database } from '../../../src/db/db.ts';
import { CacheVersion } from '../../../src/db/nodes/cache-version.ts';
import { createEngineLogs } from '../../../src/features/presence/logs/engine-store.ts';
import { TrackCache } from '../../../src/features/presence/sightings/lock/track-cache.ts';
import { createSightingService } from '../../../src/features/presence/sightings/service.ts';
import { SiteCache } from '../../../src/features/presence/sightings/site/site.ts';
import { createTicker } from '../../../src/features/presence/sightings/ticker.ts';
import { buildApp, type DatabaseKind, type TestApp } from '../build-app.ts';

/**
 * The building of the recordings, walked by many phones at once: what they sense is taken in by the service itself, whose memory can be
 * lost at any moment. Traffic teaches it nothing, so that all walks are alike.
 */

/** What a phone senses, by its true time in ms from the start of the walk. */
export interface Sensed {
  readonly at: number;
  readonly beacon: string;
  readonly rssi: number;
}

export const sensedOn = ({ samples }: Walk): readonly Sensed[] => {
  const start = samples[0]?.at ?? 0;
  return samples.map(({ at, beacon, rssi }) => ({ at: at - start, beacon, rssi }));
};

/** A batch, as a phone sends it. */
export interface Sent {
  readonly sensed: readonly Sensed[];
  /** When it arrives, ms after the start of the walk. */
  readonly at: number;
  /** How far the phone's clock was off when it was sensed, and when it is sent, ms. */
  readonly errorOf?: (sensed: Sensed) => number;
  /** How far it is off when it is sent, ms; undefined: `sentAt` is left out. */
  readonly error?: number | undefined;
  /** How long it was in transit, ms. */
  readonly delay?: number;
}

const hour = 3_600_000;

/** What is known of a walk, by times after its start. */
export interface Known {
  readonly visits: readonly string[];
  readonly events: readonly string[];
  readonly logs: readonly string[];
  readonly fired: readonly string[];
}

export class WalkedVenue {
  readonly #app: TestApp;
  readonly #beacons: ReadonlyMap<string, string>;
  #service: ReturnType<typeof makeService>;

  constructor(app: TestApp, beacons: ReadonlyMap<string, string>) {
    this.#app = app;
    this.#beacons = beacons;
    this.#service = makeService(app);
  }

  get #policy(): AppPolicy {
    return { ...defaultPolicy, oneZone: true };
  }

  get now(): number {
    return this.#app.clock.now;
  }

  set now(at: number) {
    this.#app.clock.now = at;
  }

  /** Phones that have not been here. */
  async phones(count: number): Promise<readonly string[]> {
    const { appId } = this.#app;
    const ids = Array.from({ length: count }, () => randomUUID().replaceAll('-', '').slice(0, 20));
    await this.#db.transaction(async (db) => {
      for (const id of ids)
        await db.run(sql`insert into installations (app_id, object_id, device_type, channels, metadata, created_at, updated_at)
          values (${appId}, ${id}, 'android', '[]', '{}', 0, 0)`);
    });
    return ids;
  }

  get #db(): Database {
    return this.#app.storage.db;
  }

  /** Whatever was only in memory is gone, as after `kill -9`. */
  kill(): void {
    this.#service = makeService(this.#app);
  }

  tick(): Promise<number> {
    return this.#service.ticker.tick();
  }

  async send(phone: string, { sensed, error, errorOf = () => error ?? 0, delay = 0 }: Omit<Sent, 'at'>, start: number) {
    const { appId } = this.#app;
    const sender = { appId, policy: this.#policy, now: this.now, userId: undefined, secret: undefined };
    return this.#service.service.take(
      { ...sender, seesAll: true, seesWhereabouts: true },
      {
        installationId: phone,
        sightings: sensed.map((one) => ({
          beacon: this.#beacons.get(one.beacon) ?? one.beacon,
          rssi: one.rssi,
          occurredAt: start + one.at + errorOf(one),
        })),
        ...(error === undefined ? {} : { sentAt: this.now - delay + error }),
      },
    );
  }

  /** Two hours later than anything before. */
  later(): number {
    this.now += 2 * hour;
    return this.now;
  }

  /** Long enough for everything to be over. */
  async end(): Promise<void> {
    this.now += hour;
    await this.tick();
  }

  /** All that is known of the phones since a time. */
  async known(phones: readonly string[], start: number): Promise<readonly Known[]> {
    const { appId } = this.#app;
    const rowsOf = async (table: 'visits' | 'events' | 'logs' | 'firings') => {
      const found = await this.#db.all<Record<string, string | number | null>>(
        {
          visits: sql`select * from visits where app_id = ${appId}`,
          events: sql`select * from events where app_id = ${appId}`,
          logs: sql`select * from logs where app_id = ${appId}`,
          firings: sql`select * from firings where app_id = ${appId}`,
        }[table],
      );
      return Map.groupBy(found, (row) => String(row['installation_id']));
    };
    const [visits, events, logs, firings] = [
      await rowsOf('visits'),
      await rowsOf('events'),
      await rowsOf('logs'),
      await rowsOf('firings'),
    ];
    const after = (value: unknown) => (value === null ? null : Number(value) - start);
    const nameOf = (beacon: unknown) => [...this.#beacons].find(([, id]) => id === beacon)?.[0] ?? beacon;
    const happened = (rows: readonly Record<string, unknown>[] = []) =>
      rows.map((row) => `${after(row['occurred_at'])} ${nameOf(row['beacon_id'])} ${row['event']}`).sort();
    return phones.map((phone) => ({
      visits: (visits.get(phone) ?? [])
        .map((row) =>
          [
            nameOf(row['beacon_id']),
            after(row['entered_at']),
            after(row['left_at']),
            row['is_open'],
            row['ended_by'],
          ].join(' '),
        )
        .sort(),
      events: happened(events.get(phone)),
      logs: happened(logs.get(phone)),
      fired: (firings.get(phone) ?? []).map((row) => `${row['trigger_id']} ${row['visit_id']}`).sort(),
    }));
  }

  close(): Promise<void> {
    return this.#app.close();
  }
}

function makeService({ storage: { db }, clock }: TestApp) {
  const trackCache = new TrackCache();
  const tools = {
    db,
    trackCache,
    requestPushes: async () => undefined,
    announce: async () => undefined,
    logs: createEngineLogs(false),
  };
  const service = createSightingService({
    ...tools,
    site: new SiteCache(db, new CacheVersion(db, 'site')),
    expect: () => undefined,
  });
  const findPolicy = async () => ({ ...defaultPolicy, oneZone: true });
  return { service, ticker: createTicker({ ...tools, now: () => clock.now, findPolicy }) };
}

/** `isLocated`: beacons have their places on the plan. */
export async function openWalkedVenue(
  database: DatabaseKind,
  { beacons }: Pick<Recordings, 'beacons'>,
  { isLocated = true }: { readonly isLocated?: boolean } = {},
): Promise<WalkedVenue> {
  const app = await buildApp({ database });
  app.app.ticker.stop();
  const { appId } = app;
  const ids = new Map<string, string>();
  await app.storage.db.transaction(async (db) => {
    for (const [name, location] of beacons) {
      const id = name.padEnd(20, '0');
      ids.set(name, id);
      const at = isLocated ? JSON.stringify(location) : null;
      await db.run(sql`insert into beacons (app_id, object_id, name, uuid, uuid_key, major, minor, metadata, location, created_at, updated_at)
        values (${appId}, ${id}, ${name}, 'u', 'u', 1, ${ids.size}, '{}', ${at}, 0, 0)`);
      await db.run(sql`insert into notifications (app_id, object_id, description, beacon_id, event, type, message, is_enabled, created_at, updated_at)
        values (${appId}, ${`N${id}`.slice(0, 20)}, 'Welcome', ${id}, 'ENTER', 'TEXT', '{"alertTitle":"a","alertMessage":"b"}', 1, 0, 0)`);
    }
  });
  return new WalkedVenue(app, ids);
}
