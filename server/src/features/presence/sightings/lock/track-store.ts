import { randomInt } from 'node:crypto';
import type { ClockState, TrackState } from '@pharos/engine';
import {
  fromStored,
  fromStoredState,
  type StoredRecord,
  type StoredSegment,
  type StoredState,
  type TrackRecord,
  toStored,
  toStoredState,
} from '@pharos/engine/decide';
import { raw, type Sql, sql } from '../../../../base/sql.ts';
import { bulkDelete, bulkInsert, bulkRead, Lookup } from '../../../../db/bulk.ts';
import type { Database, Db, Row } from '../../../../db/db.ts';
import type { Dialect } from '../../../../db/dialect.ts';
import type { RowOf } from '../../../../db/table.ts';
import type { StoredBatch, TrackVersion } from '../stages/track.ts';
import { positions } from '../traces/positions.ts';
import type { TrackKey } from '../traces/reported.ts';
import { newestSamples, presence, trackSamples, tracks, venueEntries } from '../traces/tables.ts';

/** The engine's state of each installation, and the samples that led to it. SQL only. */

/** What identifies a track in memory. */
export const keyText = ({ appId, installationId }: TrackKey) => `${appId} ${installationId}`;
const cellsOf = ({ appId, installationId }: TrackKey) => ({ app_id: appId, installation_id: installationId });

export interface StoredTrack extends TrackVersion {
  readonly record: TrackRecord;
}

interface VersionRow extends Row {
  readonly installation_id: string;
  readonly version: number;
  readonly updated_at: number;
  readonly batches: number;
}

interface TrackRow extends VersionRow {
  readonly state: string;
}

/** They are numbered from 1. */
const batchesOf = raw(`coalesce((select max(n.place) from newest_samples n
  where n.app_id = tracks.app_id and n.installation_id = tracks.installation_id), 0) as batches`);

const tracksOf = new Lookup(
  ['installation_id'],
  (isWanted) =>
    sql`select installation_id, state, version, updated_at, ${batchesOf} from tracks where app_id = ${null} and ${isWanted}`,
);

const versionsOf = new Lookup(
  ['installation_id'],
  (isWanted) =>
    sql`select installation_id, version, updated_at, ${batchesOf} from tracks where app_id = ${null} and ${isWanted}`,
);

async function findBy<R extends VersionRow>(
  db: Db,
  lookup: Lookup<'installation_id'>,
  keys: readonly TrackKey[],
): Promise<Map<string, R>> {
  const found = new Map<string, R>();
  for (const [appId, ofApp] of Map.groupBy(keys, (key) => key.appId)) {
    const cells = ofApp.map(({ installationId }) => ({ installation_id: installationId }));
    for (const row of await lookup.read<R>(db, [appId], cells))
      found.set(keyText({ appId, installationId: row.installation_id }), row);
  }
  return found;
}

/** The tracks of several installations, by `keyText`. */
export async function findTracks(db: Db, keys: readonly TrackKey[]): Promise<ReadonlyMap<string, StoredTrack>> {
  const rows = await findBy<TrackRow>(db, tracksOf, keys);
  return new Map(
    [...rows].map(([key, row]) => [
      key,
      { record: fromStored(JSON.parse(row.state) as StoredRecord), ...versionOf(row) },
    ]),
  );
}

/** The versions of several tracks, by `keyText`. */
export async function findVersions(db: Db, keys: readonly TrackKey[]): Promise<ReadonlyMap<string, TrackVersion>> {
  const rows = await findBy<VersionRow>(db, versionsOf, keys);
  return new Map([...rows].map(([key, row]) => [key, versionOf(row)]));
}

const versionOf = ({
  version,
  updated_at: writtenAt,
  batches,
}: Pick<VersionRow, 'version' | 'updated_at' | 'batches'>): TrackVersion => ({
  version,
  writtenAt,
  batches,
});

const batchesBeside = bulkRead(newestSamples, {
  by: ['app_id', 'installation_id'],
  columns: ['place', 'samples', 'clock', 'created_at'],
});

/** What is stored beside each track, oldest first. */
export async function findBatches(db: Db, keys: readonly TrackKey[]): Promise<StoredBatch[][]> {
  return (await batchesBeside.of(db, keys.map(cellsOf))).map((rows) =>
    rows
      .sort((a, b) => a.place - b.place)
      .map(({ place, samples, clock, created_at: now }) => ({
        place,
        samples,
        now,
        clock: clock === null ? null : (JSON.parse(clock) as ClockState),
      })),
  );
}

const addedBatches = bulkInsert(newestSamples);

export interface NewBatch extends TrackKey, StoredBatch {}

export function addBatches(dialect: Dialect, added: readonly NewBatch[]): Sql[] {
  const cells = added.map(({ place, samples, clock, now, ...key }) => ({
    ...cellsOf(key),
    place,
    samples,
    clock: clock === null ? null : JSON.stringify(clock),
    created_at: now,
  }));
  return addedBatches.each(dialect, cells);
}

const goneBatches = bulkDelete(newestSamples, ['app_id', 'installation_id']);

/** They are in the track that is written. */
export const dropBatches = (dialect: Dialect, keys: readonly TrackKey[]): Sql[] =>
  goneBatches.each(dialect, keys.map(cellsOf));

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

/** When the next tracks fall due after a time, the earliest first. A look at an index. */
export function findNextDeadlines(
  db: Db,
  after: number,
  limit: number,
): Promise<{ readonly app_id: string; readonly next_deadline: number }[]> {
  return db.all(
    sql`select app_id, next_deadline from tracks where next_deadline > ${after} order by next_deadline limit ${limit}`,
  );
}

/** Selects when the first track of all falls due, or fell due. A look at an index. */
export const firstDeadline: Sql = raw('select min(next_deadline) from tracks');

const clockStep = 500;

/**
 * Moves what was written by a clock that has been set back since, while no process ran, to the present: a silence lasts as
 * long as it would have lasted.
 */
export async function mendFutureTracks(db: Database, now: number): Promise<void> {
  const tolerated = now + 60_000;
  for (;;) {
    // Without a lock: it would be one over all apps, which a distributed database does not have.
    const rows = await db.all<RowOf<typeof tracks> & { readonly next_deadline: number }>(
      sql`select app_id, installation_id, state, next_deadline, updated_at from tracks
        where next_deadline > ${tolerated} and updated_at > ${tolerated} order by next_deadline limit ${clockStep}`,
    );
    await db.transaction(async (db) => {
      for (const row of rows) {
        const ahead = row.updated_at - now;
        const record = JSON.parse(row.state) as StoredRecord;
        // The lag is what lies between the sender's clock and ours; of the two, ours has moved.
        const moved = JSON.stringify({ ...record, lag: (record.lag ?? 0) - ahead });
        // A process that writes a track now writes the current time, and is not overwritten.
        await db.run(sql`update tracks set state = ${moved}, next_deadline = ${row.next_deadline - ahead}, updated_at = ${now}
          where app_id = ${row.app_id} and installation_id = ${row.installation_id} and updated_at = ${row.updated_at}`);
      }
    });
    if (rows.length < clockStep) return;
  }
}

export interface NewTrack extends TrackKey {
  readonly record: TrackRecord;
  readonly deadline: number | null;
  readonly now: number;
  readonly version: number;
}

/** A version that no write of the track has had. */
export const newVersion = (): number => randomInt(1, 2 ** 47);

const savedTracks = bulkInsert(tracks, {
  conflict: raw(`on conflict (app_id, installation_id) do update
    set state = excluded.state, next_deadline = excluded.next_deadline, updated_at = excluded.updated_at,
      version = excluded.version`),
});

export function saveTracks(dialect: Dialect, saved: readonly NewTrack[]): Sql[] {
  const cells = saved.map(({ appId, installationId, record, deadline, now, version }) => ({
    app_id: appId,
    installation_id: installationId,
    state: JSON.stringify(toStored(record)),
    next_deadline: deadline,
    updated_at: now,
    version,
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
    checkpoint: checkpoint === null ? '' : JSON.stringify(toStoredState(checkpoint)),
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

/** The segments of an installation from one on. */
export interface SegmentScope extends TrackKey {
  /** ms */
  readonly from: number;
}

const laterSegments = bulkRead(trackSamples, {
  by: ['app_id', 'installation_id'],
  columns: ['started_at', 'checkpoint', 'samples'],
  given: { from_at: 'bigint' },
  narrow: ({ from_at }) => ({ range: ['started_at', '>=', from_at] }),
});

/** For each scope, oldest first. */
export async function findSegments(db: Db, scopes: readonly SegmentScope[]): Promise<StoredSegment[][]> {
  const cells = scopes.map(({ from, ...key }) => ({ ...cellsOf(key), from_at: from }));
  return (await laterSegments.of(db, cells)).map((rows) =>
    rows
      .sort((a, b) => a.started_at - b.started_at)
      .map(({ started_at, checkpoint, samples }) => ({
        startedAt: started_at,
        checkpoint: fromStoredState(JSON.parse(checkpoint) as StoredState),
        samples,
      })),
  );
}

export async function deleteTrack(db: Db, { appId, installationId }: TrackKey): Promise<void> {
  for (const { name } of [tracks, trackSamples, newestSamples, presence, positions.table, venueEntries])
    await db.run(sql`delete from ${raw(name)} where app_id = ${appId} and installation_id = ${installationId}`);
}
