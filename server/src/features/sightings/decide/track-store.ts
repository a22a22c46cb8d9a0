import { raw, type Sql, sql } from '../../../base/sql.ts';
import { BulkRead, bulkDelete, bulkInsert, Lookup } from '../../../db/bulk.ts';
import type { Database, Db, Row } from '../../../db/db.ts';
import type { Dialect } from '../../../db/dialect.ts';
import type { TrackState } from '../../../proximity/index.ts';
import { positions } from '../traces/positions.ts';
import { presence, trackSamples, tracks } from '../traces/tables.ts';
import type { TrackKey } from '../traces/told-store.ts';
import { parseTrackRecord, type TrackRecord } from './track-record.ts';

/** The engine's state of each installation, and the samples that led to it. SQL and nothing else. */

const keyText = ({ appId, installationId }: TrackKey) => `${appId} ${installationId}`;
const cellsOf = ({ appId, installationId }: TrackKey) => ({ app_id: appId, installation_id: installationId });

interface TrackRow extends Row {
  readonly installation_id: string;
  readonly state: string;
}

const tracksOf = new Lookup(
  ['installation_id'],
  (isWanted) => sql`select installation_id, state from tracks where app_id = ${null} and ${isWanted}`,
);

/** The tracks of several installations. */
export async function findTracks(
  db: Db,
  keys: readonly TrackKey[],
): Promise<(key: TrackKey) => TrackRecord | undefined> {
  const found = new Map<string, TrackRecord>();
  for (const [appId, ofApp] of Map.groupBy(keys, (key) => key.appId)) {
    const cells = ofApp.map(({ installationId }) => ({ installation_id: installationId }));
    for (const statement of tracksOf.of(db.dialect, [appId], cells)) {
      for (const row of await db.all<TrackRow>(statement))
        found.set(keyText({ appId, installationId: row.installation_id }), parseTrackRecord(row.state));
    }
  }
  return (key) => found.get(keyText(key));
}

export async function findTrack(db: Db, key: TrackKey): Promise<TrackRecord | undefined> {
  return (await findTracks(db, [key]))(key);
}

export interface DueInstallation {
  readonly app_id: string;
  readonly installation_id: string;
}

/** Installations with something due, the longest overdue first. */
export function findDueInstallations(db: Db, now: number, limit: number): Promise<DueInstallation[]> {
  return db.all<DueInstallation>(
    sql`select app_id, installation_id from tracks where next_deadline <= ${now} order by next_deadline limit ${limit}`,
  );
}

/** When the next track falls due after a time; undefined when none does. One look at an index. */
export async function findNextDeadline(db: Db, after: number): Promise<number | undefined> {
  const row = await db.one<{ next_deadline: number }>(
    sql`select next_deadline from tracks where next_deadline > ${after} order by next_deadline limit 1`,
  );
  return row?.next_deadline;
}

const clockStep = 500;

interface FutureRow extends Row {
  readonly app_id: string;
  readonly installation_id: string;
  readonly state: string;
  readonly next_deadline: number;
  readonly updated_at: number;
}

/**
 * Moves what was written by a clock that has been set back since, while no process ran, to the present: a silence lasts as
 * long as it would have lasted.
 */
export async function mendFutureTracks(db: Database, now: number): Promise<void> {
  const tolerated = now + 60_000;
  for (;;) {
    const isDone = await db.transaction(async (db) => {
      const rows = await db.all<FutureRow>(
        sql`select app_id, installation_id, state, next_deadline, updated_at from tracks
          where next_deadline > ${tolerated} and updated_at > ${tolerated} order by next_deadline limit ${clockStep}${raw(db.dialect.skipLocked)}`,
      );
      for (const row of rows) {
        const ahead = row.updated_at - now;
        const record = JSON.parse(row.state) as TrackRecord;
        // The lag is what lies between the sender's clock and ours; of the two, ours has moved.
        const moved = JSON.stringify({ ...record, lag: record.lag - ahead });
        await db.run(sql`update tracks set state = ${moved}, next_deadline = ${row.next_deadline - ahead}, updated_at = ${now}
          where app_id = ${row.app_id} and installation_id = ${row.installation_id}`);
      }
      return rows.length < clockStep;
    });
    if (isDone) return;
  }
}

export interface NewTrack extends TrackKey {
  readonly record: TrackRecord;
  readonly deadline: number | null;
  readonly now: number;
}

const savedTracks = bulkInsert(tracks, {
  conflict: raw(`on conflict (app_id, installation_id) do update
    set state = excluded.state, next_deadline = excluded.next_deadline, updated_at = excluded.updated_at`),
});

export function saveTracks(dialect: Dialect, saved: readonly NewTrack[]): Sql[] {
  const cells = saved.map(({ appId, installationId, record, deadline, now }) => ({
    app_id: appId,
    installation_id: installationId,
    state: JSON.stringify(record),
    next_deadline: deadline,
    updated_at: now,
  }));
  return savedTracks.each(dialect, cells);
}

/** Samples that are added to a segment, or begin one. */
export interface AddedSamples extends TrackKey {
  readonly startedAt: number;
  /** The presence before the segment's first sample; kept only where the segment is new. */
  readonly checkpoint: TrackState | null;
  readonly samples: string;
}

const addedSamples = bulkInsert(trackSamples, {
  conflict: raw(`on conflict (app_id, installation_id, started_at) do update
    set samples = track_samples.samples || excluded.samples`),
});

export function addSamples(dialect: Dialect, added: readonly AddedSamples[]): Sql[] {
  const cells = added.map(({ appId, installationId, startedAt, checkpoint, samples }) => ({
    app_id: appId,
    installation_id: installationId,
    started_at: startedAt,
    checkpoint: checkpoint === null ? '' : JSON.stringify(checkpoint),
    samples,
  }));
  return addedSamples.each(dialect, cells);
}

const droppedSegments = bulkDelete(trackSamples, ['app_id', 'installation_id', 'started_at']);

export interface SegmentKey extends TrackKey {
  readonly startedAt: number;
}

export function dropSegments(dialect: Dialect, gone: readonly SegmentKey[]): Sql[] {
  return droppedSegments.each(
    dialect,
    gone.map(({ appId, installationId, startedAt }) => ({
      app_id: appId,
      installation_id: installationId,
      started_at: startedAt,
    })),
  );
}

export interface StoredSegment {
  readonly startedAt: number;
  readonly checkpoint: TrackState;
  readonly samples: string;
}

/** The segments of an installation from one on. */
export interface SegmentScope extends TrackKey {
  /** ms */
  readonly from: number;
}

const laterSegments = new BulkRead<'app_id' | 'installation_id' | 'from_at', SegmentRow>(
  { app_id: 'text', installation_id: 'text', from_at: 'bigint' },
  (cell) => ({
    table: trackSamples.name,
    columns: ['started_at', 'checkpoint', 'samples'],
    same: [
      ['app_id', cell.app_id],
      ['installation_id', cell.installation_id],
    ],
    range: ['started_at', '>=', cell.from_at],
  }),
);

interface SegmentRow {
  readonly started_at: number;
  readonly checkpoint: string;
  readonly samples: string;
}

/** For each scope, oldest first. */
export async function findSegments(db: Db, scopes: readonly SegmentScope[]): Promise<StoredSegment[][]> {
  const cells = scopes.map(({ from, ...key }) => ({ ...cellsOf(key), from_at: from }));
  return (await laterSegments.of(db, cells)).map((rows) =>
    rows
      .sort((a, b) => a.started_at - b.started_at)
      .map(({ started_at, checkpoint, samples }) => ({
        startedAt: started_at,
        checkpoint: JSON.parse(checkpoint) as TrackState,
        samples,
      })),
  );
}

export async function deleteTrack(db: Db, { appId, installationId }: TrackKey): Promise<void> {
  for (const { name } of [tracks, trackSamples, presence, positions.table])
    await db.run(sql`delete from ${raw(name)} where app_id = ${appId} and installation_id = ${installationId}`);
}
