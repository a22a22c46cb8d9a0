import type { Firing, PresenceEvent, ReceiverOffset } from '@pharos/engine';
import type { Reads, StoredSegment, StoredVisit, TrackRecord, VisitScope } from '@pharos/engine/decide';
import { raw, type Sql, sql } from '../../../../base/sql.ts';
import { BatchLoader } from '../../../../db/batch-loader.ts';
import { bulkInsert, bulkRead } from '../../../../db/bulk.ts';
import type { Db } from '../../../../db/db.ts';
import type { Dialect } from '../../../../db/dialect.ts';
import { findSegments, findTracks, keyText, type SegmentScope } from '../lock/track-store.ts';
import { findReceiverOffsets, type HearingPhone } from '../site/receiver-offsets.ts';
import { type SiteReads, storedSite } from '../site/site.ts';
import { type EventScope, findEventsAfter, findVisits, type TrackKey } from '../traces/reported.ts';
import { firings, presence } from '../traces/tables.ts';

/** What the rules read about the past of an installation. SQL only. */

/** Whose presence at which beacon. */
export interface PresenceKey {
  readonly appId: string;
  readonly installationId: string;
  readonly beaconId: string;
}

const cellsOf = ({ appId, installationId, beaconId }: PresenceKey) => ({
  app_id: appId,
  installation_id: installationId,
  beacon_id: beaconId,
});

const visitCounts = bulkRead(presence, {
  by: ['app_id', 'installation_id', 'beacon_id'],
  columns: ['visit_count'],
});

async function countVisits(db: Db, keys: readonly PresenceKey[]): Promise<number[]> {
  return (await visitCounts.of(db, keys.map(cellsOf))).map(([row]) => row?.visit_count ?? 0);
}

export interface CountedVisits extends PresenceKey {
  /** Visits that have ended, minus those that go on after all. */
  readonly count: number;
  readonly now: number;
}

const addedCounts = bulkInsert(presence, {
  conflict: raw(`on conflict (app_id, installation_id, beacon_id) do update
    set visit_count = presence.visit_count + excluded.visit_count, updated_at = excluded.updated_at`),
});

export function addVisitCounts(dialect: Dialect, counted: readonly CountedVisits[]): Sql[] {
  const cells = counted.map(({ count, now, ...key }) => ({ ...cellsOf(key), visit_count: count, updated_at: now }));
  return addedCounts.each(dialect, cells);
}

export interface FiringScope {
  readonly appId: string;
  readonly installationId: string;
  /** The person who is signed in on it: what their other installations were shown counts too. */
  readonly userId: string | null;
  readonly since: number;
}

const firingColumns = ['installation_id', 'trigger_id', 'visit_id', 'fired_at'] as const;

const firingsOfInstallation = bulkRead(firings, {
  by: ['app_id', 'installation_id'],
  columns: firingColumns,
  given: { since_at: 'bigint' },
  narrow: ({ since_at }) => ({ range: ['fired_at', '>=', since_at] }),
});

const firingsOfPerson = bulkRead(firings, {
  by: ['app_id'],
  columns: firingColumns,
  given: { user_id: 'text', since_at: 'bigint' },
  narrow: (cell) => ({
    only: sql`fired_at >= ${cell.since_at} and installation_id in
      (select object_id from installations where app_id = ${cell.app_id} and user_id = ${cell.user_id})`,
  }),
});

/** For each scope, what was shown since a time, oldest first. */
async function findFirings(db: Db, scopes: readonly FiringScope[]): Promise<Firing[][]> {
  const [own, persons] = [[], []] as [FiringScope[], (FiringScope & { readonly userId: string })[]];
  for (const { userId, ...scope } of scopes)
    if (userId === null) own.push({ ...scope, userId });
    else persons.push({ ...scope, userId });
  const ofInstallations = await firingsOfInstallation.of(
    db,
    own.map(({ appId, installationId, since }) => ({
      app_id: appId,
      installation_id: installationId,
      since_at: since,
    })),
  );
  const ofPersons = await firingsOfPerson.of(
    db,
    persons.map(({ appId, userId, since }) => ({ app_id: appId, user_id: userId, since_at: since })),
  );
  return scopes.map(({ userId, installationId }) =>
    ((userId === null ? ofInstallations : ofPersons).shift() ?? [])
      .sort((a, b) => a.fired_at - b.fired_at)
      .map((row) => ({
        triggerId: row.trigger_id,
        visitId: row.visit_id,
        at: row.fired_at,
        ...(row.installation_id === installationId ? {} : { isElsewhere: true as const }),
      })),
  );
}

/** For an installation about which nothing is kept. */
export const nothingKept: Reads['kept'] = {
  segments: async () => [],
  visits: async () => [],
  events: async () => [],
};

/**
 * What the decisions of one transaction read about the past. They are made concurrently, and what they read at the same time is
 * one statement for all of them.
 */
export class PastReads {
  readonly #records: BatchLoader<TrackKey, TrackRecord | undefined>;
  readonly #segments: BatchLoader<SegmentScope, StoredSegment[]>;
  readonly #visits: BatchLoader<TrackKey & VisitScope, StoredVisit[]>;
  readonly #events: BatchLoader<TrackKey & EventScope, PresenceEvent[]>;
  readonly #firings: BatchLoader<FiringScope, Firing[]>;
  readonly #counts: BatchLoader<PresenceKey, number>;
  readonly #ears: BatchLoader<HearingPhone, ReceiverOffset | null>;

  constructor(db: Db) {
    this.#records = new BatchLoader(async (keys) => {
      const found = await findTracks(db, keys);
      return keys.map((key) => found.get(keyText(key))?.record);
    });
    this.#segments = new BatchLoader((scopes) => findSegments(db, scopes));
    this.#visits = new BatchLoader((scopes) => findVisits(db, scopes));
    this.#events = new BatchLoader((scopes) => findEventsAfter(db, scopes));
    this.#firings = new BatchLoader((scopes) => findFirings(db, scopes));
    this.#ears = new BatchLoader((listeners) => findReceiverOffsets(db, listeners));
    this.#counts = new BatchLoader((keys) => countVisits(db, keys));
  }

  record(key: TrackKey): Promise<TrackRecord | undefined> {
    return this.#records.ask(key);
  }

  /** How a phone is known to hear. */
  receiverOffset(listener: HearingPhone): Promise<ReceiverOffset | null> {
    return this.#ears.ask(listener);
  }

  /** `userId` is the person who is signed in on the installation. */
  of(key: TrackKey, userId: string | null): Pick<Reads, 'firings' | 'visitCount' | 'kept'> {
    return {
      firings: (since) => this.#firings.ask({ ...key, userId, since }),
      visitCount: (beaconId) => this.#counts.ask({ ...key, beaconId }),
      kept: {
        segments: (from) => this.#segments.ask({ ...key, from }),
        visits: (scope) => this.#visits.ask({ ...key, ...scope }),
        events: (scope) => this.#events.ask({ ...key, ...scope }),
      },
    };
  }
}

/** The engine's reads in a transaction that holds the installation. */
export function readsOf(
  db: Db,
  { appId, installationId, userId, model = null, site = storedSite, past = new PastReads(db) }: TrackOwner,
): Reads {
  const key = { appId, installationId };
  return {
    record: () => past.record(key),
    receiverOffset: () => past.receiverOffset({ ...key, model }),
    places: (beaconIds) =>
      beaconIds.length === 0 ? Promise.resolve([]) : site.beaconsById(db, appId, [...new Set(beaconIds)]),
    triggers: (beaconId) => site.triggers(db, appId, beaconId),
    ...past.of(key, userId),
  };
}

/** Whom a track belongs to, and how it is read. */
export interface TrackOwner {
  readonly appId: string;
  readonly installationId: string;
  /** The person who is signed in on it. */
  readonly userId: string | null;
  /** The model of the phone. */
  readonly model?: string | null;
  readonly site?: SiteReads;
  /** Reads shared by concurrent decisions. */
  readonly past?: PastReads;
}
